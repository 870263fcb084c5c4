// Reads the Machines of the MachineSet and their objects. The objects are listed before the Machines, so that the Machine of
// each listed object has had the chance to be listed.

import { groupOf, matchesLabels, type Reads, selectorProblem } from '@capi-serverless/apimachinery';
import { isDeleting } from '@capi-serverless/reconciler';
import { type ContractReference, clusterApiVersion, isDefined } from '../../../shared/api/cluster/reader.ts';
import { readWholeMachine, type WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';
import { readContract } from '../../../shared/external/read-referenced.ts';
import { controllerUid } from '../../../shared/machine-collections/controller-uid.ts';
import type { MachineMember, MachinesRead, ObjectRead, ObjectsRead } from '../seen.ts';
import { readObject } from './read-object.ts';

export interface MembersRead {
  readonly infrastructureMachines: ObjectsRead;
  readonly bootstrapConfigs: ObjectsRead;
  readonly machines: MachinesRead;
}

const unlisted: ObjectsRead = { state: 'undefined' };

/** A MachineSet in deletion needs only its Machines. */
export async function readMembers(machineSet: WholeMachineSet, ask: Reads): Promise<MembersRead> {
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
  ask: Reads,
): Promise<ObjectsRead> {
  const { apiGroup } = template;
  const kind = template.kind.replace(/Template$/, '');
  const problem = `failed to list ${kind} objects`;
  const contract = await readContract({ apiGroup, kind, name: '' }, ask);
  if (contract === undefined) {
    return { state: 'failed', problem: 'failed to list objects from ref: object reference not set' };
  }
  if (!contract.ok) {
    return { state: 'failed', problem: `${problem}: ${contract.error}` };
  }
  const apiVersion = `${apiGroup}/${contract.value.version}`;
  const answer = await ask.list({ apiVersion, kind, namespace, labels: selector.matchLabels });
  return answer.ok
    ? {
        state: 'listed',
        objects: answer.value.filter(({ metadata }) => matchesLabels(selector, metadata.labels ?? {})),
      }
    : { state: 'failed', problem: `${problem}: ${answer.failure.message}` };
}

interface Listed extends Omit<MembersRead, 'machines'> {
  readonly ask: Reads;
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
