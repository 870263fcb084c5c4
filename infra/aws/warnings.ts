// What the synthesis warns of: a deployment that would not do what its operator expects, or that a new account refuses.
import { Annotations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Deployment } from './deployment-schema.ts';
import { webhooksOf } from './place-problems.ts';

/** The concurrency that an account must keep unreserved: https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html */
const unreserved = 100;

/** A warning has an id, with which users of the construct acknowledge it. */
export function addWarnings(scope: Construct, deployment: Deployment): void {
  const { name, sources, resyncPeriodMinutes } = deployment;
  const hasSource =
    sources.forwarder !== undefined ||
    sources.windowed ||
    sources.auditWebhook !== undefined ||
    sources.auditLogOf !== undefined;
  if (!hasSource) {
    Annotations.of(scope).addWarningV2(
      'capi-serverless:no-event-source',
      `Deployment ${name} has no event source: a change is reconciled up to ${resyncPeriodMinutes} minutes late; set sources`,
    );
  }
  const reserving = webhooksOf(deployment).filter(({ concurrency }) => concurrency > 0);
  if (reserving.length > 0) {
    const sum = reserving.reduce((total, { concurrency }) => total + concurrency, 0);
    const fields = reserving.map(({ field }) => `${field}.concurrency`).join(', ');
    Annotations.of(scope).addWarningV2(
      'capi-serverless:reserved-concurrency',
      `Deployment ${name} reserves ${sum} concurrent executions: it fails in an account whose quota is below ${sum + unreserved}, as in new accounts; request a higher quota, or set to 0: ${fields}`,
    );
  }
}
