// Reads the objects for one pass over a MachineSet: its Cluster, its MachineDeployment and its templates, then its Machines.
// What the Machines need determines the rest: the control plane, the target of a move, and the reserved names.
import { toDisplayName, type Unstructured } from '@capi-serverless/apimachinery';
import { isTrue } from '@capi-serverless/cluster-api/conditions';
import { blocked, type EarlyEnd, isDeleting, lacksFinalizer, type Pass, type Stop } from '@capi-serverless/reconciler';
import { type ContractReference, clusterApiVersion, isDefined } from '../../shared/api/cluster/reader.ts';
import { deploymentNameLabel } from '../../shared/api/machine-deployment/reader.ts';
import {
  readWholeMachineDeployment,
  type WholeMachineDeployment,
} from '../../shared/api/machine-deployment/whole-machine-deployment.ts';
import { readWholeMachineSet, type WholeMachineSet } from '../../shared/api/machine-set/whole-machine-set.ts';
import type { ContractReads } from '../../shared/external/read-in-contract.ts';
import { readOwningCluster } from '../../shared/external/read-owning-cluster.ts';
import { checkPreflight } from '../../shared/machine-collections/preflight-checks.ts';
import {
  type Preflight,
  type PreflightFacts,
  preflightProblem,
  preflightScope,
} from '../../shared/machine-collections/preflight-scope.ts';
import { readMembers, readObject, readReserved, rememberingMetadata } from './observe/members.ts';
import { chooseWork } from './phases/choose-work.ts';
import { gateOf, setFinalizer } from './phases/gate.ts';
import { withOwnMetadata } from './phases/own-metadata.ts';
import { remediates } from './phases/remediation/remediation.ts';
import type {
  MachineSetSettings,
  MachineSetWork,
  ObservedMachineSet,
  TargetRead,
  TemplateRead,
  UnknownMachineSet,
} from './seen.ts';

interface Observing {
  readonly pass: Pick<Pass, 'now'>;
  readonly settings: MachineSetSettings;
}

/** Stops if the Paused condition is True and up to date. Each pass reads only the required objects. */
export async function observe(
  primary: Unstructured,
  reads: ContractReads,
  { pass: { now }, settings }: Observing,
): Promise<UnknownMachineSet | ObservedMachineSet | EarlyEnd | Stop> {
  const ask = rememberingMetadata(reads);
  const machineSet = readWholeMachineSet(primary);
  const isLikelyPaused = isTrue(machineSet.status.conditions, 'Paused');
  // A MachineSet that needs one write, or that is paused, needs no other object than its Cluster.
  const objects = lacksFinalizer(primary, setFinalizer) || isLikelyPaused ? undefined : readObjects(primary, ask);
  const cluster = await readOwningCluster(machineSet, ask);
  const early = cluster.ok ? gateOf(machineSet, cluster.value) : blocked(cluster.error);
  if (early !== undefined || !cluster.ok) {
    await objects;
    return early as EarlyEnd | Stop; // true: an error is an early end
  }
  const { deployment, ...read } = await (objects ?? readObjects(primary, ask));
  if ('error' in deployment) {
    return { step: 'noDeployment', machineSet, error: deployment.error };
  }
  const seen = {
    ...({ step: 'phases', stored: primary, ...read, cluster: cluster.value, deployment: deployment.found } as const),
    machineSet: withOwnMetadata(primary, cluster.value),
    settings,
    now,
  };
  const work = chooseWork(seen);
  return { ...seen, work, ...(await readForWork(seen, work, ask)) };
}

/** The label of the Cluster, which the selector contains, does not depend on the Cluster that is read. */
async function readObjects(primary: Unstructured, ask: ContractReads) {
  const machineSet = withOwnMetadata(primary, undefined);
  const { namespace } = machineSet.metadata;
  const { infrastructureRef, bootstrap } = machineSet.spec.template.spec;
  const [deployment, infrastructure, config, members] = await Promise.all([
    readDeployment(machineSet, ask),
    readTemplate(infrastructureRef, namespace, ask),
    readTemplate(bootstrap.configRef, namespace, ask),
    readMembers(machineSet, ask),
  ]);
  return { deployment, infrastructure, bootstrap: config, ...members };
}

