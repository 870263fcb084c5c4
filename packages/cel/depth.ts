// Computes the depth of JSON without recursion. This protects recursive code from a stack overflow.

/** The limit is larger than the depth of all known schemas and objects. */
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
