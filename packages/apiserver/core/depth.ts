// A limit on the nesting of JSON, so that recursive code cannot overflow the stack.
import { badRequest } from './status.ts';

/** Far above any known schema, far below the depth that overflows the stack. */
const maxDepth = 500;

/** Throws BadRequest when the value is nested too deeply. Not recursive itself. */
export function checkDepth(value: unknown): void {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) {
      throw badRequest(`the object is nested more than ${maxDepth} levels deep`);
    }
    level = level.flatMap(each => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
}
