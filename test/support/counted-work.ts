// Work that is counted instead of timed: steps that an engine charges, and characters to which regular expressions are
// applied.

interface Counted {
  /** The number of steps charged to the counter. */
  readonly steps: number;
  /** The number of characters that regular expressions read, from the start position of each to the end of its match. */
  readonly scanned: number;
}

interface Counter {
  spend(steps: number): void;
}

/** Runs `work`, which charges the counter. Must not be used for work that continues after `work` returned. */
export function countWork(work: (counter: Counter) => void): Counted {
  let steps = 0;
  let scanned = 0;
  const exec = RegExp.prototype.exec;
  RegExp.prototype.exec = function counting(this: RegExp, text: string): RegExpExecArray | null {
    // Anchored expressions try one position only.
    const isAnchored = this.sticky || (this.source.startsWith('^') && !this.multiline);
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const match = exec.call(this, text);
    // A search ends with its match.
    const end = match === null ? text.length : match.index + match[0].length;
    scanned += isAnchored ? 1 : Math.max(0, end - from);
    return match;
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
