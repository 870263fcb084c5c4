// Applies JSON patches strictly (RFC 6902): parents must be there, and what is replaced or removed, too. Errors are worded as
// those of the library that Cluster API uses.
// https://datatracker.ietf.org/doc/html/rfc6902, https://pkg.go.dev/github.com/evanphx/json-patch/v5
import { sameJson } from '../../api/json.ts';
import { type Container, type Draft, keyIn, type Place, toIndex, valueIn } from './draft.ts';
import { PatchError } from './limits.ts';
import type { Operation, Pointer } from './operation.ts';

/** Changes the draft. Throws PatchError for what does not apply; the draft is of no use any more then. */
export function perform(draft: Draft, operation: Operation): void {
  switch (operation.op) {
    case 'add':
      add(draft, operation.path, operation.value);
      break;
    case 'replace':
      replace(draft, operation.path, operation.value);
      break;
    case 'remove':
      remove(draft, operation.path);
      break;
    case 'test':
      test(draft, operation.path, operation.value);
      break;
    case 'copy':
      copy(draft, operation.from, operation.path);
      break;
    case 'move':
      move(draft, operation.from, operation.path);
      break;
  }
}

/** The parent's path and the last segment; undefined for the root, and for what is no pointer. */
function split({ segments }: Pointer): { readonly parent: readonly string[]; readonly last: string } | undefined {
  const last = segments?.at(-1);
  return segments === undefined || last === undefined ? undefined : { parent: segments.slice(0, -1), last };
}

function isRoot({ segments }: Pointer): boolean {
  return segments?.length === 0;
}

/** For writing. */
function open(draft: Draft, pointer: Pointer): (Place & { readonly last: string }) | undefined {
  const at = split(pointer);
  const place = at === undefined ? undefined : draft.open(at.parent);
  return at === undefined || place === undefined ? undefined : { ...place, last: at.last };
}

/** For reading. */
function find(draft: Draft, pointer: Pointer): { readonly container: Container; readonly last: string } | undefined {
  const at = split(pointer);
  const container = at === undefined ? undefined : draft.containerAt(at.parent);
  return at === undefined || container === undefined ? undefined : { container, last: at.last };
}

function add(draft: Draft, path: Pointer, value: unknown): void {
  if (isRoot(path)) {
    draft.replaceRoot(value);
    return;
  }
  const place = open(draft, path);
  if (place === undefined) {
    throw new PatchError(`add operation does not apply: doc is missing path: "${path.text}": missing value`);
  }
  put(draft, place, { value, during: `error in add for path: '${path.text}'` });
}

/** A member is set; an item is inserted. */
function put(
  draft: Draft,
  { container, level, last }: Place & { readonly last: string },
  { value, during }: { readonly value: unknown; readonly during: string },
): void {
  if (!Array.isArray(container)) {
    draft.set({ container, level }, last, value);
    return;
  }
  const index = last === '-' ? container.length : toIndex(last, container.length + 1);
  if (index === undefined || index > container.length) {
    throw new PatchError(`${during}: ${indexProblem(last)}`);
  }
  draft.insert({ container, level }, index, value);
}

function indexProblem(segment: string): string {
  return /^-?[0-9]+$/.test(segment)
    ? `Unable to access invalid index: ${segment}: invalid index referenced`
    : `value was not a proper array index: '${segment}': invalid syntax`;
}

function replace(draft: Draft, path: Pointer, value: unknown): void {
  if (isRoot(path)) {
    draft.replaceRoot(value);
    return;
  }
  const place = open(draft, path);
  if (place === undefined) {
    throw new PatchError(`replace operation does not apply: doc is missing path: ${path.text}: missing value`);
  }
  const key = keyIn(place.container, place.last);
  if (key === undefined) {
    throw new PatchError(`replace operation does not apply: doc is missing key: ${path.text}: missing value`);
  }
  draft.set(place, key, value);
}

function remove(draft: Draft, path: Pointer): void {
  const place = open(draft, path);
  if (place === undefined) {
    throw new PatchError(`remove operation does not apply: doc is missing path: "${path.text}": missing value`);
  }
  take(draft, place, `error in remove for path: '${path.text}'`);
}

function take(draft: Draft, place: Place & { readonly last: string }, during: string): unknown {
  const { container, last } = place;
  const key = keyIn(container, last);
  if (key === undefined) {
    const problem = Array.isArray(container)
      ? indexProblem(last)
      : `unable to remove nonexistent key: ${last}: missing value`;
    throw new PatchError(`${during}: ${problem}`);
  }
  const value = valueIn(container, key);
  draft.remove(place, key);
  return value;
}

/** What is not there equals null, as it does for the library. */
function test(draft: Draft, path: Pointer, value: unknown): void {
  const found = isRoot(path) ? { container: { '': draft.share() }, last: '' } : find(draft, path);
  if (found === undefined) {
    throw new PatchError(`test operation does not apply: is missing path: ${path.text}: missing value`);
  }
  const key = keyIn(found.container, found.last);
  if (!sameJson(key === undefined ? null : valueIn(found.container, key), value)) {
    throw new PatchError(`testing value ${path.text} failed: test failed`);
  }
}

function copy(draft: Draft, from: Pointer, path: Pointer): void {
  const found = find(draft, from);
  if (found === undefined) {
    throw new PatchError(`copy operation does not apply: doc is missing from path: "${from.text}": missing value`);
  }
  const key = keyIn(found.container, found.last);
  if (key === undefined) {
    throw new PatchError(
      `error in copy for from: '${from.text}': unable to get nonexistent key: ${found.last}: missing value`,
    );
  }
  const value = draft.copyOf(valueIn(found.container, key));
  const place = open(draft, path);
  if (place === undefined) {
    throw new PatchError(`copy operation does not apply: doc is missing destination path: ${path.text}: missing value`);
  }
  put(draft, place, { value, during: 'error while adding value during copy' });
}

function move(draft: Draft, from: Pointer, path: Pointer): void {
  const source = open(draft, from);
  if (source === undefined) {
    throw new PatchError(`move operation does not apply: doc is missing from path: ${from.text}: missing value`);
  }
  const value = take(draft, source, `error in move for path: '${from.text}'`);
  const place = open(draft, path);
  if (place === undefined) {
    throw new PatchError(`move operation does not apply: doc is missing destination path: ${path.text}: missing value`);
  }
  put(draft, place, { value, during: `error in move for path: '${path.text}'` });
}
