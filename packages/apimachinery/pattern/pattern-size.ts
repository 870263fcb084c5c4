// Estimates the size of a regular expression after its repetitions are expanded.

/**
 * Returns an upper estimate of instructions. For an invalid expression the number is arbitrary, because the compiler
 * refuses it.
 */
export function instructionsOf(source: string): number {
  const outer: Group[] = [];
  let group: Group = { sum: 0, last: 0 };
  let at = 0;
  while (at < source.length) {
    const char = source.charAt(at);
    const repeat = char === '{' ? repetition(source, at) : undefined;
    if (repeat !== undefined) {
      group.sum += group.last * (repeat.times - 1);
      group.last *= repeat.times;
      at = repeat.end;
    } else if (char === '(') {
      outer.push(group);
      group = { sum: 0, last: 0 };
      at += 1;
    } else if (char === ')') {
      group = close(outer.pop(), group);
      at += 1;
    } else {
      at = atom(source, at, group);
    }
  }
  return outer.reduce((sum, each) => sum + each.sum, group.sum + groupSize);
}

interface Group {
  sum: number;
  /** The size of the last part. A repetition multiplies this size. */
  last: number;
}

/** The number of instructions of a group without its parts. */
const groupSize = 2;

/** Ends the inner group. An unmatched parenthesis is an ordinary part. */
function close(around: Group | undefined, inner: Group): Group {
  if (around === undefined) {
    return { sum: inner.sum + 1, last: 1 };
  }
  const size = inner.sum + groupSize;
  return { sum: around.sum + size, last: size };
}

/** Reads a character, class or operator. Returns the index of the next part. */
function atom(source: string, at: number, group: Group): number {
  group.sum += 1;
  if (!'*+?|'.includes(source.charAt(at))) {
    group.last = 1;
  } else {
    group.last += 1;
  }
  if (source[at] === '\\') {
    return at + 2;
  }
  return source[at] === '[' ? endOfClass(source, at) : at + 1;
}

function endOfClass(source: string, start: number): number {
  let at = start + 1;
  at += source[at] === '^' ? 1 : 0;
  at += source[at] === ']' ? 1 : 0;
  while (at < source.length && source[at] !== ']') {
    at += source[at] === '\\' ? 2 : 1;
  }
  return at + 1;
}

/** Returns the maximum number of expanded copies of `{n}`, `{n,}` and `{n,m}`. */
function repetition(source: string, start: number): { readonly times: number; readonly end: number } | undefined {
  const pattern = /\{(\d{1,9})(?:,(\d{0,9}))?\}/y;
  pattern.lastIndex = start;
  const match = pattern.exec(source);
  if (match === null) {
    return undefined;
  }
  const times = Math.max(Number(match[1]), match[2] === undefined || match[2] === '' ? 0 : Number(match[2]));
  // Copies beyond n are optional. Each needs one more instruction.
  return { times: Math.max(1, times + (match[2] === undefined ? 0 : 1)), end: pattern.lastIndex };
}

/**
 * Returns whether a search may read beyond its match to the end of the text, for example `a(.*b)?`. Without an
 * unlimited repetition, it reads no further than the length of the expression. A repeated single part ends with the
 * match.
 */
function looksAhead(source: string): boolean {
  const group: Group = { sum: 0, last: 0 };
  let parts = 0;
  let isRepeated = source.includes('\\Q');
  for (let at = 0; at < source.length; ) {
    const char = source.charAt(at);
    isRepeated ||=
      char === '*' || char === '+' || (char === '{' && /^\{\d+,\}/.test(source.slice(at, at + longestRepetition)));
    parts += '*+?()'.includes(char) ? 0 : 1;
    at = atom(source, at, group);
  }
  return isRepeated && parts > 1;
}

/** The number of characters of `{n,}` with a number that the compiler accepts. */
const longestRepetition = 12;

/** The work of one search of all matches, in instructions on one character each. */
interface SearchWork {
  /** The work before the first match. The whole text is read once. */
  readonly first: number;
  /**
   * The work before each further match that begins at this position or later. It is doubled if the groups of the match
   * are read.
   */
  next(from: number): number;
}

export function searchWork(source: string, instructions: number, length: number): SearchWork {
  const isLong = looksAhead(source);
  return {
    first: instructions * (length + 1),
    next(from) {
      const rest = Math.max(0, length - from) + 1;
      return (
        perSearch + (isLong ? instructions * rest : instructions * Math.min(rest, instructions) + rest / perPrefilter)
      );
    },
  };
}

/** The cost of the start of a search, which clears its memory. */
const perSearch = 200;
/** The number of characters that a search for a fixed part reads in the time of one instruction. */
const perPrefilter = 32;
