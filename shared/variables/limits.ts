// How large what users write may be, so that a hostile ClusterClass or value ends with a message and never with a stalled handler.

/** Levels of JSON below one variable's schema or value. No stack comes near it, and no schema in use either. */
export const maxDepth = 100;

/** JSON values (objects, lists, and what stands in them) in one list of variables. An API object of 1.5 MiB, the most that etcd takes, has fewer. */
export const maxNodes = 500_000;

/** What is too deep or too much in a JSON value, or undefined. Does not recurse, so that no value can exhaust the stack. */
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
