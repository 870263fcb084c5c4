// `&&`, `||`, `all` and `exists`: one part may decide alone; only when none does, the error of one is the error of the whole.
import type { Expression, Frame } from './expression.ts';
import { asBool } from './overload.ts';
import { EvaluationProblem } from './value.ts';

/** `decisive`: the value that ends it. Throws the first EvaluationProblem where no part decides. */
export function decide(parts: Iterable<Expression>, decisive: boolean, frame: Frame): boolean {
  let problem: EvaluationProblem | undefined;
  for (const part of parts) {
    try {
      if (asBool(part.run(frame)) === decisive) {
        return decisive;
      }
    } catch (error) {
      if (!(error instanceof EvaluationProblem)) {
        throw error;
      }
      problem ??= error;
    }
  }
  if (problem !== undefined) {
    throw problem;
  }
  return !decisive;
}
