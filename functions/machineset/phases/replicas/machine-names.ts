// The names of new Machines. The MachineSet numbers its Machines, and each number has one name. So a repeated pass computes
// the same names, and no name is used twice.
import { type Checked, invalid, mapChecked, prefixed, valid } from '@capi-serverless/apimachinery';
import type { Outcomes } from '@capi-serverless/reconciler';
import type { WholeMachineSet } from '../../../../shared/api/machine-set/whole-machine-set.ts';
import { fitName } from '../../../../shared/names/name-length.ts';
import { renderName } from '../../../../shared/names/naming-template.ts';
import { type Digest, randomnessOf } from '../../../../shared/names/random-characters.ts';

interface NewNames {
  readonly machineSet: WholeMachineSet;
  readonly count: number;
  /** The names of the Machines that exist. */
  readonly taken: ReadonlySet<string>;
  readonly digest: Digest;
}

const defaultTemplate = '{{ .machineSet.name }}-{{ .random }}';
const randomVariable = '{{ .random }}';

/** The number of candidates for each name. Two of them are equal only by chance. */
const candidatesPerName = 4;

interface NumberedNames {
  readonly names: readonly string[];
  /** The number of the last name. */
  readonly last: number;
}

/** Returns at most as many different names as one pass reserves. */
export function newMachineNames({ machineSet, count, taken, digest }: NewNames): Checked<NumberedNames> {
  const { metadata, spec } = machineSet;
  const template = spec.machineNaming.template === '' ? defaultTemplate : spec.machineNaming.template;
  if (!template.includes(randomVariable)) {
    return invalid(`cannot generate Machine name: ${randomVariable} is missing in machineNaming.template`);
  }
  const wanted = Math.min(count, mostReserved);
  const first = lastNumberOf(machineSet) + 1;
  const names = new Set<string>();
  let last = first - 1;
  while (last < first + wanted * candidatesPerName && names.size < wanted) {
    last += 1;
    const { random, ending } = randomnessOf([metadata.uid], last, digest);
    const data = { cluster: { name: spec.clusterName }, machineSet: { name: metadata.name }, random };
    const name = mapChecked(prefixed(renderName(template, data), 'failed to generate Machine name'), rendered =>
      fitName(rendered, ending),
    );
    if (!name.ok) {
      return name;
    }
    if (!taken.has(name.value)) {
      names.add(name.value);
    }
  }
  return valid({ names: [...names], last });
}

/** A value that is no number counts as 0. */
function lastNumberOf({ metadata }: WholeMachineSet): number {
  const number = Number(metadata.annotations[lastNumberAnnotation]);
  return Number.isSafeInteger(number) ? number : 0;
}

/**
 * On a MachineSet: the names of the Machines that it creates, separated by commas. They are reserved before the first
 * object of a new Machine is created. Two passes at once then create Machines of the same names, so none is created too
 * many.
 */
export const reservedMachinesAnnotation = 'capi-serverless.dev/reserved-machines';

/** On a MachineSet: the number of names that were ever reserved. It stays, so that no name is reserved twice. */
export const lastNumberAnnotation = 'capi-serverless.dev/last-machine-number';

/** The maximum number of Machines that one pass creates. Another pass follows. */
const mostReserved = 50;

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
