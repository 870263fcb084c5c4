// Size limits of user input, so that a large ClusterClass or value causes an error and never blocks a handler.

/** Levels of JSON in a variable's schema or value. Far below what exhausts the stack, and above any schema in use. */
export const maxDepth = 100;

/** JSON values in one list of variables. An API object within etcd's limit of 1.5 MiB has fewer. */
export const maxNodes = 500_000;

/** Why a JSON value exceeds the limits, or undefined. Iterative, so that no value can exhaust the stack. */
export function findTooLarge(value: unknown): string | undefined {
  let level: unknown[] = [value];
  let nodes = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    nodes += level.length;
    if (depth > maxDepth) {
      return `must not be nested more than ${maxDepth} levels deep`;
    }
    if (nodes > maxNodes) {
      return `must not hold more than ${maxNodes} values`;
    }
    level = level.flatMap(each => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return undefined;
}
