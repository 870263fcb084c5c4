// The trace of one run as lines, for debugging and for the comparison of two runs with the same seed.
import { createHash } from 'node:crypto';
import type { Instant } from '@capi-serverless/apimachinery';

export interface Trace {
  /** `line` is called only if the trace is recorded. */
  note(at: Instant, line: () => string): void;
  /** Records a fault. Faults are always recorded, because a failure prints them as its plan. */
  fault(at: Instant, line: string): void;
  readonly lines: readonly string[];
  readonly faults: readonly string[];
  /** Returns the hash of all lines. */
  hash(): string;
}

export function createTrace(start: Instant, options: { readonly keep: boolean }): Trace {
  const lines: string[] = [];
  const faults: string[] = [];
  const stamped = (at: Instant, line: string): string => `${((at - start) / 1000).toFixed(3).padStart(9)} ${line}`;
  return {
    note(at, line) {
      if (options.keep) {
        lines.push(stamped(at, line()));
      }
    },
    fault(at, line) {
      faults.push(stamped(at, line));
      if (options.keep) {
        lines.push(stamped(at, `! ${line}`));
      }
    },
    lines,
    faults,
    hash: () => createHash('sha256').update(lines.join('\n')).digest('hex'),
  };
}
