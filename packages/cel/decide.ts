// `&&`, `||`, `all` and `exists`: one part may determine the result. If none does, the first error is the result.
import type { Expression, Frame } from './expression.ts';
import { asBool } from './overload.ts';
import { EvaluationProblem } from './value.ts';

/** An error of the platform records where it was created, which takes microseconds. */
const unitsPerProblem = 256;

/** `decisive` is the value that determines the result. Throws the first EvaluationProblem if no part has this value. */
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
      frame.meter.work(unitsPerProblem);
      problem ??= error;
    }
  }
  if (problem !== undefined) {
    throw problem;
  }
  return !decisive;
}
