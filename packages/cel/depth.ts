// Computes the depth of JSON without recursion. This protects recursive code from a stack overflow.

/** The limit is larger than the depth of all known schemas and objects. */
export const deepestJson = 500;

/** `count` receives the number of values of each level. */
export function nestsTooDeep(json: unknown, count?: (values: number) => void): boolean {
  let level: readonly unknown[] = [json];
  for (let depth = 0; level.length > 0; depth += 1) {
    count?.(level.length);
    if (depth > deepestJson) {
      return true;
    }
    level = level.flatMap(each => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return false;
}
