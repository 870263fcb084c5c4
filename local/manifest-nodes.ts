// YAML and JSON files as nodes with positions, read as kubectl reads them. Contains every document of a file, and every
// item of a List.

import { type Checked, invalid, memberOf, valid } from '@capi-serverless/apimachinery';
import { readYamlDocuments, type YamlDocument } from '@capi-serverless/go-template/yaml';
import { isMap, isNode, isPair, isScalar, isSeq, LineCounter, type Node } from 'yaml';

/** The line, counted from 1. */
export interface ManifestPosition {
  readonly line: number;
  readonly column: number;
}

/** One document of a file. */
interface Page {
  readonly fileName: string;
  /** The index of the document, counted from 1. */
  readonly number: number;
  readonly lines: LineCounter;
}

/** A node that should be an object. */
export interface ManifestNode extends Page {
  readonly node: Node;
  /** Returns the node as a plain value. */
  readonly value: unknown;
}

/** A document or item that cannot be read. */
export interface UnreadableManifest extends ManifestPosition {
  readonly fileName: string;
  /** The index of the document in the file, counted from 1. */
  readonly number: number;
  /** The problem and the remedy. */
  readonly problem: string;
}

const syntaxRemedy = 'check indentation and quotes there';

/** Returns the documents in the order of the file, without empty documents. Never throws. */
export function readManifestNodes(
  text: string,
  fileName: string,
): readonly Checked<ManifestNode, UnreadableManifest>[] {
  const lines = new LineCounter();
  return readYamlDocuments(text, lines).flatMap((document, at) =>
    readDocument({ fileName, number: at + 1, lines }, document),
  );
}

function readDocument(
  page: Page,
  { document, value }: YamlDocument,
): readonly Checked<ManifestNode, UnreadableManifest>[] {
  const [error] = document.errors;
  if (error !== undefined) {
    // The rest of the message is dropped, because it quotes the file, which may contain a Secret.
    const [problem] = error.message.split(/ at line \d|\n/, 1);
    return [invalid(unreadable(page, error.pos[0], `${problem}; ${syntaxRemedy}`))];
  }
  const { contents } = document;
  if (!value.ok) {
    // The quoted part is dropped, because it may be the content of a Secret.
    const problem = withRemedy(value.error.replace(/ `.*`/s, ''));
    return [invalid(unreadable(page, contents?.range?.[0] ?? 0, problem))];
  }
  return contents === null || value.value === null ? [] : readNode(page, contents, value.value);
}

function withRemedy(problem: string): string {
  const remedy = problem.endsWith('53 bits exactly') ? 'put it in quotes if it is a text' : 'write the values out';
  return problem.includes('; write') ? problem : `${problem}; ${remedy}`;
}

function readNode(page: Page, node: Node, value: unknown): readonly ReturnType<typeof valid<ManifestNode>>[] {
  const items = isMap(node) ? node.get('items', true) : undefined;
  const values = memberOf(value, 'items');
  if (isSeq(items) && Array.isArray(values) && String(memberOf(value, 'kind')).endsWith('List')) {
    return items.items.flatMap((item, at) => (isNode(item) ? readNode(page, item, values[at]) : []));
  }
  return [valid({ ...page, node, value })];
}

function unreadable({ fileName, number, lines }: Page, offset: number, problem: string): UnreadableManifest {
  const { line, col } = lines.linePos(offset);
  return { fileName, number, line, column: col, problem };
}

/** Returns the start of the deepest existing part of `path`. If this part has a key, returns the start of the key. */
export function positionOf({ node, lines }: ManifestNode, path: readonly string[]): ManifestPosition {
  const { line, col } = lines.linePos(offsetOf(node, path, node.range?.[0] ?? 0));
  return { line, column: col };
}

function offsetOf(node: Node, [next, ...rest]: readonly string[], begin: number): number {
  if (next === undefined) {
    return begin;
  }
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === next);
    const offset = isScalar(pair?.key) ? (pair.key.range?.[0] ?? begin) : begin;
    return isPair(pair) && isNode(pair.value) ? offsetOf(pair.value, rest, offset) : offset;
  }
  if (isSeq(node)) {
    const item = node.items.find((each, index) => isNamed(each, next, index));
    return isNode(item) ? offsetOf(item, rest, item.range?.[0] ?? begin) : begin;
  }
  return begin;
}

/** Items of lists are identified by index, or by the value of their key field. */
const identities: readonly string[] = ['name', 'class', 'type', 'conditionType', 'rule', 'key'];

function isNamed(item: unknown, name: string, index: number): boolean {
  return String(index) === name || (isMap(item) && identities.some(field => String(item.get(field) ?? '') === name));
}
