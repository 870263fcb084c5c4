// Accepted findings of the rule checks, with their reasons. Each is acknowledged at its construct with its full id.
import { Stack, Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** The reasons appear in the validation report. */
export const explanations = {
  'network interfaces': [
    {
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason:
        'Lambda checks for these EC2 rights on all resources when a function joins a VPC; a Deny keeps the code from them',
    },
  ],
  heartbeats: [
    {
      id: 'AwsSolutions-SQS3',
      reason: 'The heartbeat queue has no consumer: its messages expire after a minute, and only its metric is used',
    },
  ],
  spans: [
    {
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'X-Ray does not support resources for these two actions; they only write spans and counts',
    },
  ],
  'alarms of an update': [
    {
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason:
        'CodeDeploy reads the states of alarms; it is not documented that it works with the names of some of them',
    },
  ],
  kubeconfig: [
    {
      id: 'AwsSolutions-SMG4',
      reason: 'Only the management cluster can issue its credentials; a new value is used within minutes',
    },
  ],
  'webhook route': [
    {
      id: 'AwsSolutions-APIG4',
      reason: 'API servers cannot sign requests; the function compares their token before it reads anything else',
    },
  ],
  'webhook tokens': [
    {
      id: 'AwsSolutions-SMG4',
      reason:
        'The deployment asks for no rotation (rotateTokenDays: 0): its operators rotate the token; two tokens may be valid at once',
    },
  ],
} as const;

/** Acknowledges the findings of one kind at this construct and below it. */
export function acknowledge(construct: Construct, what: keyof typeof explanations): void {
  for (const { id, reason } of explanations[what]) {
    Validations.of(construct).acknowledge({ id, reason });
  }
}

/** Acknowledges a resource with an asterisk in a statement of this role. References have their names in angle brackets. */
export function acknowledgeWildcard(role: Construct, resource: string, reason: string): void {
  const resolved: unknown = Stack.of(role).resolve(resource);
  Validations.of(role).acknowledge({ id: `AwsSolutions-IAM5[Resource::${toText(resolved)}]`, reason });
}

function toText(resolved: unknown): string {
  if (typeof resolved === 'string') {
    return resolved;
  }
  const { Ref: reference, 'Fn::Join': joined } = resolved as { readonly Ref?: string; readonly 'Fn::Join'?: unknown }; // true: an ARN is a text, a reference or a join of both
  const [, parts] = Array.isArray(joined) ? joined : [];
  return Array.isArray(parts) ? parts.map(toText).join('') : `<${reference}>`;
}
