// Matches field selectors of lists against objects.
import { memberOf } from './json.ts';

/** Returns whether the fields at these dotted paths have these texts. An absent field equals "". */
export function matchesFields(object: unknown, fields: Readonly<Record<string, string>>): boolean {
  return Object.entries(fields).every(([path, wanted]) => {
    const value = path.split('.').reduce<unknown>((parent, member) => memberOf(parent, member), object);
    return String(value ?? '') === wanted;
  });
}
