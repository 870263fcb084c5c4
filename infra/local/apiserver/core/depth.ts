// A limit on how deeply JSON may be nested, so that nothing that walks objects can run out of stack.
import { badRequest } from './status.ts';

/** Far above any schema in use, far below what a recursive walk endures. */
const maxDepth = 500;

/** Throws BadRequest when the value is nested too deeply. Does not recurse itself. */
export function checkDepth(value: unknown): void {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) {
      throw badRequest(`the object is nested more than ${maxDepth} levels deep`);
    }
    level = level.flatMap(each => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
}
