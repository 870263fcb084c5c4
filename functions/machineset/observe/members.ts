// Reads the Machines of the MachineSet and their objects. The objects are listed before the Machines, so that the Machine of
// each listed object has had the chance to be listed.
import {
  type Answer,
  groupOf,
  matchesLabels,
  type ObjectMeta,
  selectorProblem,
  toDisplayName,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { isDeleting } from '@capi-serverless/reconciler';
import { type ContractReference, clusterApiVersion, isDefined } from '../../../shared/api/cluster/reader.ts';
import { readWholeMachine, type WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';
import { type ContractReads, readInContract } from '../../../shared/external/read-in-contract.ts';
import { controllerUid } from '../../../shared/machine-collections/controller-uid.ts';
import { isOwnedBy } from '../phases/replicas/orphans.ts';
import type { MachineMember, MachinesRead, NameUse, ObjectRead, ObjectsRead, ReservedName } from '../seen.ts';

export interface MembersRead {
  readonly infrastructureMachines: ObjectsRead;
  readonly bootstrapConfigs: ObjectsRead;
  readonly machines: MachinesRead;
}

const unlisted: ObjectsRead = { state: 'undefined' };

/** A MachineSet in deletion needs only its Machines. */
export async function readMembers(machineSet: WholeMachineSet, ask: ContractReads): Promise<MembersRead> {
  const { infrastructureRef, bootstrap } = machineSet.spec.template.spec;
  const [infrastructureMachines, bootstrapConfigs] = isDeleting(machineSet)
    ? [unlisted, unlisted]
    : await Promise.all([
        listObjects(infrastructureRef, machineSet, ask),
        isDefined(bootstrap.configRef) ? listObjects(bootstrap.configRef, machineSet, ask) : unlisted,
      ]);
  const machines = await readMachines(machineSet, { infrastructureMachines, bootstrapConfigs, ask });
  return { infrastructureMachines, bootstrapConfigs, machines };
}

/** Lists the objects that are created from the template in this reference. */
async function listObjects(
  template: ContractReference,
  { metadata: { namespace }, spec: { selector } }: WholeMachineSet,
  ask: ContractReads,
): Promise<ObjectsRead> {
  const { apiGroup } = template;
  const kind = template.kind.replace(/Template$/, '');
  const problem = `failed to list ${kind} objects`;
  const read = await readInContract(
    {
      ref: { apiGroup, kind, name: '' },
      read: ({ version }) =>
        ask.list({ apiVersion: `${apiGroup}/${version}`, kind, namespace, labels: selector.matchLabels }),
    },
    ask,
  );
  if (read === undefined) {
    return { state: 'failed', problem: 'failed to list objects from ref: object reference not set' };
  }
  if (!read.ok) {
    return { state: 'failed', problem: `${problem}: ${read.error}` };
  }
  const { answer } = read.value;
  return answer.ok
    ? {
        state: 'listed',
        objects: answer.value.filter(({ metadata }) => matchesLabels(selector, metadata.labels ?? {})),
      }
    : { state: 'failed', problem: `${problem}: ${answer.failure.message}` };
}

interface Listed extends Omit<MembersRead, 'machines'> {
  readonly ask: ContractReads;
}

async function readMachines(machineSet: WholeMachineSet, listed: Listed): Promise<MachinesRead> {
  const { metadata, spec } = machineSet;
  const problem = selectorProblem(spec.selector);
  if (problem !== undefined) {
    return { state: 'failed', problem: `failed to convert MachineSet "${metadata.name}" label selector: ${problem}` };
  }
  const { namespace } = metadata;
  const labels = spec.selector.matchLabels;
  const answer = await listed.ask.list({ apiVersion: clusterApiVersion, kind: 'Machine', namespace, labels });
  if (!answer.ok) {
    return { state: 'failed', problem: `failed to list machines: ${answer.failure.message}` };
  }
  const selected = answer.value
    .map(readWholeMachine)
    .filter(machine => matchesLabels(spec.selector, machine.metadata.labels));
  const owned = selected.filter(machine => controllerUid(machine.metadata) === metadata.uid);
  return {
    state: 'listed',
    members: await Promise.all(owned.map(machine => readMember(machine, listed))),
    adoptable: isDeleting(machineSet) ? [] : selected.filter(machine => controllerUid(machine.metadata) === undefined),
  };
}

async function readMember(machine: WholeMachine, listed: Listed): Promise<MachineMember> {
  const { infrastructureRef, bootstrap } = machine.spec;
  const [infrastructure, config] = await Promise.all([
    readMemberObject(infrastructureRef, machine, { ...listed, objects: listed.infrastructureMachines }),
    readMemberObject(bootstrap.configRef, machine, { ...listed, objects: listed.bootstrapConfigs }),
  ]);
  return { machine, infrastructure, bootstrap: config };
}

/** The objects of a Machine in deletion are not needed. */
async function readMemberObject(
  ref: ContractReference,
  { metadata: { namespace, deletionTimestamp } }: WholeMachine,
  { objects, ask }: Pick<Listed, 'ask'> & { readonly objects: ObjectsRead },
): Promise<ObjectRead> {
  const { apiGroup, kind, name } = ref;
  const object = (objects.state === 'listed' ? objects.objects : []).find(
    each => each.metadata.name === name && each.kind === kind && groupOf(each.apiVersion) === apiGroup,
  );
  if (object !== undefined) {
    return { state: 'found', object };
  }
  if (deletionTimestamp !== undefined) {
    return { state: 'undefined' };
  }
  const read = await readObject(ref, namespace, ask);
  return read.state === 'failed' ? { state: 'failed', ref, problem: read.problem } : read;
}

type ProviderRead =
  | { readonly state: 'undefined' }
  | { readonly state: 'found'; readonly object: Unstructured }
  /** `isMissing`: the API server knows no such object. `isAsked`: the error is the answer to the read of the object. */
  | { readonly state: 'failed'; readonly isMissing: boolean; readonly isAsked: boolean; readonly problem: string };

/** Reads an object of a provider that a MachineSet, a Machine or a Cluster references. */
export async function readObject(ref: ContractReference, namespace: string, ask: ContractReads): Promise<ProviderRead> {
  const { apiGroup, kind, name } = ref;
  const read = await readInContract(
    { ref, read: ({ version }) => ask.get({ apiVersion: `${apiGroup}/${version}`, kind, namespace, name }) },
    ask,
  );
  if (read === undefined) {
    return { state: 'undefined' };
  }
  if (!read.ok) {
    return { state: 'failed', isMissing: false, isAsked: false, problem: read.error };
  }
  const { answer } = read.value;
  return answer.ok
    ? { state: 'found', object: answer.value }
    : { state: 'failed', isMissing: answer.missing, isAsked: true, problem: answer.failure.message };
}

/** Returns reads that ask for the metadata of each object once. */
export function rememberingMetadata(ask: ContractReads): ContractReads {
  const known = new Map<string, Promise<Answer<ObjectMeta>>>();
  return {
    ...ask,
    metadata(ref) {
      const key = JSON.stringify(ref);
      const answer = known.get(key) ?? ask.metadata(ref);
      known.set(key, answer);
      return answer;
    },
  };
}

/** Reads what exists under the names that an earlier pass reserved. */
export function readReserved(
  names: readonly string[],
  machineSet: WholeMachineSet,
  ask: ContractReads,
): Promise<readonly ReservedName[]> {
  return Promise.all(names.map(name => readName(name, machineSet, ask)));
}

async function readName(name: string, machineSet: WholeMachineSet, ask: ContractReads): Promise<ReservedName> {
  const { infrastructureRef, bootstrap } = machineSet.spec.template.spec;
  const instanceOf = ({ apiGroup, kind }: ContractReference) => ({
    apiGroup,
    kind: kind.replace(/Template$/, ''),
    name: kind === '' ? '' : name,
  });
  const { namespace, uid } = machineSet.metadata;
  const [machine, infrastructure, config] = await Promise.all([
    ask.get({ apiVersion: clusterApiVersion, kind: 'Machine', namespace, name }),
    readObject(instanceOf(infrastructureRef), namespace, ask),
    readObject(instanceOf(bootstrap.configRef), namespace, ask),
  ]);
  return {
    name,
    machine: toUse(machine.ok ? machine.value : undefined, uid),
    infrastructure: toUse(infrastructure.state === 'found' ? infrastructure.object : undefined, uid),
    bootstrap: toUse(config.state === 'found' ? config.object : undefined, uid),
  };
}

/** An object that cannot be read is treated as free. Its creation then reports the error. */
function toUse(object: Unstructured | undefined, uid: string): NameUse {
  if (object === undefined) {
    return { state: 'free' };
  }
  return isOurs(object, uid)
    ? { state: 'ours', object }
    : { state: 'taken', problem: `${object.kind} ${toDisplayName(object.metadata)} already exists` };
}

/** An object in deletion cannot be completed. */
function isOurs(object: Unstructured, uid: string): boolean {
  return isOwnedBy(object, uid) && object.metadata.deletionTimestamp === undefined;
}
