// Reads the MachineDeployments and MachinePools of a topology, found by their labels, and what each of them names.
import { type Checked, invalid, mapChecked, valid } from '../../../shared/api/checked.ts';
import { type ContractReference, clusterApiVersion, isDefined } from '../../../shared/api/cluster/reader.ts';
import { section, textOrEmpty } from '../../../shared/api/fields.ts';
import type { Unstructured } from '../../../shared/api/object.ts';
import { clusterNameLabel } from '../../../shared/contract/owner-references.ts';
import { valueAt } from '../../../shared/kernel/merge-diff.ts';
import type { CurrentMachineDeployment, CurrentMachinePool } from '../../../shared/topology/model/current.ts';
import { deploymentNameLabel, ownedLabel, poolNameLabel } from '../../../shared/topology/model/keys.ts';
import type { TemplateRef } from '../../../shared/topology/model/parts.ts';
import type { TopologySource } from './blueprint.ts';
import { allOf, prefixed } from './checks.ts';
import { checkOwned, describe, readHealthCheck, readReferenced } from './current.ts';
import type { PassReads } from './pass-reads.ts';

/** How the two kinds of workers differ. */
interface WorkerKind {
  readonly kind: 'MachineDeployment' | 'MachinePool';
  readonly label: string;
  readonly names: 'template' | 'object';
  /** What the infrastructure reference is called in errors. */
  readonly infrastructure: string;
}

const deployments: WorkerKind = {
  kind: 'MachineDeployment',
  label: deploymentNameLabel,
  names: 'template',
  infrastructure: 'InfrastructureMachineTemplate',
};
const pools: WorkerKind = {
  kind: 'MachinePool',
  label: poolNameLabel,
  names: 'object',
  infrastructure: 'InfrastructureMachinePool',
};

/** Both are absent while the object is being deleted: they may be gone already. */
interface Parts {
  readonly bootstrap?: Unstructured;
  readonly infrastructure?: Unstructured;
  readonly healthCheck?: Unstructured;
}

interface Found {
  readonly object: Unstructured;
  readonly parts: Parts;
}

/** By topology name. Objects without both labels are invisible. */
export async function readMachineDeployments(
  source: TopologySource,
  ask: PassReads,
): Promise<Checked<ReadonlyMap<string, CurrentMachineDeployment>>> {
  const found = await readWorkers(source, deployments, ask);
  return mapChecked(found, each =>
    mapValues(each, ({ object, parts: { bootstrap, infrastructure, healthCheck } }) => ({
      object,
      ...(bootstrap === undefined ? {} : { bootstrapTemplate: bootstrap }),
      ...(infrastructure === undefined ? {} : { infrastructureTemplate: infrastructure }),
      ...(healthCheck === undefined ? {} : { healthCheck }),
    })),
  );
}

/** By topology name. A MachinePool in deletion is treated as a MachineDeployment: what it names may be gone. */
export async function readMachinePools(
  source: TopologySource,
  ask: PassReads,
): Promise<Checked<ReadonlyMap<string, CurrentMachinePool>>> {
  const found = await readWorkers(source, pools, ask);
  return mapChecked(found, each =>
    mapValues(each, ({ object, parts: { bootstrap, infrastructure } }) => ({
      object,
      ...(bootstrap === undefined ? {} : { bootstrapObject: bootstrap }),
      ...(infrastructure === undefined ? {} : { infrastructureObject: infrastructure }),
    })),
  );
}

function mapValues<T, U>(map: ReadonlyMap<string, T>, use: (value: T) => U): ReadonlyMap<string, U> {
  return new Map([...map].map(([key, value]) => [key, use(value)]));
}

async function readWorkers(
  source: TopologySource,
  of: WorkerKind,
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
  const entries = [...named.value];
  const parts = allOf(
    await Promise.all(entries.map(([topologyName, object]) => readParts({ source, of, topologyName, object }, ask))),
  );
  return mapChecked(parts, all => new Map(entries.map(([key, object], at) => [key, { object, parts: all[at] ?? {} }])));
}

