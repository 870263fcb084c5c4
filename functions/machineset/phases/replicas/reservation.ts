// The reservation of names for new Machines. It is written before the first object of a new Machine is created. Two passes
// at once then create Machines of the same names, so that no Machine is created too many.
import type { Outcomes } from '@capi-serverless/reconciler';
import type { WholeMachineSet } from '../../../../shared/api/machine-set/whole-machine-set.ts';

/** On a MachineSet: the names of the Machines that it creates, separated by commas. */
export const reservedMachinesAnnotation = 'capi-serverless.dev/reserved-machines';

/** On a MachineSet: the number of names that were ever reserved. It stays, so that no name is reserved twice. */
export const lastNumberAnnotation = 'capi-serverless.dev/last-machine-number';

/** The maximum number of Machines that one pass creates. Another pass follows. */
export const mostReserved = 50;

export const reserveId = 'reserve';

/** Returns the names that are reserved. Empty if there is no reservation. */
export function reservedNamesOf({ metadata }: Pick<WholeMachineSet, 'metadata'>): readonly string[] {
  return (metadata.annotations[reservedMachinesAnnotation] ?? '').split(',').filter(name => name !== '');
}

/** Returns the version of the MachineSet after these actions, which write it. */
export function versionAfter(read: string, ids: readonly string[], outcomes: Outcomes): string {
  return ids.reduce((version, id) => {
    const outcome = outcomes.get(id);
    return (outcome?.state === 'done' ? outcome.object?.metadata.resourceVersion : undefined) ?? version;
  }, read);
}
