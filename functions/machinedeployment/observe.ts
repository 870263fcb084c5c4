// Reads the objects for one pass over a MachineDeployment: its Cluster and templates, its MachineSets, then its Machines.
import type { Unstructured } from '@capi-serverless/apimachinery';
import { isTrue } from '@capi-serverless/cluster-api/conditions';
import {
  answerQuestions,
  blocked,
  type EarlyEnd,
  isDeleting,
  lacksFinalizer,
  type Pass,
  type Stop,
} from '@capi-serverless/reconciler';
import { type ContractReference, isDefined } from '../../shared/api/cluster/reader.ts';
import {
  readWholeMachineDeployment,
  type WholeMachineDeployment,
} from '../../shared/api/machine-deployment/whole-machine-deployment.ts';
import type { ContractReads } from '../../shared/external/read-in-contract.ts';
import { readOwningCluster } from '../../shared/external/read-owning-cluster.ts';
import { readReferenced } from '../../shared/external/read-referenced.ts';
import type { Digest } from '../../shared/names/random-characters.ts';
import type { HooksPort } from '../../shared/runtime-hooks/port.ts';
import { inPlaceAnswers } from './observe/can-update-set.ts';
import { readMachines, readSets } from './observe/sets.ts';
import { withDefaults } from './phases/defaults.ts';
import { deploymentFinalizer, gateOf } from './phases/gate.ts';
import { askToMove } from './plan/in-place/questions.ts';
import type { DeploymentSettings, DeploymentTemplate, ObservedDeployment } from './seen.ts';

interface Observing {
  readonly pass: Pass;
  readonly settings: DeploymentSettings;
  readonly digest: Digest;
}

/** Stops if the Paused condition of the deployment is True and up to date. Each pass reads only the required objects. */
export async function observe(
  primary: Unstructured,
  ask: ContractReads & HooksPort,
  { pass, settings, digest }: Observing,
): Promise<ObservedDeployment | EarlyEnd | Stop> {
  const deployment = readWholeMachineDeployment(withDefaults(primary));
  const isLikelyPaused = isTrue(deployment.status.conditions, 'Paused');
  // A deployment that needs one write, or that is paused, needs no other object than its Cluster.
  const isOneWrite = lacksFinalizer(primary, deploymentFinalizer) || isLikelyPaused;
  const objects = isOneWrite ? undefined : readObjects(deployment, ask);
  const cluster = await readOwningCluster(deployment, ask);
  const early = cluster.ok ? gateOf(deployment, cluster.value) : blocked(cluster.error);
  if (early !== undefined || !cluster.ok) {
    await objects;
    return early as EarlyEnd | Stop; // true: an error is an early end
  }
  const read = await (objects ?? readObjects(deployment, ask));
  if ('error' in read) {
    return blocked(read.error);
  }
  const { now } = pass;
  const seen = { ...read, cluster: cluster.value, inPlace: new Map(), settings, now };
  return { ...seen, inPlace: await answerQuestions(askToMove(seen, digest), inPlaceAnswers(ask, pass)) };
}

type ObjectsRead =
  | Pick<ObservedDeployment, 'deployment' | 'infrastructure' | 'bootstrap' | 'sets' | 'machines'>
  | { readonly error: string };

async function readObjects(deployment: WholeMachineDeployment, ask: ContractReads): Promise<ObjectsRead> {
  const [infrastructure, bootstrap, { sets, machines }] = await Promise.all([
    readUnlessDeleting(deployment, deployment.spec.template.spec.infrastructureRef, ask),
    readUnlessDeleting(deployment, deployment.spec.template.spec.bootstrap.configRef, ask),
    readMembers(deployment, ask),
  ]);
  return machines.ok
    ? { deployment, infrastructure, bootstrap, sets, machines: machines.value }
    : { error: `failed to list Machines: ${machines.failure.message}` };
}

async function readUnlessDeleting(
  deployment: WholeMachineDeployment,
  ref: Parameters<typeof readTemplate>[0],
  ask: ContractReads,
): Promise<DeploymentTemplate> {
  return isDeleting(deployment) ? { state: 'unread', ref } : readTemplate(ref, deployment.metadata.namespace, ask);
}

async function readMembers(deployment: WholeMachineDeployment, ask: ContractReads) {
  const sets = await readSets(deployment, ask);
  return { sets, machines: await readMachines(deployment, ask) };
}

/** An object that is no template is not read. It counts as existing. */
async function readTemplate(
  ref: ContractReference,
  namespace: string,
  ask: ContractReads,
): Promise<DeploymentTemplate> {
  if (!isDefined(ref)) {
    return { state: 'undefined' };
  }
  if (!ref.kind.endsWith('Template')) {
    return { state: 'unread', ref };
  }
  const read = await readReferenced({ ref, namespace }, ask);
  switch (read.state) {
    case 'undefined':
      return read;
    case 'missing':
      return { state: 'missing', ref };
    case 'unreadable':
      return { state: 'failed', ref, problem: read.error };
    case 'found':
      return { state: 'found', ref, object: read.object };
  }
}
