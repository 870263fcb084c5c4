// How deep JSON nests, found without recursion: what passes cannot overflow the stack of those who recurse.

/** More levels than any schema or object in use has. */
export const deepestJson = 500;

export function nestsTooDeep(json: unknown): boolean {
  let level: readonly unknown[] = [json];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepestJson) {
      return true;
    }
    level = level.flatMap(each => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return false;
}
