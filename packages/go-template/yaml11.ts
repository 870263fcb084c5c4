// Parses a rendered template with the rules of Kubernetes' Go code: booleans and integers of YAML 1.1, no timestamps
// and no base 60. https://pkg.go.dev/sigs.k8s.io/yaml

import { type Checked, invalid, isJsonObject, valid } from '@capi-serverless/apimachinery';
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
  type Pair,
  Scalar,
  visit,
} from 'yaml';
import { LimitError } from './limits.ts';
import { composeAll, composeFirst, stepsOf, YamlError, type YamlWork, yamlLimits } from './yaml-compose.ts';
import { joinedText } from './yaml-joined-lines.ts';
import { isRounded, resolvePlain, resolveTagged } from './yaml-scalar.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const control = /[\0-\x08\v\f\x0e-\x1f\x7f\x80-\x84\x86-\x9f]/;

/** Go reads these characters as the ends of lines, and the library does not. */
const separator = /[\u2028\u2029]/;

const uncounted: YamlWork = { spend: () => {} };

/**
 * Returns the first document as JSON. The work is linear in the length of the text, including values that aliases
 * repeat. The error starts like the error of the Go code, and may quote the text. Throws only the errors of `work`,
 * except LimitError.
 */
export function decodeYaml11(text: string, work: YamlWork = uncounted): Checked<unknown> {
  try {
    return valid(decode(text, work));
  } catch (error) {
    if (error instanceof YamlError || error instanceof LimitError) {
      return invalid(`error converting YAML to JSON: yaml: ${error.message}`);
    }
    throw error;
  }
}

function decode(text: string, work: YamlWork): unknown {
  if (text.length > yamlLimits.length) {
    throw new YamlError(`limit exceeded: more than ${yamlLimits.length} characters`);
  }
  work.spend(stepsOf(text.length));
  if (!text.isWellFormed()) {
    throw new YamlError('invalid UTF-8');
  }
  if (control.test(text)) {
    throw new YamlError('control characters are not allowed');
  }
  refuseSeparators(text);
  const source = withLineBreaks(text);
  const composed = composeFirst(source, work);
  if (composed === undefined) {
    return null;
  }
  const { contents } = composed.document;
  const end = endOfBlock(contents, text);
  if (end < text.length) {
    return decode(text.slice(0, end), work);
  }
  const problem = composed.problem(
    ({ code, at, message }) =>
      (code === 'UNEXPECTED_TOKEN' && endsBefore(contents, at, message)) || isComment(message, at, text),
  );
  if (problem !== undefined) {
    const line = text.slice(0, problem.at).split('\n').length;
    throw new YamlError(`line ${line}: ${problem.message}`);
  }
  return new Decoder(source, work).value(contents, 0);
}

function refuseSeparators(text: string): void {
  if (separator.test(text)) {
    throw new YamlError('line separators (U+2028, U+2029) are not allowed; write \\u2028 or \\u2029 in double quotes');
  }
}

/** One document of a file. */
export interface YamlDocument {
  readonly document: Document.Parsed;
  /** The value of its contents, or the reason why it cannot be decoded. */
  readonly value: Checked<unknown>;
}

/**
 * Returns every document of a file of a user, who is trusted with its size. `lines` gets the line breaks. A document
 * with problems of its syntax has them in `document.errors`.
 */
export function readYamlDocuments(text: string, lines: LineCounter): readonly YamlDocument[] {
  return composeAll(text, lines).map(document => ({ document, value: decodeContents(document, text) }));
}

function decodeContents({ contents }: Document.Parsed, text: string): Checked<unknown> {
  try {
    refuseSeparators(text);
    return valid(new Decoder(text, uncounted).value(contents, 0));
  } catch (error) {
    if (error instanceof YamlError || error instanceof LimitError) {
      return invalid(error.message);
    }
    throw error;
  }
}

/** A word without quotes that is not a text in YAML 1.1, although it looks like one. */
export interface ReadWord {
  readonly word: string;
  readonly value: boolean | number;
  /** Its position in the text. */
  readonly offset: number;
}

