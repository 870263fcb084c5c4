// Counts the steps of a backtracking engine for regular expressions of JavaScript, and finds texts for which the steps
// grow faster than the text.

type Node =
  | { readonly is: 'character'; readonly accepts: (character: string) => boolean }
  | { readonly is: 'start' | 'end' | 'nothing' }
  | { readonly is: 'sequence' | 'choice'; readonly of: readonly Node[] }
  | { readonly is: 'repeat'; readonly of: Node; readonly min: number; readonly max: number }
  | { readonly is: 'look'; readonly of: Node; readonly isNegative: boolean };

interface Source {
  readonly source: string;
  readonly flags: string;
}

/** The characters with which expressions are tried. */
const probes = [...'a0Zf_ .-:/+=\t\n%,\'"()[]{}<>@#~|&;!?*\\é水😀\u00a0\udc80'];

class Parser {
  readonly #source: string;
  readonly #flags: string;
  readonly #characters: readonly string[];
  #at = 0;

  constructor({ source, flags }: Source) {
    this.#source = source;
    this.#flags = flags.replaceAll(/[^isuv]/g, '');
    this.#characters = [...source];
  }

  parse(): Node {
    const node = this.#choice();
    if (this.#at < this.#characters.length) {
      throw new Error(`cannot read /${this.#source}/ after ${this.#at} characters`);
    }
    return node;
  }

  #has(text: string): boolean {
    return this.#characters.slice(this.#at, this.#at + text.length).join('') === text;
  }

  #skip(text: string): boolean {
    const has = this.#has(text);
    this.#at += has ? text.length : 0;
    return has;
  }

  #choice(): Node {
    const options: Node[] = [];
    do {
      const items: Node[] = [];
      while (this.#at < this.#characters.length && !this.#has('|') && !this.#has(')')) {
        items.push(this.#quantified(this.#atom()));
      }
      options.push({ is: 'sequence', of: items });
    } while (this.#skip('|'));
    return options.length === 1 && options[0] !== undefined ? options[0] : { is: 'choice', of: options };
  }

  #quantified(of: Node): Node {
    const rest = this.#characters.slice(this.#at).join('');
    const [text = '', sign, min = '', comma, max = ''] = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(rest) ?? [];
    this.#at += text.length;
    if (text === '') {
      return of;
    }
    if (sign !== undefined) {
      return { is: 'repeat', of, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Number.POSITIVE_INFINITY };
    }
    const most = max === '' ? Number.POSITIVE_INFINITY : Number(max);
    return { is: 'repeat', of, min: Number(min), max: comma === ',' ? most : Number(min) };
  }

  #atom(): Node {
    if (this.#skip('^')) {
      return { is: 'start' };
    }
    if (this.#skip('$')) {
      return { is: 'end' };
    }
    if (this.#skip('(')) {
      return this.#group();
    }
    const from = this.#at;
    if (this.#has('[')) {
      this.#class();
    } else if (this.#has('\\')) {
      this.#escape();
    } else {
      this.#at += 1;
    }
    const text = this.#characters.slice(from, this.#at).join('');
    return /^\\[bB]$/.test(text) ? { is: 'nothing' } : { is: 'character', accepts: acceptor(text, this.#flags) };
  }

  #group(): Node {
    const isLook = ['?=', '?!', '?<=', '?<!'].find(sign => this.#has(sign));
    const head = /^\?(?:[:=!]|<[=!]|<\w+>)/.exec(this.#characters.slice(this.#at).join(''))?.[0] ?? '';
    this.#at += head.length;
    const of = this.#choice();
    this.#skip(')');
    return isLook === undefined ? of : { is: 'look', of, isNegative: isLook.endsWith('!') };
  }

  /** Classes may contain classes with the flag v. */
  #class(): void {
    let depth = 0;
    do {
      depth += this.#has('[') && (depth === 0 || this.#flags.includes('v')) ? 1 : this.#has(']') ? -1 : 0;
      this.#at += this.#has('\\') ? 2 : 1;
    } while (depth > 0);
  }

  #escape(): void {
    const rest = this.#characters.slice(this.#at).join('');
    const braced = /^\\(?:[pPu]\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})/.exec(rest)?.[0];
    this.#at += braced?.length ?? 2;
  }
}

