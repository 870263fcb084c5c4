// What a rendered template says, read as the API machinery's Go code reads YAML: the booleans and integers of YAML 1.1,
// no timestamps, no base 60. https://pkg.go.dev/sigs.k8s.io/yaml
import { Composer, isAlias, isMap, isScalar, isSeq, type Node, type Pair, Parser, Scalar } from 'yaml';
import { type Checked, invalid, valid } from '../api/checked.ts';
import { resolvePlain, resolveTagged } from './yaml-scalar.ts';

const yamlLimits = {
  /** Bytes of the text: no API server stores more. */
  length: 1_572_864,
  /** Lists and maps inside each other. */
  depth: 200,
  /** Values, those behind an alias counted each time. */
  nodes: 200_000,
} as const;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const control = /[\0-\x08\v\f\x0e-\x1f\x7f\x80-\x84\x86-\x9f]/;

class YamlError extends Error {}

/** JSON that the text stands for: its first document. Never throws; the error begins as that of the Go code. */
export function decodeYaml11(text: string): Checked<unknown> {
  try {
    return valid(new Decoder().decode(text));
  } catch (error) {
    if (error instanceof YamlError) {
      return invalid(`error converting YAML to JSON: yaml: ${error.message}`);
    }
    throw error;
  }
}

class Decoder {
  readonly #anchors = new Map<string, Node>();
  readonly #open = new Set<Node>();
  #nodes = 0;
  #source = '';

  decode(text: string): unknown {
    if (text.length > yamlLimits.length) {
      throw new YamlError(`limit exceeded: more than ${yamlLimits.length} characters`);
    }
    if (!text.isWellFormed()) {
      throw new YamlError('invalid UTF-8');
    }
    if (control.test(text)) {
      throw new YamlError('control characters are not allowed');
    }
    this.#source = text;
    const tokens = [...new Parser().parse(text)];
    checkDepth(tokens);
    const [document] = new Composer({
      version: '1.1',
      schema: 'failsafe',
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'silent',
    }).compose(tokens);
    if (document === undefined) {
      return null;
    }
    const { contents } = document;
    const end = this.#endOfBlock(contents);
    if (end < text.length) {
      return new Decoder().decode(text.slice(0, end));
    }
    const error = document.errors.find(({ code, pos }) => code !== 'UNEXPECTED_TOKEN' || !endsBefore(contents, pos[0]));
    if (error !== undefined) {
      const line = text.slice(0, error.pos[0]).split('\n').length;
      throw new YamlError(`line ${line}: ${error.message}`);
    }
    return this.#value(contents, 0);
  }

  #value(node: unknown, depth: number): unknown {
    this.#nodes += 1;
    if (this.#nodes > yamlLimits.nodes) {
      throw new YamlError(`limit exceeded: more than ${yamlLimits.nodes} values, aliases followed`);
    }
    if (depth > yamlLimits.depth) {
      throw new YamlError(`limit exceeded: more than ${yamlLimits.depth} lists and maps inside each other`);
    }
    if (isAlias(node)) {
      return this.#alias(node.source, depth);
    }
    if (!(isScalar(node) || isSeq(node) || isMap(node))) {
      return null;
    }
    if (node.anchor !== undefined) {
      this.#anchors.set(node.anchor, node);
    }
    this.#open.add(node);
    const value = isScalar(node)
      ? this.#scalar(node)
      : isSeq(node)
        ? node.items.map(item => this.#value(item, depth + 1))
        : this.#map(node.items, depth);
    this.#open.delete(node);
    return value;
  }

