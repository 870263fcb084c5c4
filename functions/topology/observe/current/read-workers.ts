// Reads the MachineDeployments and MachinePools of a topology by label, with the objects that they reference.

import {
  all,
  allInOrder,
  type Checked,
  invalid,
  mapChecked,
  prefixed,
  type Unstructured,
  valid,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import { clusterApiVersion } from '../../../../shared/api/cluster/reader.ts';
import { ownedLabel } from '../../../../shared/topology/model/keys.ts';
import { nameObject } from '../../plan/change-texts.ts';
import type { TopologySource } from '../../plan/class-templates.ts';
import type { CurrentMachineDeployment, CurrentMachinePool } from '../../plan/current/current-topology.ts';
import { checkOwned } from '../../plan/current/stored-reference.ts';
import {
  byTopologyName,
  machineDeployments,
  machinePools,
  toWorkerReferences,
  type WorkerReference,
  type WorkerTraits,
} from '../../plan/current/worker-references.ts';
import type { PassReads } from '../pass-reads.ts';
import { readHealthCheck, readReferenced } from './read-referenced.ts';

/**
 * Both references are absent while the object is being deleted, because the referenced objects may already be deleted.
 */
interface Parts {
  readonly bootstrap?: Unstructured;
  readonly infrastructure?: Unstructured;
  readonly healthCheck?: Unstructured;
}

interface Found {
  readonly object: Unstructured;
  readonly parts: Parts;
}

/** Keys are topology names. Objects without both labels are ignored. */
export async function readMachineDeployments(
  source: TopologySource,
  ask: PassReads,
): Promise<Checked<ReadonlyMap<string, CurrentMachineDeployment>>> {
  const found = await readWorkers(source, machineDeployments, ask);
  return mapChecked(found, each =>
    mapValues(each, ({ object, parts: { bootstrap, infrastructure, healthCheck } }) => ({
      object,
      ...withoutUndefined({ bootstrapTemplate: bootstrap, infrastructureTemplate: infrastructure, healthCheck }),
    })),
  );
}

/** Keys are topology names. */
export async function readMachinePools(
  source: TopologySource,
  ask: PassReads,
): Promise<Checked<ReadonlyMap<string, CurrentMachinePool>>> {
  const found = await readWorkers(source, machinePools, ask);
  return mapChecked(found, each =>
    mapValues(each, ({ object, parts: { bootstrap, infrastructure } }) => ({
      object,
      ...withoutUndefined({ bootstrapObject: bootstrap, infrastructureObject: infrastructure }),
    })),
  );
}

function mapValues<T, U>(map: ReadonlyMap<string, T>, use: (value: T) => U): ReadonlyMap<string, U> {
  return new Map([...map].map(([key, value]) => [key, use(value)]));
}

async function readWorkers(
  source: TopologySource,
  of: WorkerTraits,
  ask: PassReads,
): Promise<Checked<ReadonlyMap<string, Found>>> {
  const { namespace, name } = source.cluster.metadata;
  const labels = { [clusterNameLabel]: name, [ownedLabel]: '' };
  const answer = await ask.list({ apiVersion: clusterApiVersion, kind: of.kind, namespace, labels });
  if (!answer.ok) {
    return invalid(`failed to read ${of.kind}s for managed topology: ${answer.failure.message}`);
  }
  const named = byTopologyName(answer.value, of);
  if (!named.ok) {
    return named;
  }
  const found = await Promise.all(
    [...named.value].map(async ([topologyName, object]) => {
      const parts = await readParts({ source, of, topologyName, object }, ask);
      return mapChecked(parts, value => [topologyName, { object, parts: value }] as const);
    }),
  );
  return mapChecked(allInOrder(found), entries => new Map(entries));
}

interface Worker {
  readonly source: TopologySource;
  readonly of: WorkerTraits;
  readonly topologyName: string;
  readonly object: Unstructured;
}

async function readParts(worker: Worker, ask: PassReads): Promise<Checked<Parts>> {
  const { object, of } = worker;
  const problem = `failed to get MachineHealthCheck for ${nameObject(object)}`;
  const [referenced, healthCheck] = await Promise.all([
    object.metadata.deletionTimestamp === undefined ? readReferences(worker, ask) : valid({}),
    of.kind === 'MachineDeployment' ? readHealthCheck(object, ask, cause => `${problem}: ${cause}`) : valid(undefined),
  ]);
  return mapChecked(all({ referenced, healthCheck }), ({ referenced: parts, healthCheck: check }) => ({
    ...parts,
    ...withoutUndefined({ healthCheck: check }),
  }));
}

async function readReferences(worker: Worker, ask: PassReads): Promise<Checked<Parts>> {
  const { source, of, object } = worker;
  const references = toWorkerReferences(source, of, worker);
  if (!references.ok) {
    return references;
  }
  const { namespace } = source.cluster.metadata;
  const read = async (reference: WorkerReference, what: string): Promise<Checked<Unstructured>> => {
    const found = await readReferenced({ ...reference, names: of.names, namespace }, ask);
    const problem = `${nameObject(object)} ${what} reference could not be retrieved`;
    return checkOwned(prefixed(found, problem), nameObject(object));
  };
  const [bootstrap, infrastructure] = await Promise.all([
    read(references.value.bootstrap, 'Bootstrap'),
    read(references.value.infrastructure, 'Infrastructure'),
  ]);
  return all({ bootstrap, infrastructure });
}
