// Parses a rendered template as Kubernetes' Go code parses YAML: booleans and integers of YAML 1.1, no timestamps and no
// base 60. https://pkg.go.dev/sigs.k8s.io/yaml

import { type Checked, invalid, isJsonObject, valid } from '@capi-serverless/apimachinery';
import { Composer, isAlias, isMap, isScalar, isSeq, type Node, type Pair, Parser, Scalar } from 'yaml';
import { resolvePlain, resolveTagged } from './yaml-scalar.ts';

const yamlLimits = {
  /** Bytes of the text: API servers store no more. */
  length: 1_572_864,
  /** Nested lists and maps. */
  depth: 200,
  /** Values; those behind an alias count each time. */
  nodes: 200_000,
} as const;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const control = /[\0-\x08\v\f\x0e-\x1f\x7f\x80-\x84\x86-\x9f]/;

class YamlError extends Error {}

/** The first document as JSON. Never throws; the error starts like that of the Go code. */
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

  /** Members in order: a merged member replaces earlier ones, and later ones replace it. */
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
      if (!isJsonObject(decoded)) {
        throw new YamlError('map merge requires map or sequence of maps as the value');
      }
      for (const [key, each] of Object.entries(decoded)) {
        into.set(key, each);
      }
    }
  }

  /** The end of a block document in Go: the first line without indentation. */
  #endOfBlock(node: unknown): number {
    if (!isScalar(node) || !isBlock(node)) {
      return this.#source.length;
    }
    const header = this.#source.indexOf('\n', node.range?.[0] ?? 0);
    const after = this.#source.slice(header + 1).search(/^\S/m);
    return header < 0 || after < 0 ? this.#source.length : header + 1 + after;
  }

  /** The last line of a block has a line break only if the source has one. */
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

/** Go reads one value: text after a quoted scalar or a block is ignored. */
function endsBefore(node: unknown, at: number): boolean {
  return (
    isScalar(node) &&
    node.type !== Scalar.PLAIN &&
    node.range !== undefined &&
    node.range !== null &&
    node.range[1] <= at
  );
}

/** Not recursive: composing a text that is too deep would overflow the stack. */
function checkDepth(tokens: readonly unknown[]): void {
  let level: readonly unknown[] = tokens;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > yamlLimits.depth * tokensPerLevel) {
      throw new YamlError(`limit exceeded: more than ${yamlLimits.depth} lists and maps inside each other`);
    }
    level = level.flatMap(childrenOf);
  }
}

/** A list or map is a token whose items contain tokens. */
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
