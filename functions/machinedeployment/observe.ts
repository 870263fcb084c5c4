// Reads the objects for one pass over a MachineDeployment: its Cluster and templates, its MachineSets, then its Machines.
import { type Reads, toDisplayName, type Unstructured } from '@capi-serverless/apimachinery';
import { isTrue } from '@capi-serverless/cluster-api/conditions';
import type { Pass, Stop } from '@capi-serverless/reconciler';
import { type Cluster, clusterApiVersion, readCluster } from '../../shared/api/cluster/reader.ts';
import {
  readWholeMachineDeployment,
  type WholeMachineDeployment,
} from '../../shared/api/machine-deployment/whole-machine-deployment.ts';
import type { Digest } from '../../shared/names/random-characters.ts';
import type { HooksPort } from '../../shared/runtime-hooks/port.ts';
import { inPlaceQuestions } from './observe/can-update-set.ts';
import { readMachines, readSets } from './observe/sets.ts';
import { readTemplate } from './observe/templates.ts';
import { withDefaults } from './phases/defaults.ts';
import { gateOf, isDeleting, needsFinalizer } from './phases/deployment-gate.ts';
import { moveQuestions } from './plan/in-place/questions.ts';
import type { DeploymentEarlyEnd, DeploymentSettings, DeploymentTemplate, ObservedDeployment } from './seen.ts';

interface Observing {
  readonly pass: Pass;
  readonly settings: DeploymentSettings;
  readonly digest: Digest;
}

/** Stops if the Paused condition of the deployment is True and up to date. Each pass reads only the required objects. */
export async function observe(
  primary: Unstructured,
  ask: Reads & HooksPort,
  { pass, settings, digest }: Observing,
): Promise<DeploymentEarlyEnd | ObservedDeployment | Stop> {
  const deployment = readWholeMachineDeployment(withDefaults(primary));
  const isLikelyPaused = isTrue(deployment.status.conditions, 'Paused');
  // A deployment that needs one write, or that is paused, needs no other object than its Cluster.
  const objects = needsFinalizer(deployment) || isLikelyPaused ? undefined : readObjects(deployment, ask);
  const cluster = await readClusterOf(deployment, ask);
  const early = 'error' in cluster ? blocked(cluster.error) : earlyEnd(deployment, cluster.found);
  if (early !== undefined || 'error' in cluster) {
    await objects;
    return early as DeploymentEarlyEnd | Stop; // true: an error is an early end
  }
  const read = await (objects ?? readObjects(deployment, ask));
  if ('error' in read) {
    return blocked(read.error);
  }
  const { now } = pass;
  const seen = { step: 'phases', ...read, cluster: cluster.found, inPlace: new Map(), settings, now } as const;
  return { ...seen, inPlace: await askToMove(seen, ask, { pass, digest }) };
}

async function askToMove(
  seen: ObservedDeployment,
  ask: Reads & HooksPort,
  { pass, digest }: Pick<Observing, 'pass' | 'digest'>,
): Promise<ObservedDeployment['inPlace']> {
  const questions = moveQuestions(seen, digest);
  if (questions.length === 0) {
    return new Map();
  }
  const extension = inPlaceQuestions(ask, pass);
  const answers = questions.map(async ({ name, ...question }) => [name, await extension.ask(question)] as const);
  return new Map(await Promise.all(answers));
}

function blocked(error: string): DeploymentEarlyEnd {
  return { step: 'blocked', error };
}

function earlyEnd(
  deployment: WholeMachineDeployment,
  cluster: Cluster | undefined,
): DeploymentEarlyEnd | Stop | undefined {
  if (needsFinalizer(deployment)) {
    return { step: 'finalizer', deployment };
  }
  switch (gateOf(deployment, cluster)) {
    case 'write':
      return { step: 'pausedCondition', deployment, isClusterPaused: cluster?.spec.paused === true };
    case 'paused':
      return { stop: 'paused' };
    case 'open':
      return undefined;
  }
}

type ClusterRead = { readonly found: Cluster | undefined } | { readonly error: string };

/** A deployment in deletion whose Cluster is gone can still be deleted. */
async function readClusterOf(deployment: WholeMachineDeployment, ask: Reads): Promise<ClusterRead> {
  const { namespace } = deployment.metadata;
  const name = deployment.spec.clusterName;
  const answer = await ask.get({ apiVersion: clusterApiVersion, kind: 'Cluster', namespace, name });
  if (answer.ok) {
    return { found: readCluster(answer.value) };
  }
  return answer.missing && isDeleting(deployment)
    ? { found: undefined }
    : { error: `failed to get Cluster ${toDisplayName({ namespace, name })}: ${answer.failure.message}` };
}

type ObjectsRead =
  | Pick<ObservedDeployment, 'deployment' | 'infrastructure' | 'bootstrap' | 'sets' | 'machines'>
  | { readonly error: string };

async function readObjects(deployment: WholeMachineDeployment, ask: Reads): Promise<ObjectsRead> {
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
  ask: Reads,
): Promise<DeploymentTemplate> {
  return isDeleting(deployment) ? { state: 'unread', ref } : readTemplate(ref, deployment.metadata.namespace, ask);
}

async function readMembers(deployment: WholeMachineDeployment, ask: Reads) {
  const sets = await readSets(deployment, ask);
  return { sets, machines: await readMachines(deployment, ask) };
}