/** Returns booleans other than `true` and `false`, and numbers that YAML 1.2 would read otherwise, such as 010. */
export function surprisingWords(node: Node): readonly ReadWord[] {
  const found: ReadWord[] = [];
  visit(node, {
    Scalar: (_key, { type, tag, value: text, range }) => {
      const word = String(text);
      const value = type === Scalar.PLAIN && tag === undefined ? resolvePlain(word) : undefined;
      const isSurprising =
        (typeof value === 'boolean' && !usualBoolean.test(word)) ||
        (typeof value === 'number' && !usualNumber.test(word));
      if (isSurprising) {
        found.push({ word, value, offset: range?.[0] ?? 0 });
      }
    },
  });
  return found;
}

const usualBoolean = /^(?:true|false)$/i;
const usualNumber =
  /^[-+]?(?:0|[1-9][0-9]*|0x[0-9a-fA-F]+|0o[0-7]+|[0-9]*\.[0-9]*|\.(?:nan|inf))(?:[eE][-+]?[0-9]+)?$/i;

/** Returns the end of a block document in Go: the first line without indentation. */
function endOfBlock(node: unknown, text: string): number {
  if (!isScalar(node) || !isBlock(node)) {
    return text.length;
  }
  const header = text.indexOf('\n', node.range?.[0] ?? 0);
  const after = text.slice(header + 1).search(/^[^ \t\r\n]/m);
  return header < 0 || after < 0 ? text.length : header + 1 + after;
}

class Decoder {
  readonly #anchors = new Map<string, Node>();
  readonly #open = new Set<Node>();
  readonly #scalars = new Map<Scalar, unknown>();
  readonly #work: YamlWork;
  readonly #source: string;
  /** Returns true if the text has characters after its last line break. */
  readonly #isCut: boolean;
  readonly #isBlank: boolean;
  #nodes = 0;
  #characters = 0;

  constructor(text: string, work: YamlWork) {
    this.#work = work;
    this.#source = text;
    const last = text.slice(text.lastIndexOf('\n') + 1);
    this.#isCut = last !== '';
    this.#isBlank = last.trim() === '';
  }

  value(node: unknown, depth: number): unknown {
    this.#nodes += 1;
    this.#work.spend(1);
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
        ? node.items.map(item => this.value(item, depth + 1))
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
    return this.value(this.#target(name), depth);
  }

  /** Returns members in order. A merged member replaces earlier ones, and later ones replace it. */
  #map(pairs: readonly Pair[], depth: number): unknown {
    const members = new Map<string, unknown>();
    for (const { key, value } of pairs) {
      if (isMergeKey(key)) {
        this.#merge(value, members, depth);
      } else {
        members.set(this.#key(key, depth + 1), this.value(value, depth + 1));
      }
    }
    return Object.fromEntries(members);
  }

  #key(key: unknown, depth: number): string {
    const isPlain = isScalar(key) && key.type === Scalar.PLAIN && key.tag === undefined;
    const word = isPlain ? infinite.get(resolvePlain(String(key.value))) : undefined;
    return word ?? toKey(this.value(key, depth));
  }

