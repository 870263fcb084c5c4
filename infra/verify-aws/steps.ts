// The steps of `npm run verify:aws`. Each step runs the commands that the documents name, and proves one property.
import { type VerifyOptions, VerifyRefusal } from './options.ts';
import { requireSoundPolicies } from './policies.ts';
import type { RunCommand, VerifyCommand, VerifyTarget, VerifyWorld } from './verify-context.ts';

export interface VerifyStep {
  readonly title: string;
  readonly proves: string;
  /** Steps that change nothing need no undo. */
  readonly changes: boolean;
  run(world: VerifyWorld, target: VerifyTarget): Promise<void>;
  /** Removes what the step may have created, also if it created only a part or nothing. */
  undo?(world: VerifyWorld, target: VerifyTarget): Promise<void>;
}

const firstCluster = 'examples/first-cluster/cluster.yaml';
const firstClusterCrd = 'noinfrastructures.infrastructure.cluster.x-k8s.io';
const changeSet = 'capi-verify';
const pollMs = 5_000;
/** The windowed forwarder runs each minute. Its first run may list many objects. */
const mostPolls = 60;

const aws = (...args: string[]): VerifyCommand => ({ program: 'aws', args: [...args, '--output', 'json'] });

function kubectl({ kubeconfig }: VerifyOptions, ...args: string[]): VerifyCommand {
  return { program: 'kubectl', args: ['--kubeconfig', kubeconfig, ...args] };
}

function cdk({ deployments }: VerifyOptions, ...args: string[]): VerifyCommand {
  return { program: 'npx', args: ['cdk', ...args, '--no-notices', '--context', `deployments=${deployments}`] };
}

/** The roles in the management cluster: by the groups of access entries, or by a service account. */
const rolesOf = ({ deployment }: VerifyTarget): string =>
  deployment.apiServer.kind === 'eks' ? 'infra/kubernetes/rbac' : 'infra/kubernetes/account';

/** Ends before the first change if the account or something that would be removed later is not ours. */
async function requireOurs({ run }: VerifyWorld, target: VerifyTarget): Promise<void> {
  const { Account: account } = JSON.parse(await run(aws('sts', 'get-caller-identity')));
  if (account !== target.account) {
    throw new VerifyRefusal(`The credentials are of account ${account}, not of ${target.account}`);
  }
  if (await isStackThere(run, target)) {
    throw new VerifyRefusal(`Stack ${target.deployment.name} exists already in ${target.region}; choose another name`);
  }
  await run(kubectl(target, 'get', 'crd', 'clusters.cluster.x-k8s.io', '-o', 'name'));
  const existing = [
    await run(kubectl(target, 'get', 'cluster.cluster.x-k8s.io', 'first', '--namespace', 'default', ...ifThere)),
    await run(kubectl(target, 'get', 'crd', firstClusterCrd, ...ifThere)),
    await run(kubectl(target, 'get', '-k', rolesOf(target), ...ifThere)),
  ].flatMap(names => names.split('\n').filter(Boolean));
  if (existing.length > 0) {
    throw new VerifyRefusal(
      `The management cluster already has ${existing.join(', ')}; they would be removed at the end`,
    );
  }
}

const ifThere = ['--ignore-not-found', '-o', 'name'] as const;

/** A stack of this name, in any state. A deleted stack is not found by its name. */
async function isStackThere(run: RunCommand, { deployment }: VerifyTarget): Promise<boolean> {
  const listed = JSON.parse(await run(aws('cloudformation', 'list-stacks')));
  const stacks: readonly { readonly StackName: string; readonly StackStatus: string }[] = listed.StackSummaries;
  return stacks.some(
    ({ StackName, StackStatus }) => StackName === deployment.name && StackStatus !== 'DELETE_COMPLETE',
  );
}

async function deleteStack({ run }: VerifyWorld, { deployment }: VerifyTarget): Promise<void> {
  await run(aws('cloudformation', 'delete-stack', '--stack-name', deployment.name));
  await run(aws('cloudformation', 'wait', 'stack-delete-complete', '--stack-name', deployment.name));
}

async function prepareChangeSet(world: VerifyWorld, target: VerifyTarget): Promise<void> {
  const { run, say } = world;
  const { name } = target.deployment;
  const method = ['--method', 'prepare-change-set', '--change-set-name', changeSet];
  await run(cdk(target, 'deploy', name, ...method, '--require-approval', 'never'));
  const asked = aws('cloudformation', 'describe-change-set', '--stack-name', name, '--change-set-name', changeSet);
  const { Status: status, StatusReason: reason = '', Changes: changes = [] } = JSON.parse(await run(asked));
  if (status !== 'CREATE_COMPLETE' || changes.length === 0) {
    throw new Error(`The change set has status ${status} with ${changes.length} changes. ${reason}`);
  }
  say(`  ${changes.length} resources would be created`);
  await deleteStack(world, target);
}

