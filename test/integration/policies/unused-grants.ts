// The grants of roles that no call of the run needs, each with its reason. A grant that a call needs must not be listed.

import { declarations } from '../../../functions/declarations.ts';
import { sharedFunction } from '../../../infra/function-plans.ts';

export interface Grant {
  readonly functionName: string;
  readonly action: string;
  readonly resource: string;
}

interface UnusedGrant {
  readonly functions: RegExp;
  readonly action: RegExp;
  /** The resource without the name of the deployment. */
  readonly resource: RegExp;
  readonly reason: string;
}

const unusedGrants: readonly UnusedGrant[] = [
  {
    functions: /./,
    action: /^sqs:GetQueueUrl$/,
    resource: /./,
    reason: 'The CDK grants it to each consumer of a queue. Lambda does not document whether its pollers use it',
  },
  {
    functions: new RegExp(`^(${[sharedFunction, ...declarations].map(({ name }) => name).join('|')})$`),
    action: /^sqs:SendMessage$/,
    resource: /:work(-[a-z-]+)?\.fifo$/,
    reason: 'A reconcile that needs more passes than one invocation has sends a message to its own queue',
  },
  {
    functions: /^(machine|machinedeployment|topology)$/,
    action: /^(secretsmanager:GetSecretValue|kms:Decrypt)$/,
    resource: /:(secret:certificate-\w+|key\/cccccccc-[\d-]+)$/,
    reason:
      'They call hooks with the client certificate. This run has no Cluster, rollout or Machine whose hooks are called',
  },
];

/** Returns the reasons that a deployment with these functions needs. Others would hide a grant that is not needed any more. */
export function reasonsFor(functionNames: readonly string[]): readonly string[] {
  return unusedGrants
    .filter(({ functions }) => functionNames.some(name => functions.test(name)))
    .map(({ reason }) => reason);
}

/** Returns the reason why a grant is allowed although no call needs it. */
export function toUnusedReason(deployment: string, { functionName, action, resource }: Grant): string | undefined {
  const short = resource.replace(`:${deployment}-`, ':');
  return unusedGrants.find(
    unused => unused.functions.test(functionName) && unused.action.test(action) && unused.resource.test(short),
  )?.reason;
}
