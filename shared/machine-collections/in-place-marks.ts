// The marks of an in-place update on a Machine.
import { updateMachine } from '../runtime-hooks/rules/catalog.ts';
import { isPending } from '../runtime-hooks/rules/pending-hooks.ts';
import { updateInProgressAnnotation } from './keys.ts';

/** Returns whether an in-place update of the Machine is requested or has started. */
export function isUpdatingInPlace(annotations: Readonly<Record<string, string>>): boolean {
  return updateInProgressAnnotation in annotations || isPending(annotations, updateMachine);
}
