// The hooks of Clusters. Their rules read the class, and the progress of the Cluster if its version changes.
import {
  invalid,
  isJsonObject,
  type JsonObject,
  problemsOfSubdomain,
  quote,
  type Reads,
  toDisplayName,
  type Unstructured,
  valid,
} from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import { validateCluster } from '../../shared/admission/cluster.ts';
import { type ClassName, classNameOf } from '../../shared/admission/cluster-change.ts';
import { defaultCluster } from '../../shared/admission/cluster-defaults.ts';
import { invalidStatus } from '../../shared/admission/denial-status.ts';
import type { Progress } from '../../shared/admission/version-change.ts';
import { type Cluster, clusterApiVersion, clusterGroup, readCluster } from '../../shared/api/cluster/reader.ts';
import { readClusterClass } from '../../shared/api/cluster-class/reader.ts';
import { isUsable } from '../../shared/api/cluster-class/usable.ts';
import { readMachine } from '../../shared/api/machine/reader.ts';
import { readReferenced } from '../../shared/external/read-referenced.ts';
import { ReviewReadError } from '../../shared/lambda/review-read-error.ts';
import { readClusterTopology } from '../../shared/topology/model/cluster-topology.ts';
import { ownedLabel } from '../../shared/topology/model/keys.ts';
import type { Decider, DecisionPorts, ReviewedWrite } from './decider.ts';
import { toReadable } from './readable.ts';
import { createLookup, untilKnown } from './until-known.ts';

/** Upstream's limits: a class is read every 200 ms for two seconds, until it exists and was reconciled. */
const pollEveryMs = 200;
const pollForMs = 2_000;

export function createClusterDecider(ports: DecisionPorts): Decider {
  return {
    async defaults({ name, object, old }) {
      const cluster = toReadable(object);
      const { findClass } = lookups(cluster, ports);
      const before = old && toReadable(old);
      const defaulted = await untilKnown(() => defaultCluster({ cluster, old: before, findClass }));
      return defaulted.errors.length > 0
        ? { allowed: false, status: toInvalid(name, defaulted.errors) }
        : { allowed: true, object: withSpecOf(object, defaulted.cluster) };
    },
    async validate({ name, object, old }: ReviewedWrite) {
      const cluster = toReadable(object);
      const change = { old: old && toReadable(old), gates: ports.gates, ...lookups(cluster, ports) };
      const { errors, warnings } = await untilKnown(() => validateCluster(cluster, change));
      return errors.length > 0
        ? { allowed: false, status: toInvalid(name, errors), warnings }
        : { allowed: true, warnings };
    },
  };
}

function toInvalid(name: string, errors: Parameters<typeof invalidStatus>[1]): ReturnType<typeof invalidStatus> {
  return invalidStatus({ group: clusterGroup, kind: 'Cluster', name }, errors);
}

/** Metadata stays as it was written. */
function withSpecOf(object: JsonObject, { spec }: Unstructured): JsonObject {
  return spec === undefined ? object : { ...object, spec };
}

function lookups(cluster: Unstructured, ports: DecisionPorts) {
  const { metadata } = readCluster(cluster);
  const spec = isJsonObject(cluster.spec) ? cluster.spec : {};
  const own = toDisplayName(classNameOf(readClusterTopology(spec['topology']), metadata));
  return {
    findClass: createLookup(toDisplayName, (name: ClassName) =>
      toDisplayName(name) === own ? pollClass(name, ports) : readClass(name, ports),
    ),
    progressOf: createLookup(
      () => '',
      (old: Cluster) => readProgress(old, ports),
    ),
  };
}

async function pollClass(name: ClassName, ports: DecisionPorts): Promise<Unstructured | undefined> {
  const end = ports.now() + pollForMs;
  for (;;) {
    const found = await readClass(name, ports);
    const isReady = found !== undefined && isUsable(readClusterClass(found));
    if (isReady || name.name === '' || ports.now() + pollEveryMs > end) {
      return found;
    }
    await ports.sleep(pollEveryMs);
    if (ports.signal.aborted) {
      return found;
    }
  }
}

/** A default hook receives names that no schema has validated yet. No object has such a name. */
async function readClass(
  { namespace, name }: ClassName,
  { connect }: DecisionPorts,
): Promise<Unstructured | undefined> {
  if ([namespace, name].some(part => problemsOfSubdomain(part).length > 0)) {
    return undefined;
  }
  const answer = await (await connect()).get({ apiVersion: clusterApiVersion, kind: 'ClusterClass', namespace, name });
  if (answer.ok) {
    return answer.value;
  }
  if (answer.missing) {
    return undefined;
  }
  throw new ReviewReadError(
    `ClusterClass ${toDisplayName({ namespace, name })} can not be retrieved: ${answer.failure.message}`,
  );
}

/** Nodes of MachinePools are not read, because admission sends no request to a workload cluster. */
async function readProgress(cluster: Cluster, { connect }: DecisionPorts): Promise<Progress> {
  const ask = await connect();
  const { name } = cluster.metadata;
  const ofCluster = { [clusterNameLabel]: name };
  const ofTopology = { ...ofCluster, [ownedLabel]: '' };
  const [controlPlane, machineDeployments, machines, machinePools] = await Promise.all([
    readControlPlane(cluster, ask),
    listOf('MachineDeployment', { cluster, labels: ofTopology }, ask),
    listOf('Machine', { cluster, labels: ofCluster }, ask),
    listOf('MachinePool', { cluster, labels: ofTopology }, ask),
  ]);
  return { controlPlane, machineDeployments, machines: machines.map(readMachine), machinePools };
}

async function readControlPlane(cluster: Cluster, ask: Reads): Promise<Progress['controlPlane']> {
  const ref = cluster.spec.controlPlaneRef;
  const { namespace } = cluster.metadata;
  const read = await readReferenced({ ref, namespace }, ask);
  const { kind, apiGroup, name } = ref;
  switch (read.state) {
    case 'found':
      return valid(read.object);
    case 'undefined':
      return invalid('cannot get object - object reference not set');
    case 'missing':
      return invalid(
        `failed to retrieve ${kind} ${toDisplayName({ namespace, name })}: ${kind}.${apiGroup} ${quote(name)} not found`,
      );
    case 'unreadable':
      return invalid(read.error);
  }
}

interface Listed {
  readonly cluster: Cluster;
  readonly labels: Readonly<Record<string, string>>;
}

async function listOf(kind: string, { cluster, labels }: Listed, ask: Reads): Promise<readonly Unstructured[]> {
  const { namespace } = cluster.metadata;
  const answer = await ask.list({ apiVersion: clusterApiVersion, kind, namespace, labels });
  if (!answer.ok) {
    throw new ReviewReadError(`failed to list the ${kind}s of the Cluster: ${answer.failure.message}`);
  }
  return answer.value;
}
