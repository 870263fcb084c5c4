// The trigger of the audit function besides its webhook: a subscription of an EKS audit log.
import { Stack } from 'aws-cdk-lib';
import { CfnPermission } from 'aws-cdk-lib/aws-lambda';
import { CfnSubscriptionFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { ScopedFunction } from './scoped-function.ts';

interface AuditLogProps {
  readonly cluster: string;
  readonly target: ScopedFunction;
  /** Selects the events that reach the function. */
  readonly pattern: string;
}

/** Forwards the EKS audit log of changes. The control plane logging of the cluster must be enabled. */
export class AuditLogSubscription extends Construct {
  constructor(scope: Construct, id: string, { cluster, target, pattern }: AuditLogProps) {
    super(scope, id);
    const stack = Stack.of(this);
    const logGroupName = `/aws/eks/${cluster}/cluster`;
    const permission = new CfnPermission(this, 'Invoke', {
      functionName: target.live.functionArn,
      action: 'lambda:InvokeFunction',
      principal: 'logs.amazonaws.com',
      sourceAccount: stack.account,
      sourceArn: `arn:${stack.partition}:logs:${stack.region}:${stack.account}:log-group:${logGroupName}:*`,
    });
    const filter = new CfnSubscriptionFilter(this, 'Filter', {
      logGroupName,
      destinationArn: target.live.functionArn,
      filterPattern: pattern,
    });
    filter.node.addDependency(permission);
  }
}
