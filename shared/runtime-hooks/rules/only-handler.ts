// Hooks of updates in place have one handler at most.
import { type Checked, invalid, valid } from '../../api/checked.ts';

/** The name of the one handler, or `undefined` when there is none. `names`: as `registered` tells them. */
export function theOnlyHandler(hook: { readonly name: string }, names: readonly string[]): Checked<string | undefined> {
  return names.length > 1
    ? invalid(`found multiple ${hook.name} hooks (${names.join(',')}): only one hook is supported`)
    : valid(names[0]);
}
