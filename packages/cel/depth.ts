// The depth of JSON, computed without recursion. It protects recursive code from a stack overflow.

/** More levels than any known schema or object has. */
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
