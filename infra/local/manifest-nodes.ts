// YAML and JSON files as nodes that know where they stand: every document of a file, and every item of a List.
import { type Document, isMap, isNode, isPair, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml';
import { toError } from '../../shared/kernel/errors.ts';

/** Counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** One document of a file. */
interface Page {
  readonly fileName: string;
  /** Counted from 1. */
  readonly number: number;
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}

/** What should be an object. */
export interface ManifestNode extends Page {
  readonly node: Node;
  /** The node as a plain value. */
  readonly value: unknown;
}

/** A document or item that cannot be read at all. */
export interface UnreadableManifest extends Position {
  readonly fileName: string;
  /** Of the document in the file, counted from 1. */
  readonly number: number;
  /** What is wrong, and the remedy. */
  readonly problem: string;
}

const syntaxRemedy = 'check indentation and quotes there';

export function isUnreadable(manifest: ManifestNode | UnreadableManifest): manifest is UnreadableManifest {
  return 'problem' in manifest;
}

/** In the order of the file; empty documents are left out. Never throws. */
export function readManifestNodes(text: string, fileName: string): readonly (ManifestNode | UnreadableManifest)[] {
  const lines = new LineCounter();
  const documents: readonly Document.Parsed[] = [...parseAllDocuments(text, { lineCounter: lines })];
  return documents.flatMap((document, at) => readDocument({ fileName, number: at + 1, document, lines }));
}

function readDocument(page: Page): readonly (ManifestNode | UnreadableManifest)[] {
  const [error] = page.document.errors;
  if (error !== undefined) {
    // The message goes on with an excerpt of the file, which may show a Secret.
    const [problem] = error.message.split(/ at line \d|\n/, 1);
    return [unreadable(page, error.pos[0], `${problem}; ${syntaxRemedy}`)];
  }
  const { contents } = page.document;
  const isEmpty = contents === null || (isScalar(contents) && contents.value === null);
  return isEmpty ? [] : readNode(contents, page);
}

function readNode(node: Node, page: Page): readonly (ManifestNode | UnreadableManifest)[] {
  const items = isMap(node) ? node.get('items', true) : undefined;
  if (isMap(node) && isSeq(items) && String(node.get('kind')).endsWith('List')) {
    return items.items.flatMap(item => (isNode(item) ? readNode(item, page) : []));
  }
  try {
    return [{ ...page, node, value: node.toJS(page.document) }];
  } catch (thrown) {
    const problem = `${toError(thrown).message}; write the values out instead of referring to them`;
    return [unreadable(page, node.range?.[0] ?? 0, problem)];
  }
}

function unreadable({ fileName, number, lines }: Page, offset: number, problem: string): UnreadableManifest {
  const { line, col } = lines.linePos(offset);
  return { fileName, number, line, column: col, problem };
}

/** Where the deepest part of `path` begins that the node has: its key, if it has one. */
export function positionOf({ node, lines }: ManifestNode, path: readonly string[]): Position {
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

/** Items of lists are named by their place, or by the value of the field that tells them apart. */
const identities: readonly string[] = ['name', 'class', 'type', 'conditionType', 'rule', 'key'];

function isNamed(item: unknown, name: string, index: number): boolean {
  return String(index) === name || (isMap(item) && identities.some(field => String(item.get(field) ?? '') === name));
}
