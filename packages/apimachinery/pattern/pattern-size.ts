// Estimates how large a regular expression becomes when its repetitions are expanded.

/** An upper estimate in instructions. For an invalid expression the number is arbitrary: the compiler refuses it. */
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
  /** The size of the last part, which a repetition would multiply. */
  last: number;
}

/** The instructions of a group besides its parts. */
const groupSize = 2;

/** Ends the inner group. An unmatched parenthesis is an ordinary part. */
function close(around: Group | undefined, inner: Group): Group {
  if (around === undefined) {
    return { sum: inner.sum + 1, last: 1 };
  }
  const size = inner.sum + groupSize;
  return { sum: around.sum + size, last: size };
}

/** A character, class or operator. Returns the index of the next part. */
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

/** `{n}`, `{n,}`, `{n,m}`: the maximum number of expanded copies. */
function repetition(source: string, start: number): { readonly times: number; readonly end: number } | undefined {
  const pattern = /\{(\d{1,9})(?:,(\d{0,9}))?\}/y;
  pattern.lastIndex = start;
  const match = pattern.exec(source);
  if (match === null) {
    return undefined;
  }
  const times = Math.max(Number(match[1]), match[2] === undefined || match[2] === '' ? 0 : Number(match[2]));
  // Copies beyond n are optional, at one more instruction each.
  return { times: Math.max(1, times + (match[2] === undefined ? 0 : 1)), end: pattern.lastIndex };
}
