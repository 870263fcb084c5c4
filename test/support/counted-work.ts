// Work that is counted instead of timed: steps that an engine charges, and characters that regular expressions are given.

export interface Counted {
  /** Steps charged to the counter. */
  readonly steps: number;
  /** Characters of the texts that regular expressions were applied to, from where each began. */
  readonly scanned: number;
}

export interface Counter {
  spend(steps: number): void;
}

/** Runs `work`, which charges the counter. Not for work that goes on after it returned. */
export function countWork(work: (counter: Counter) => void): Counted {
  let steps = 0;
  let scanned = 0;
  const exec = RegExp.prototype.exec;
  RegExp.prototype.exec = function counting(this: RegExp, text: string): RegExpExecArray | null {
    // These try one position only.
    const isAnchored = this.sticky || (this.source.startsWith('^') && !this.multiline);
    scanned += isAnchored ? 1 : Math.max(0, text.length - this.lastIndex);
    return exec.call(this, text);
  };
  try {
    work({
      spend: more => {
        steps += more;
      },
    });
  } finally {
    RegExp.prototype.exec = exec;
  }
  return { steps, scanned };
}
