// A limit on the nesting of JSON, so that recursive code cannot overflow the stack.
import { badRequest } from './status.ts';

/** The limit is larger than all known schemas and smaller than the depth that overflows the stack. */
const maxDepth = 500;

/** Throws BadRequest if the value is nested too deeply. The check is not recursive. */
export function checkDepth(value: unknown): void {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) {
      throw badRequest(`the object is nested more than ${maxDepth} levels deep`);
    }
    level = level.flatMap(each => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
}
