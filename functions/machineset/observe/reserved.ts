// Reads what exists under the names that an earlier pass reserved.
import { type Reads, toDisplayName, type Unstructured } from '@capi-serverless/apimachinery';
import { type ContractReference, clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import type { WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';
import { isOwnedBy } from '../phases/replicas/orphans.ts';
import type { NameUse, ReservedName } from '../seen.ts';
import { readObject } from './read-object.ts';

export function readReserved(
  names: readonly string[],
  machineSet: WholeMachineSet,
  ask: Reads,
): Promise<readonly ReservedName[]> {
  return Promise.all(names.map(name => readName(name, machineSet, ask)));
}

async function readName(name: string, machineSet: WholeMachineSet, ask: Reads): Promise<ReservedName> {
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
