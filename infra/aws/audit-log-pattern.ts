// The filter pattern of the subscription of an EKS audit log. The log has every request to the cluster, and each matching
// event costs an invocation. https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html
import type { Declaration } from '@capi-serverless/reconciler';
import { toAuditedKinds } from '../kubernetes/audit-policy.ts';
import { DeploymentError } from './deployment.ts';

/** https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutSubscriptionFilter.html */
const longestPattern = 1024;

/** Completed changes, not reads. */
const changes =
  '$.apiVersion = "audit.k8s.io/v1" && $.stage = "ResponseComplete" && $.verb != "get" && $.verb != "list" && $.verb != "watch"';

/**
 * Selects the changes of groups that reconcilers watch, as the audit policy does. Kinds of the core group have no group
 * in an event, so they are selected by their plural. Throws DeploymentError if CloudWatch refuses so long a pattern.
 */
export function toAuditLogPattern(
  declarations: readonly Pick<Declaration, 'primary' | 'watches'>[],
  providerGroups: readonly string[],
): string {
  const { groups, coreResources } = toAuditedKinds(declarations, providerGroups);
  const selected = [
    ...[...groups, 'apiextensions.k8s.io'].map(group => `$.objectRef.apiGroup = "${group}"`),
    ...coreResources.map(resource => `$.objectRef.resource = "${resource}"`),
  ];
  const pattern = `{ ${changes} && (${selected.join(' || ')}) }`;
  if (pattern.length > longestPattern) {
    throw new DeploymentError(
      `settings.providerGroups: the filter of sources.auditLogOf has ${pattern.length} characters, more than ${longestPattern}; name fewer groups`,
    );
  }
  return pattern;
}