function acceptor(text: string, flags: string): (character: string) => boolean {
  const pattern = new RegExp(`^(?:${text})$`, flags);
  const known = new Map<string, boolean>();
  return character => {
    const accepts = known.get(character) ?? pattern.test(character);
    known.set(character, accepts);
    return accepts;
  };
}

/** More steps than any linear expression takes on a text of the length below. The search then ends. */
const mostSteps = 20_000;

class Engine {
  steps = 0;
  readonly #text: readonly string[];

  constructor(text: string) {
    this.#text = [...text];
  }

  run(node: Node, { flags }: Source): void {
    for (let at = 0; at <= this.#text.length; at += 1) {
      let end = -1;
      const found = this.#match(node, at, to => {
        end = to;
        return true;
      });
      if (flags.includes('y') || (found && !flags.includes('g'))) {
        return;
      }
      at = found ? Math.max(at, end - 1) : at;
    }
  }

  #match(node: Node, at: number, next: (at: number) => boolean): boolean {
    this.steps += 1;
    if (this.steps > mostSteps) {
      return true;
    }
    switch (node.is) {
      case 'character':
        return at < this.#text.length && node.accepts(this.#text[at] ?? '') && next(at + 1);
      case 'start':
        return at === 0 && next(at);
      case 'end':
        return at === this.#text.length && next(at);
      case 'nothing':
        return next(at);
      case 'sequence':
        return this.#sequence(node.of, at, next);
      case 'choice':
        return node.of.some(option => this.#match(option, at, next));
      case 'look':
        return this.#match(node.of, at, () => true) !== node.isNegative && next(at);
      case 'repeat':
        return this.#repeat(node, { at, count: 0 }, next);
    }
  }

  #sequence([first, ...rest]: readonly Node[], at: number, next: (at: number) => boolean): boolean {
    return first === undefined ? next(at) : this.#match(first, at, to => this.#sequence(rest, to, next));
  }

  #repeat(
    node: Extract<Node, { readonly is: 'repeat' }>,
    { at, count }: { readonly at: number; readonly count: number },
    next: (at: number) => boolean,
  ): boolean {
    const again =
      count < node.max &&
      this.#match(node.of, at, to => to > at && this.#repeat(node, { at: to, count: count + 1 }, next));
    return again || (count >= node.min && next(at));
  }
}

interface Pump {
  readonly before: string;
  readonly repeated: string;
}

/** Returns a text that the node matches. Adds the repetitions inside the node to `pumps`. */
function sample(node: Node, before: string, pumps: Pump[]): string {
  switch (node.is) {
    case 'character':
      return probes.find(node.accepts) ?? '';
    case 'sequence':
      return node.of.reduce((text, part) => text + sample(part, before + text, pumps), '');
    case 'choice':
      return node.of.map(option => sample(option, before, pumps))[0] ?? '';
    case 'repeat': {
      const text = sample(node.of, before, pumps);
      if (node.max === Number.POSITIVE_INFINITY) {
        const of = node.of;
        const single = of.is === 'character' ? probes.filter(of.accepts) : probes;
        pumps.push(...[text, ...single].map(repeated => ({ before, repeated })));
      }
      return text.repeat(node.min);
    }
    case 'look':
      sample(node.of, before, pumps);
      return '';
    default:
      return '';
  }
}

const endings = ['', '!', '\u0001', 'a', '0'];
const lengths = [40, 80] as const;
/** The steps for a text of twice the length are twice as many if they grow linearly, and four times if with its square. */
const mostGrowth = 3;

/** Returns a text for which the steps grow faster than its length. Undefined if none was found. */
export function findSlowText(expression: Source): string | undefined {
  const node = new Parser(expression).parse();
  const pumps: Pump[] = [];
  sample(node, '', pumps);
  const stepsOf = ({ before, repeated }: Pump, times: number, ending: string): number => {
    const engine = new Engine(before + repeated.repeat(times) + ending);
    engine.run(node, expression);
    return engine.steps;
  };
  for (const pump of pumps.flatMap(each => [each, { ...each, before: '' }])) {
    for (const ending of endings) {
      const [short, long] = lengths.map(times => stepsOf(pump, times, ending));
      if ((long ?? 0) > mostSteps || (long ?? 0) > mostGrowth * (short ?? 0)) {
        return `${JSON.stringify(pump.before)} + ${JSON.stringify(pump.repeated)} × n + ${JSON.stringify(ending)}`;
      }
    }
  }
  return undefined;
}