  #target(name: string): Node {
    const target = this.#anchors.get(name);
    if (target === undefined) {
      throw new YamlError(`unknown anchor '${name}' referenced`);
    }
    if (this.#open.has(target)) {
      throw new YamlError(`anchor '${name}' value contains itself`);
    }
    return target;
  }

  #alias(name: string, depth: number): unknown {
    return this.#value(this.#target(name), depth);
  }

  /** Members in their order: a merged one replaces what stands before it, and is replaced by what follows. */
  #map(pairs: readonly Pair[], depth: number): unknown {
    const members = new Map<string, unknown>();
    for (const { key, value } of pairs) {
      if (isMergeKey(key)) {
        this.#merge(value, members, depth);
      } else {
        members.set(toKey(this.#value(key, depth + 1)), this.#value(value, depth + 1));
      }
    }
    return Object.fromEntries(members);
  }

  #merge(value: unknown, into: Map<string, unknown>, depth: number): void {
    const target = isAlias(value) ? this.#target(value.source) : value;
    const sources = isSeq(target) ? target.items.toReversed() : [target];
    for (const source of sources) {
      const decoded = this.#value(source, depth + 1);
      if (typeof decoded !== 'object' || decoded === null || Array.isArray(decoded)) {
        throw new YamlError('map merge requires map or sequence of maps as the value');
      }
      for (const [key, each] of Object.entries(decoded)) {
        into.set(key, each);
      }
    }
  }

  /** Where a block that is the whole document ends for Go: at the first line that is not indented. */
  #endOfBlock(node: unknown): number {
    if (!isScalar(node) || !isBlock(node)) {
      return this.#source.length;
    }
    const header = this.#source.indexOf('\n', node.range?.[0] ?? 0);
    const after = this.#source.slice(header + 1).search(/^\S/m);
    return header < 0 || after < 0 ? this.#source.length : header + 1 + after;
  }

  /** The last line of a block without a line break has none either. */
  #text(node: Scalar): string {
    const text = String(node.value ?? '');
    const isCut = /[^\s][^\n]*$/.test(this.#source) && (node.range?.[1] ?? 0) >= this.#source.length;
    return isBlock(node) && isCut && text.endsWith('\n') ? text.slice(0, -1) : text;
  }

  #scalar(node: Scalar): unknown {
    const text = this.#text(node);
    const isPlain = node.type === Scalar.PLAIN || node.type === undefined;
    const value = node.tag === undefined ? (isPlain ? resolvePlain(text) : text) : resolveTagged(text, node.tag);
    if (value === undefined) {
      throw new YamlError(`cannot decode ${node.tag} \`${text}\``);
    }
    if (typeof value === 'number' && !Number.isFinite(value)) {
      throw new YamlError(`unsupported value: ${text}`);
    }
    return value;
  }
}

function isBlock({ type }: Scalar): boolean {
  return type === Scalar.BLOCK_LITERAL || type === Scalar.BLOCK_FOLDED;
}

/** Go reads one value: what comes after a text that is quoted or a block is not looked at. */
function endsBefore(node: unknown, at: number): boolean {
  return (
    isScalar(node) &&
    node.type !== Scalar.PLAIN &&
    node.range !== undefined &&
    node.range !== null &&
    node.range[1] <= at
  );
}

/** Without recursion: composing would not come back from a text that is too deep. */
function checkDepth(tokens: readonly unknown[]): void {
  let level: readonly unknown[] = tokens;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > yamlLimits.depth * tokensPerLevel) {
      throw new YamlError(`limit exceeded: more than ${yamlLimits.depth} lists and maps inside each other`);
    }
    level = level.flatMap(childrenOf);
  }
}

/** A list or map is a token with items that hold tokens. */
const tokensPerLevel = 2;

function childrenOf(token: unknown): readonly unknown[] {
  if (typeof token !== 'object' || token === null) {
    return [];
  }
  const { value, items, key } = token as { readonly value?: unknown; readonly items?: unknown; readonly key?: unknown }; // any member may be missing
  return [value, key, ...(Array.isArray(items) ? items : [])].filter(
    child => typeof child === 'object' && child !== null,
  );
}

function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.type === Scalar.PLAIN && key.value === '<<';
}

function toKey(key: unknown): string {
  if (typeof key === 'string' || typeof key === 'number' || typeof key === 'boolean') {
    return String(key);
  }
  throw new YamlError('unsupported map key');
}
