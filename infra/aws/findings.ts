// What the rule checks find and why it stays: each finding by its full id, at the construct that has it.
import { Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** Why each stays. Shown in the validation report. */
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
      reason:
        'Nobody receives from the queue of heartbeats: its messages go after a minute, and its metric is what they are for',
    },
  ],
  spans: [
    {
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'X-Ray knows no resources for these two rights: they add spans and counts, and read nothing',
    },
  ],
  kubeconfig: [
    {
      id: 'AwsSolutions-SMG4',
      reason: 'Only the management cluster can issue its credentials; a new value is taken up within minutes',
    },
  ],
  'audit tokens': [
    {
      id: 'AwsSolutions-SMG4',
      reason:
        'The deployment asks for no rotation (rotateTokenDays: 0): its operators exchange the token, of which two may be valid at once',
    },
  ],
} as const;

/** Marks the findings of one kind as explained, at this construct and below. */
export function acknowledge(construct: Construct, what: keyof typeof explanations): void {
  for (const { id, reason } of explanations[what]) {
    Validations.of(construct).acknowledge({ id, reason });
  }
}