async function deploy({ run }: VerifyWorld, target: VerifyTarget): Promise<void> {
  const { name, apiServer } = target.deployment;
  await run(cdk(target, 'deploy', name, '--require-approval', 'never'));
  await run(kubectl(target, 'apply', '-k', rolesOf(target)));
  if (apiServer.kind === 'kubeconfig') {
    const secret = apiServer.secretArn ?? (await secretOf(run, name));
    const days = ['--days', '1'];
    const input = await run({
      program: 'npx',
      args: ['capi-serverless', 'kubeconfig', '--kubeconfig', target.kubeconfig, ...days],
    });
    const put = aws('secretsmanager', 'put-secret-value', '--secret-id', secret);
    await run({ ...put, args: [...put.args, '--secret-string', 'file:///dev/stdin'], input });
  }
}

/** Returns the secret that the stack created for the kubeconfig. */
async function secretOf(run: RunCommand, stack: string): Promise<string> {
  const { Stacks: stacks } = JSON.parse(await run(aws('cloudformation', 'describe-stacks', '--stack-name', stack)));
  const outputs: readonly { readonly OutputKey: string; readonly OutputValue: string }[] = stacks[0].Outputs;
  const found = outputs.find(({ OutputKey }) => OutputKey.includes('KubeconfigSecret'));
  if (found === undefined) {
    throw new Error(`Stack ${stack} has no output for the kubeconfig`);
  }
  return found.OutputValue;
}

async function reconcileFirst({ run, say, sleep }: VerifyWorld, target: VerifyTarget): Promise<void> {
  await run(kubectl(target, 'apply', '--namespace', 'default', '-f', firstCluster));
  const asked = kubectl(target, 'get', 'cluster.cluster.x-k8s.io', 'first', '--namespace', 'default', '-o', 'json');
  for (let polls = 1; polls <= mostPolls; polls += 1) {
    const { metadata, status = {} } = JSON.parse(await run(asked));
    const isReconciled = status.phase === 'Provisioning' && metadata.finalizers?.length > 0;
    if (isReconciled && status.conditions?.length > 0) {
      say(`  Cluster first has phase Provisioning and ${status.conditions.length} conditions`);
      await run(
        kubectl(target, 'delete', '--namespace', 'default', 'cluster.cluster.x-k8s.io', 'first', '--timeout=5m'),
      );
      return;
    }
    await sleep(pollMs);
  }
  throw new Error(
    `Cluster first was not reconciled within ${(mostPolls * pollMs) / 60_000} minutes; see: aws logs tail /aws/lambda/${target.deployment.name}-windowed-forwarder`,
  );
}

/** Functions that do not run cannot remove their finalizer. */
async function removeFirst({ run }: VerifyWorld, target: VerifyTarget): Promise<void> {
  const first = ['cluster.cluster.x-k8s.io', 'first', '--namespace', 'default'];
  if ((await run(kubectl(target, 'get', ...first, ...ifThere))).trim() !== '') {
    await run(kubectl(target, 'delete', ...first, '--wait=false', '--ignore-not-found'));
    const noFinalizers = JSON.stringify({ metadata: { finalizers: null } });
    // The Cluster may be gone now, which is as good.
    await run(kubectl(target, 'patch', ...first, '--type=merge', '--patch', noFinalizers)).catch(() => undefined);
    await run(kubectl(target, 'wait', '--for=delete', ...first, '--timeout=2m'));
  }
  await run(kubectl(target, 'delete', 'crd', firstClusterCrd, '--ignore-not-found'));
}

const removeRoles = ({ run }: VerifyWorld, target: VerifyTarget): Promise<string> =>
  run(kubectl(target, 'delete', '-k', rolesOf(target), '--ignore-not-found'));

async function destroy(world: VerifyWorld, target: VerifyTarget): Promise<void> {
  const { run } = world;
  await removeFirst(world, target);
  await run(cdk(target, 'destroy', target.deployment.name, '--force'));
  await removeRoles(world, target);
  const prefix = `/aws/lambda/${target.deployment.name}-`;
  const { logGroups } = JSON.parse(await run(aws('logs', 'describe-log-groups', '--log-group-name-prefix', prefix)));
  if (logGroups.length > 0 || (await isStackThere(run, target))) {
    throw new Error(`Stack ${target.deployment.name} or its log groups exist after "cdk destroy"`);
  }
}

/** In their order. The first step changes nothing and refuses everything that the later ones must not change. */
export const verifySteps: readonly VerifyStep[] = [
  {
    title: 'Account, stack name and management cluster',
    proves: 'The credentials are of the given account, and nothing exists that the last step would remove',
    changes: false,
    run: requireOurs,
  },
  {
    title: 'Change set without execution',
    proves: 'CloudFormation accepts the template in this region, with its assets and names',
    changes: true,
    run: prepareChangeSet,
    undo: deleteStack,
  },
  {
    title: 'Deployment',
    proves: 'Each resource can be created with the values of the template',
    changes: true,
    run: deploy,
    async undo(world, target) {
      await removeRoles(world, target);
      await deleteStack(world, target);
    },
  },
  {
    title: 'Policies',
    proves: 'IAM Access Analyzer finds no error and no security warning in the policies of any role',
    changes: false,
    run: requireSoundPolicies,
  },
  {
    title: 'First Cluster',
    proves:
      'Schedule, queues, triggers, roles and access to the API server work: functions reconcile a Cluster and its deletion',
    changes: true,
    run: reconcileFirst,
    undo: removeFirst,
  },
  {
    title: 'Removal',
    proves: '"cdk destroy" removes the stack with its log groups',
    changes: true,
    run: destroy,
  },
];