function byTopologyName(
  objects: readonly Unstructured[],
  { label }: WorkerKind,
): Checked<ReadonlyMap<string, Unstructured>> {
  const named = new Map<string, Unstructured>();
  for (const object of objects) {
    const name = object.metadata.labels?.[label] ?? '';
    if (name === '') {
      return invalid(`failed to find label ${label} in ${describe(object)}`);
    }
    if (named.has(name)) {
      return invalid(`duplicate ${describe(object)} found for label ${label}: ${name}`);
    }
    named.set(name, object);
  }
  return valid(named);
}

interface Worker {
  readonly source: TopologySource;
  readonly of: WorkerKind;
  readonly topologyName: string;
  readonly object: Unstructured;
}

async function readParts(worker: Worker, ask: PassReads): Promise<Checked<Parts>> {
  const { object, of } = worker;
  const problem = `failed to get MachineHealthCheck for ${describe(object)}`;
  const [referenced, healthCheck] = await Promise.all([
    object.metadata.deletionTimestamp === undefined ? readReferences(worker, ask) : valid({}),
    of.kind === 'MachineDeployment' ? readHealthCheck(object, ask, cause => `${problem}: ${cause}`) : valid(undefined),
  ]);
  if (!referenced.ok) {
    return referenced;
  }
  return mapChecked(healthCheck, check => ({
    ...referenced.value,
    ...(check === undefined ? {} : { healthCheck: check }),
  }));
}

const reference = section({ apiGroup: textOrEmpty, kind: textOrEmpty, name: textOrEmpty });

async function readReferences(worker: Worker, ask: PassReads): Promise<Checked<Parts>> {
  const { source, of, object } = worker;
  const { namespace } = source.cluster.metadata;
  const bootstrapRef = reference.parse(valueAt(object.spec, 'template.spec.bootstrap.configRef'));
  const infrastructureRef = reference.parse(valueAt(object.spec, 'template.spec.infrastructureRef'));
  const lacking = !isDefined(bootstrapRef)
    ? 'Bootstrap Config'
    : !isDefined(infrastructureRef)
      ? of.infrastructure
      : undefined;
  if (lacking !== undefined) {
    return invalid(`${describe(object)} does not have a reference to a ${lacking}`);
  }
  const origins = originsOf(worker);
  if (!origins.ok) {
    return origins;
  }
  const read = async (ref: ContractReference, from: TemplateRef, what: string): Promise<Checked<Unstructured>> => {
    const found = await readReferenced({ ref, from, names: of.names, namespace }, ask);
    const told = prefixed(found, `${describe(object)} ${what} reference could not be retrieved`);
    return checkOwned(told, describe(object));
  };
  const [bootstrap, infrastructure] = await Promise.all([
    read(bootstrapRef, origins.value.bootstrap, 'Bootstrap'),
    read(infrastructureRef, origins.value.infrastructure, 'Infrastructure'),
  ]);
  if (!bootstrap.ok) {
    return bootstrap;
  }
  return mapChecked(infrastructure, value => ({ bootstrap: bootstrap.value, infrastructure: value }));
}

interface Origins {
  readonly bootstrap: TemplateRef;
  readonly infrastructure: TemplateRef;
}

const nowhere: TemplateRef = { apiVersion: '', kind: '', name: '' };

/** Where the topology does not name these workers any more, no class tells their version. */
function originsOf({ source, of, topologyName }: Worker): Checked<Origins> {
  const { topology, classSpec } = source;
  const key = of.kind === 'MachineDeployment' ? 'machineDeployments' : 'machinePools';
  const entry = topology.workers[key].find(({ name }) => name === topologyName);
  if (entry === undefined) {
    return valid({ bootstrap: nowhere, infrastructure: nowhere });
  }
  const found = classSpec.workers[key].find(each => each.class === entry.class);
  return found === undefined
    ? invalid(`failed to find ${of.kind} class ${entry.class} in ClusterClass`)
    : valid({ bootstrap: found.bootstrap.templateRef, infrastructure: found.infrastructure.templateRef });
}
