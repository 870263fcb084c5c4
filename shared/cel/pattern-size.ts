// How large a regular expression becomes when its repetitions are written out, found before anybody writes them out.

/** An estimate from above, in instructions. Wrong expressions get some number: the compiler refuses them. */
export function instructionsOf(source: string): number {
  const open: Group[] = [{ sum: 0, last: 0 }];
  let at = 0;
  while (at < source.length) {
    const group = open.at(-1) ?? { sum: 0, last: 0 };
    const char = source[at];
    const repeat = char === '{' ? repetition(source, at) : undefined;
    if (repeat !== undefined) {
      group.sum += group.last * (repeat.times - 1);
      group.last *= repeat.times;
      at = repeat.end;
    } else if (char === '(') {
      open.push({ sum: 0, last: 0 });
      at += 1;
    } else if (char === ')' && open.length > 1) {
      open.pop();
      close(open.at(-1), group.sum + groupSize);
      at += 1;
    } else {
      at = atom(source, at, group);
    }
  }
  return open.reduce((sum, group) => sum + group.sum, groupSize);
}

interface Group {
  sum: number;
  /** Of the latest part, which a repetition would repeat. */
  last: number;
}

/** What a group takes besides its parts. */
const groupSize = 2;

function close(group: Group | undefined, size: number): void {
  if (group !== undefined) {
    group.sum += size;
    group.last = size;
  }
}

/** A character, class or operator; returns where the next part begins. */
function atom(source: string, at: number, group: Group): number {
  group.sum += 1;
  if (!'*+?|'.includes(source[at] ?? '')) {
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

/** `{n}`, `{n,}`, `{n,m}`: how often at most the part is written out. */
function repetition(source: string, start: number): { readonly times: number; readonly end: number } | undefined {
  const pattern = /\{(\d{1,9})(?:,(\d{0,9}))?\}/y;
  pattern.lastIndex = start;
  const match = pattern.exec(source);
  if (match === null) {
    return undefined;
  }
  const times = Math.max(Number(match[1]), match[2] === undefined || match[2] === '' ? 0 : Number(match[2]));
  // Up to m, each but the first n may be left out: one more instruction for each.
  return { times: Math.max(1, times + (match[2] === undefined ? 0 : 1)), end: pattern.lastIndex };
}
