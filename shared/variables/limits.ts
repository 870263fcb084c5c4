// Size limits of user input, so that a large ClusterClass or value causes an error and does not block a handler.

/**
 * The maximum depth of JSON in a variable's schema or value. It is too small for a stack overflow and larger than all
 * known schemas.
 */
export const maxDepth = 100;

/**
 * The maximum number of JSON values in one list of variables. An API object within etcd's limit of 1.5 MiB has fewer
 * values.
 */
export const maxNodes = 500_000;

/**
 * Returns the reason why a JSON value exceeds the limits, or undefined. It is iterative, so that no value causes a
 * stack overflow.
 */
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