  #merge(value: unknown, into: Map<string, unknown>, depth: number): void {
    const target = isAlias(value) ? this.#target(value.source) : value;
    const sources = isSeq(target) ? target.items.toReversed() : [target];
    for (const source of sources) {
      const decoded = this.value(source, depth + 1);
      if (!isJsonObject(decoded)) {
        throw new YamlError('map merge requires map or sequence of maps as the value');
      }
      for (const [key, each] of Object.entries(decoded)) {
        into.set(key, each);
      }
    }
  }

  /** The last line of a block has a line break only if the source has one. */
  #text(node: Scalar): string {
    const [start, end] = node.range ?? [0, 0];
    if (node.type === Scalar.QUOTE_DOUBLE) {
      return joinedText(this.#source.slice(start, end)) ?? String(node.value);
    }
    if (isBlock(node) && isBlankBlock(this.#source.slice(start, end))) {
      throw new YamlError('a block with an indentation indicator has only spaces');
    }
    const text = String(node.value ?? '');
    const isCut = this.#isCut && end >= this.#source.length;
    if (isBlock(node) && isCut && text.trim() === '' && this.#isBlank) {
      return text.includes('\n') ? lineBreaksOf(this.#source.slice(start, end)) : text;
    }
    return isBlock(node) && isCut && (this.#isBlank ? /(?:^|\n)[ \t]+\n$/ : /\n$/).test(text)
      ? text.slice(0, -1)
      : text;
  }

  /** An alias is resolved once. Each use of the alias is counted. */
  #scalar(node: Scalar): unknown {
    const text = this.#text(node);
    this.#characters += text.length;
    if (this.#characters > yamlLimits.length) {
      throw new YamlError(`limit exceeded: more than ${yamlLimits.length} characters, aliases followed`);
    }
    if (this.#scalars.has(node)) {
      return this.#scalars.get(node);
    }
    this.#work.spend(stepsOf(text.length));
    const value = resolve(node, text);
    this.#scalars.set(node, value);
    return value;
  }
}

function resolve(node: Scalar, text: string): unknown {
  const isPlain = node.type === Scalar.PLAIN || node.type === undefined;
  const value = node.tag === undefined ? (isPlain ? resolvePlain(text) : text) : resolveTagged(text, node.tag);
  if (value === undefined) {
    throw new YamlError(`cannot decode ${node.tag} \`${text}\``);
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new YamlError(`unsupported value: ${text}`);
  }
  if (typeof value === 'number' && !Number.isSafeInteger(value) && isRounded(text)) {
    throw new YamlError(`cannot hold a whole number of more than 53 bits exactly \`${text}\``);
  }
  return value;
}

/** The line breaks below the header of a block. */
function lineBreaksOf(source: string): string {
  return source.slice(source.indexOf('\n') + 1).replaceAll(/[^\n]/g, '');
}

/** Go keeps the spaces after the indentation, and the library does not. */
function isBlankBlock(source: string): boolean {
  const body = source.slice(source.indexOf('\n'));
  return /^[|>][-+]?[1-9]/.test(source) && body.trim() === '' && body.includes(' ');
}

function isBlock({ type }: Scalar): boolean {
  return type === Scalar.BLOCK_LITERAL || type === Scalar.BLOCK_FOLDED;
}

/** Go reads a carriage return and NEL as the end of a line, and no byte order mark. The length is the same. */
function withLineBreaks(text: string): string {
  return text.replace(/\r(?!\n)|\u0085/g, '\n').replace(/^\ufeff/, '\n');
}

/** In Go, a comment may follow a quoted text or a flow collection without a space. */
function isComment(message: string, at: number, text: string): boolean {
  return message.startsWith('Comments must be separated') && /["'\]}]/.test(text.charAt(at - 1));
}

/** Go reads one value. Text after a quoted scalar, a block or a flow collection is ignored. */
function endsBefore(node: unknown, at: number, message: string): boolean {
  if (message.startsWith('Block scalar header')) {
    return false;
  }
  const isClosed = isScalar(node) ? node.type !== Scalar.PLAIN : isCollection(node) && node.flow === true;
  return isClosed && isNode(node) && node.range !== undefined && node.range !== null && node.range[1] <= at;
}

function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.type === Scalar.PLAIN && key.value === '<<';
}

/** JSON has no such numbers, but their names are keys. */
const infinite: ReadonlyMap<unknown, string> = new Map([
  [Number.POSITIVE_INFINITY, '.inf'],
  [Number.NEGATIVE_INFINITY, '-.inf'],
  [Number.NaN, '.nan'],
]);

function toKey(key: unknown): string {
  if (typeof key === 'string' || typeof key === 'number' || typeof key === 'boolean') {
    return String(key);
  }
  throw new YamlError('unsupported map key');
}
