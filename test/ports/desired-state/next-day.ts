// The Cluster with all its objects, after a user has changed its topology.
import { type Intent, isJsonObject, type JsonObject, memberOf, toRecord } from '@capi-serverless/apimachinery';
import { createRandom, type Random } from '../../simulation/engine/random.ts';
import type { UpstreamDesiredState } from '../../upstream-manager/webhooks.ts';
import { filledIntent } from './filled-fields.ts';
import type { GeneratedCluster } from './generated-clusters.ts';

const nextVersions = ['v1.31.0', 'v1.31.4', 'v1.32.2', 'v1.33.0'] as const;

/** Returns nothing for a Cluster that was refused. */
export function nextDay(generated: GeneratedCluster, state: UpstreamDesiredState): readonly GeneratedCluster[] {
  const { objects, topology } = state;
  if (objects === undefined || topology === undefined) {
    return [];
  }
  const random = createRandom(`${generated.name}/next`);
  const stored = Object.entries(objects).map(([role, object]) => toStored(role, object, random));
  const { cluster } = generated;
  const refs = {
    infrastructureRef: referenceTo(objects['infrastructureCluster']),
    controlPlaneRef: referenceTo(objects['controlPlane']),
  };
  return [
    {
      ...generated,
      name: `${generated.name}/next`,
      cluster: filledIntent({
        ...cluster,
        spec: { ...toRecord(cluster['spec']), ...refs, topology: changed(topology, random) },
      }),
      others: [...generated.others, ...stored, ...stored.flatMap(object => machinesOf(object, random))],
    },
  ];
}

function referenceTo(object: JsonObject | undefined): JsonObject {
  const { apiVersion, kind, metadata } = toRecord(object);
  return { apiGroup: String(apiVersion).split('/')[0], kind, name: memberOf(metadata, 'name') };
}

/** Objects with the status of their controllers. */
function toStored(role: string, object: JsonObject, random: Random): Intent {
  const metadata = { ...toRecord(object['metadata']), uid: random.uuid(), generation: 1 };
  const { status: _, ...others } = object;
  const spec = toRecord(object['spec']);
  const status =
    role === 'controlPlane'
      ? controlPlaneStatus(spec, random)
      : object['kind'] === 'MachineDeployment' || object['kind'] === 'MachinePool'
        ? workerStatus(spec, random)
        : undefined;
  const stored = { ...others, metadata, ...(status === undefined ? {} : { status }) };
  return stored as unknown as Intent; // True: a desired object has a kind and a name.
}

/** Mostly settled, sometimes on its way to another version. */
function controlPlaneStatus({ version, replicas = 1 }: JsonObject, { chance, pick }: Random): JsonObject {
  const isSettled = chance(0.8);
  const counts = isSettled ? replicas : pick([0, 1]);
  return {
    version: isSettled ? version : pick(['v1.30.0', version]),
    ...{
      replicas,
      readyReplicas: counts,
      availableReplicas: counts,
      upToDateReplicas: counts,
      updatedReplicas: counts,
    },
    unavailableReplicas: isSettled ? 0 : 1,
  };
}

function workerStatus({ replicas = 1 }: JsonObject, { chance }: Random): JsonObject {
  const counts = chance(0.8) ? replicas : 0;
  return {
    observedGeneration: 1,
    replicas,
    readyReplicas: counts,
    availableReplicas: counts,
    upToDateReplicas: counts,
  };
}

/** Some MachineDeployments still have a Machine of an older version. */
function machinesOf({ kind, metadata, spec }: Intent, random: Random): readonly Intent[] {
  const { template, clusterName } = toRecord(spec);
  if (kind !== 'MachineDeployment' || !random.chance(0.5)) {
    return [];
  }
  const { version, ...machine } = toRecord(memberOf(template, 'spec'));
  return [
    {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Machine',
      metadata: {
        name: `${metadata.name}-m`,
        namespace: String(metadata.namespace),
        uid: random.uuid(),
        labels: toRecord(memberOf(memberOf(template, 'metadata'), 'labels')) as Record<string, string>, // True: labels are texts.
      },
      spec: { ...machine, clusterName, version: random.chance(0.2) ? 'v1.29.0' : version },
    },
  ];
}

function changed(topology: JsonObject, random: Random): JsonObject {
  const { chance, pick } = random;
  const { workers, controlPlane } = topology;
  return {
    ...topology,
    ...(chance(0.6) ? { version: pick(nextVersions) } : {}),
    controlPlane: { ...toRecord(controlPlane), ...(chance(0.3) ? { replicas: pick([1, 3]) } : {}) },
    workers: Object.fromEntries(
      Object.entries(toRecord(workers)).map(([kind, list]) => [kind, changedWorkers(list, random)]),
    ),
  };
}

/** Removes, repeats under another name, defers and scales workers. */
function changedWorkers(list: unknown, { chance, below }: Random): readonly JsonObject[] {
  const workers = Array.isArray(list) ? list.filter(isJsonObject) : [];
  const kept: readonly JsonObject[] = workers.filter(() => chance(0.85));
  const added: readonly JsonObject[] = workers
    .filter(() => chance(0.2))
    .map(each => ({ ...each, name: `${each['name']}-n`.slice(-20) }));
  return [...kept, ...added].map(each => {
    const metadata = toRecord(each['metadata']);
    const annotations = { ...toRecord(metadata['annotations']), 'topology.cluster.x-k8s.io/defer-upgrade': '' };
    return {
      ...each,
      ...(chance(0.3) ? { replicas: below(5) } : {}),
      ...(chance(0.1) ? { metadata: { ...metadata, annotations } } : {}),
    };
  });
}
