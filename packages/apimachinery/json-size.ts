// The size of JSON values, for limits that grow with it.

/** The characters of a number, a boolean or null, about. */
const plainCharacters = 4;
/** Quotes, a colon and a comma of a member. */
const signsOfMember = 4;

/**
 * Returns about the number of characters of the value as JSON, never much more. It makes no text, and it does not
 * recurse, because a value may have any depth.
 */
export function jsonSize(value: unknown): number {
  let size = 0;
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === 'string') {
      size += next.length;
    } else if (Array.isArray(next)) {
      size += next.length;
      for (const item of next) {
        rest.push(item);
      }
    } else if (typeof next === 'object' && next !== null) {
      for (const [name, member] of Object.entries(next)) {
        size += name.length + signsOfMember;
        rest.push(member);
      }
    } else {
      size += next === undefined ? 0 : plainCharacters;
    }
  }
  return size;
}