type DeploymentRead = { readonly found: WholeMachineDeployment | undefined } | { readonly error: string };

/** A MachineSet in deletion whose MachineDeployment is gone can still be deleted. */
async function readDeployment(machineSet: WholeMachineSet, ask: ContractReads): Promise<DeploymentRead> {
  const { namespace, labels } = machineSet.metadata;
  const name = labels[deploymentNameLabel];
  if (name === undefined) {
    return { found: undefined };
  }
  const place = toDisplayName(machineSet.metadata);
  if (name === '') {
    return { error: `no owner MachineDeployment found for MachineSet ${place}` };
  }
  const answer = await ask.get({ apiVersion: clusterApiVersion, kind: 'MachineDeployment', namespace, name });
  if (answer.ok) {
    return { found: readWholeMachineDeployment(answer.value) };
  }
  return answer.missing && isDeleting(machineSet)
    ? { found: undefined }
    : { error: `failed to retrieve owner MachineDeployment for MachineSet ${place}: ${answer.failure.message}` };
}

type ForWork = Pick<ObservedMachineSet, 'preflight' | 'target' | 'reserved'>;

async function readForWork(
  seen: Omit<ObservedMachineSet, 'work' | keyof ForWork>,
  work: MachineSetWork | undefined,
  ask: ContractReads,
): Promise<ForWork> {
  if (work === undefined) {
    return { preflight: undefined, target: undefined, reserved: [] };
  }
  const scale = work.scale.ok ? work.scale.value : undefined;
  const [preflight, target, reserved] = await Promise.all([
    scale?.do === 'create' || remediates(work.remediation) ? readPreflight(seen, ask) : undefined,
    scale?.do === 'move' ? readTarget(scale.target, seen.machineSet, ask) : undefined,
    readReserved(work.reservedNames, seen.machineSet, ask),
  ]);
  return { preflight, target, reserved };
}

async function readTarget(
  name: string,
  { metadata: { namespace } }: WholeMachineSet,
  ask: ContractReads,
): Promise<TargetRead> {
  const answer = await ask.get({ apiVersion: clusterApiVersion, kind: 'MachineSet', namespace, name });
  return answer.ok
    ? { state: 'found', target: readWholeMachineSet(answer.value) }
    : { state: 'failed', problem: answer.failure.message };
}

/** Reads the control plane only if a check needs it. */
async function readPreflight(facts: PreflightFacts, ask: ContractReads): Promise<Preflight> {
  const scope = preflightScope(facts);
  if (scope.state !== 'open') {
    return scope;
  }
  const { namespace } = facts.machineSet.metadata;
  const { name } = scope.controlPlaneRef;
  const read = await readObject(scope.controlPlaneRef, namespace, ask);
  if (read.state === 'found') {
    return checkPreflight(scope, facts, read.object);
  }
  const why = read.state === 'failed' ? read.problem : 'object reference not set';
  const problem = `failed to get ControlPlane ${toDisplayName({ namespace, name })}: ${why}`;
  return { state: 'error', problem: `${preflightProblem}: ${problem}` };
}

/** An object that is no template is not read. */
async function readTemplate(ref: ContractReference, namespace: string, ask: ContractReads): Promise<TemplateRead> {
  if (isDefined(ref) && !ref.kind.endsWith('Template')) {
    return { state: 'noTemplate', ref };
  }
  const read = await readObject(ref, namespace, ask);
  switch (read.state) {
    case 'undefined':
      return read;
    case 'found':
      return { state: 'found', ref, object: read.object };
    case 'failed': {
      const place = `${ref.kind} ${toDisplayName({ namespace, name: ref.name })}`;
      const problem = read.isAsked ? `failed to retrieve ${place}: ${read.problem}` : read.problem;
      return { state: read.isMissing ? 'missing' : 'failed', ref, problem };
    }
  }
}
