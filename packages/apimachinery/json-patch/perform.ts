// Applies JSON patches strictly (RFC 6902): parents and replaced or removed values must exist. Errors have the wording
// of the Go library that Cluster API and kube-apiserver use. https://datatracker.ietf.org/doc/html/rfc6902,
// https://pkg.go.dev/github.com/evanphx/json-patch/v5
import {
  type Container,
  type JsonDocument,
  keyIn,
  PatchError,
  toIndex,
  valueIn,
  type WritePosition,
} from './document.ts';
import type { Operation, Pointer } from './operation.ts';

/**
 * Changes the document. Throws PatchError if the operation does not apply. After an error, the document must not be
 * used.
 */
export function perform(document: JsonDocument, operation: Operation): void {
  switch (operation.op) {
    case 'add':
      add(document, operation.path, operation.value);
      break;
    case 'replace':
      replace(document, operation.path, operation.value);
      break;
    case 'remove':
      remove(document, operation.path);
      break;
    case 'test':
      test(document, operation.path, operation.value);
      break;
    case 'copy':
      copy(document, operation.from, operation.path);
      break;
    case 'move':
      move(document, operation.from, operation.path);
      break;
  }
}

/** Returns the parent's path and the last segment. Returns undefined for the root and for an invalid pointer. */
function split({ segments }: Pointer): { readonly parent: readonly string[]; readonly last: string } | undefined {
  const last = segments?.at(-1);
  return segments === undefined || last === undefined ? undefined : { parent: segments.slice(0, -1), last };
}

function isRoot({ segments }: Pointer): boolean {
  return segments?.length === 0;
}

/** Returns the parent for writes. */
function open(document: JsonDocument, pointer: Pointer): (WritePosition & { readonly last: string }) | undefined {
  const at = split(pointer);
  const place = at === undefined ? undefined : document.open(at.parent);
  return at === undefined || place === undefined ? undefined : { ...place, last: at.last };
}

/** Returns the parent for reads. */
function find(
  document: JsonDocument,
  pointer: Pointer,
): { readonly container: Container; readonly last: string } | undefined {
  const at = split(pointer);
  const container = at === undefined ? undefined : document.containerAt(at.parent);
  return at === undefined || container === undefined ? undefined : { container, last: at.last };
}

function add(document: JsonDocument, path: Pointer, value: unknown): void {
  if (isRoot(path)) {
    document.replaceRoot(value);
    return;
  }
  const place = open(document, path);
  if (place === undefined) {
    throw new PatchError(`add operation does not apply: doc is missing path: "${path.text}": missing value`);
  }
  put(document, place, { value, during: `error in add for path: '${path.text}'` });
}

/** In an object the member is set. In a list the item is inserted. */
function put(
  document: JsonDocument,
  { container, level, last }: WritePosition & { readonly last: string },
  { value, during }: { readonly value: unknown; readonly during: string },
): void {
  if (!Array.isArray(container)) {
    document.set({ container, level }, last, value);
    return;
  }
  const index = last === '-' ? container.length : toIndex(last, container.length + 1);
  if (index === undefined || index > container.length) {
    throw new PatchError(`${during}: ${indexProblem(last)}`);
  }
  document.insert({ container, level }, index, value);
}

function indexProblem(segment: string): string {
  return /^-?[0-9]+$/.test(segment)
    ? `Unable to access invalid index: ${segment}: invalid index referenced`
    : `value was not a proper array index: '${segment}': invalid syntax`;
}

function replace(document: JsonDocument, path: Pointer, value: unknown): void {
  if (isRoot(path)) {
    document.replaceRoot(value);
    return;
  }
  const place = open(document, path);
  if (place === undefined) {
    throw new PatchError(`replace operation does not apply: doc is missing path: ${path.text}: missing value`);
  }
  const key = keyIn(place.container, place.last);
  if (key === undefined) {
    throw new PatchError(`replace operation does not apply: doc is missing key: ${path.text}: missing value`);
  }
  document.set(place, key, value);
}

function remove(document: JsonDocument, path: Pointer): void {
  const place = open(document, path);
  if (place === undefined) {
    throw new PatchError(`remove operation does not apply: doc is missing path: "${path.text}": missing value`);
  }
  take(document, place, `error in remove for path: '${path.text}'`);
}

function take(document: JsonDocument, place: WritePosition & { readonly last: string }, during: string): unknown {
  const { container, last } = place;
  const key = keyIn(container, last);
  if (key === undefined) {
    const problem = Array.isArray(container)
      ? indexProblem(last)
      : `unable to remove nonexistent key: ${last}: missing value`;
    throw new PatchError(`${during}: ${problem}`);
  }
  const value = valueIn(container, key);
  document.remove(place, key);
  return value;
}

/** A missing member equals null, as in the Go library. */
function test(document: JsonDocument, path: Pointer, value: unknown): void {
  const found = isRoot(path) ? { container: { '': document.share() }, last: '' } : find(document, path);
  if (found === undefined) {
    throw new PatchError(`test operation does not apply: is missing path: ${path.text}: missing value`);
  }
  const key = keyIn(found.container, found.last);
  if (key === undefined && Array.isArray(found.container)) {
    throw new PatchError(`error in test for path: '${path.text}': ${indexProblem(found.last)}`);
  }
  if (!document.isSame(key === undefined ? null : valueIn(found.container, key), value)) {
    throw new PatchError(`testing value ${path.text} failed: test failed`);
  }
}

function copy(document: JsonDocument, from: Pointer, path: Pointer): void {
  const found = find(document, from);
  if (found === undefined) {
    throw new PatchError(`copy operation does not apply: doc is missing from path: "${from.text}": missing value`);
  }
  const key = keyIn(found.container, found.last);
  if (key === undefined) {
    const problem = Array.isArray(found.container)
      ? indexProblem(found.last)
      : `unable to get nonexistent key: ${found.last}: missing value`;
    throw new PatchError(`error in copy for from: '${from.text}': ${problem}`);
  }
  const value = document.copyOf(valueIn(found.container, key));
  const place = open(document, path);
  if (place === undefined) {
    throw new PatchError(`copy operation does not apply: doc is missing destination path: ${path.text}: missing value`);
  }
  put(document, place, { value, during: 'error while adding value during copy' });
}

function move(document: JsonDocument, from: Pointer, path: Pointer): void {
  const source = open(document, from);
  if (source === undefined) {
    throw new PatchError(`move operation does not apply: doc is missing from path: ${from.text}: missing value`);
  }
  const value = take(document, source, `error in move for path: '${from.text}'`);
  const place = open(document, path);
  if (place === undefined) {
    throw new PatchError(`move operation does not apply: doc is missing destination path: ${path.text}: missing value`);
  }
  put(document, place, { value, during: `error in move for path: '${path.text}'` });
}
