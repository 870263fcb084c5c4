import { describe, expect, it } from 'vitest';
import { allInOrder } from '../../../../../packages/apimachinery/checked.ts';
import type { JsonObject } from '../../../../../packages/apimachinery/json.ts';
import { JsonDocument } from '../../../../../packages/apimachinery/json-patch/document.ts';
import { readOperation } from '../../../../../packages/apimachinery/json-patch/operation.ts';
import { perform } from '../../../../../packages/apimachinery/json-patch/perform.ts';

interface Case {
  readonly reason: string;
  readonly document?: JsonObject;
  readonly patch: readonly unknown[];
  readonly result: JsonObject | string;
}

/** Returns the document after the patch, or the error. */
function patched(document: JsonObject, patch: readonly unknown[]): unknown {
  const operations = allInOrder(patch.map(readOperation));
  if (!operations.ok) {
    return operations.error;
  }
  const before = JSON.stringify(document);
  const draft = new JsonDocument(document);
  try {
    for (const operation of operations.value) {
      perform(draft, operation);
    }
    return draft.share();
  } catch (error) {
    return error instanceof Error ? error.message : error;
  } finally {
    expect(JSON.stringify(document)).toBe(before);
  }
}

const document = { a: { b: 1, n: null, t: 'x' }, l: [1, 2, 3], o: [{ k: 1 }] };

const cases: readonly Case[] = [
  {
    reason: 'adds a member',
    patch: [{ op: 'add', path: '/a/c', value: { d: 1 } }],
    result: { ...document, a: { ...document.a, c: { d: 1 } } },
  },
  {
    reason: 'adds over a member that is there',
    patch: [{ op: 'add', path: '/a', value: 2 }],
    result: { ...document, a: 2 },
  },
  {
    reason: 'writes null',
    patch: [{ op: 'add', path: '/a', value: null }],
    result: { ...document, a: null },
  },
  {
    reason: 'creates no parents',
    patch: [{ op: 'add', path: '/x/y', value: 1 }],
    result: 'add operation does not apply: doc is missing path: "/x/y": missing value',
  },
  {
    reason: 'makes nothing of a null parent',
    patch: [{ op: 'add', path: '/a/n/y', value: 1 }],
    result: 'add operation does not apply: doc is missing path: "/a/n/y": missing value',
  },
  {
    reason: 'finds nothing below a text',
    patch: [{ op: 'add', path: '/a/t/length', value: 1 }],
    result: 'add operation does not apply: doc is missing path: "/a/t/length": missing value',
  },
  {
    reason: 'finds nothing at what is no pointer',
    patch: [{ op: 'add', path: 'a', value: 1 }],
    result: 'add operation does not apply: doc is missing path: "a": missing value',
  },
  {
    reason: 'appends to a list',
    patch: [{ op: 'add', path: '/l/-', value: 4 }],
    result: { ...document, l: [1, 2, 3, 4] },
  },
  {
    reason: 'appends at the index after the last',
    patch: [{ op: 'add', path: '/l/3', value: 4 }],
    result: { ...document, l: [1, 2, 3, 4] },
  },
  {
    reason: 'inserts in front',
    patch: [{ op: 'add', path: '/l/0', value: 0 }],
    result: { ...document, l: [0, 1, 2, 3] },
  },
  {
    reason: 'counts negative indexes from the end',
    patch: [
      { op: 'add', path: '/l/-1', value: 4 },
      { op: 'replace', path: '/l/-4', value: 0 },
      { op: 'remove', path: '/l/-2' },
    ],
    result: { ...document, l: [0, 2, 4] },
  },
  {
    reason: 'leaves no gap in a list',
    patch: [{ op: 'add', path: '/l/4', value: 4 }],
    result: "error in add for path: '/l/4': Unable to access invalid index: 4: invalid index referenced",
  },
  {
    reason: 'goes no further back than the first item',
    patch: [{ op: 'add', path: '/l/-5', value: 4 }],
    result: "error in add for path: '/l/-5': Unable to access invalid index: -5: invalid index referenced",
  },
  {
    reason: 'takes nothing else for an index',
    patch: [{ op: 'add', path: '/l/x', value: 4 }],
    result: "error in add for path: '/l/x': value was not a proper array index: 'x': invalid syntax",
  },
  {
    reason: 'writes into an item',
    patch: [{ op: 'add', path: '/o/0/k', value: 2 }],
    result: { ...document, o: [{ k: 2 }] },
  },
  {
    reason: 'replaces a member',
    patch: [{ op: 'replace', path: '/a/n', value: 2 }],
    result: { ...document, a: { b: 1, n: 2, t: 'x' } },
  },
  {
    reason: 'replaces only what is there',
    patch: [{ op: 'replace', path: '/a/x', value: 2 }],
    result: 'replace operation does not apply: doc is missing key: /a/x: missing value',
  },
  {
    reason: 'replaces no item that a list does not have',
    patch: [{ op: 'replace', path: '/l/3', value: 2 }],
    result: 'replace operation does not apply: doc is missing key: /l/3: missing value',
  },
  {
    reason: 'replaces nothing below what is not there',
    patch: [{ op: 'replace', path: '/x/y', value: 2 }],
    result: 'replace operation does not apply: doc is missing path: /x/y: missing value',
  },
  {
    reason: 'removes members and items',
    patch: [
      { op: 'remove', path: '/a/n' },
      { op: 'remove', path: '/l/1' },
    ],
    result: { ...document, a: { b: 1, t: 'x' }, l: [1, 3] },
  },
  {
    reason: 'removes only what is there',
    patch: [{ op: 'remove', path: '/a/x' }],
    result: "error in remove for path: '/a/x': unable to remove nonexistent key: x: missing value",
  },
  {
    reason: 'removes no item that a list does not have',
    patch: [{ op: 'remove', path: '/l/3' }],
    result: "error in remove for path: '/l/3': Unable to access invalid index: 3: invalid index referenced",
  },
  {
    reason: 'removes nothing below what is not there',
    patch: [{ op: 'remove', path: '/x/y' }],
    result: 'remove operation does not apply: doc is missing path: "/x/y": missing value',
  },
  {
    reason: 'never removes the whole document',
    patch: [{ op: 'remove', path: '' }],
    result: 'remove operation does not apply: doc is missing path: "": missing value',
  },
  {
    reason: 'replaces the whole document',
    patch: [
      { op: 'add', path: '', value: { a: 1 } },
      { op: 'replace', path: '', value: { b: {} } },
      { op: 'add', path: '/b/c', value: 2 },
    ],
    result: { b: { c: 2 } },
  },
  {
    reason: 'makes no list of a document',
    patch: [{ op: 'add', path: '', value: [] }],
    result: 'the whole document can be replaced by an object only',
  },
  {
    reason: 'unescapes pointers, the tilde last',
    document: { 'a/b': 1, 'c~1d': 2, '': { '': 3 } },
    patch: [
      { op: 'replace', path: '/a~1b', value: 4 },
      { op: 'replace', path: '/c~01d', value: 5 },
      { op: 'replace', path: '//', value: 6 },
    ],
    result: { 'a/b': 4, 'c~1d': 5, '': { '': 6 } },
  },
  {
    reason: 'tests values, whatever the order of their members',
    patch: [
      { op: 'test', path: '/a', value: { t: 'x', n: null, b: 1 } },
      { op: 'test', path: '/l/-1', value: 3 },
      { op: 'test', path: '', value: document },
    ],
    result: document,
  },
  {
    reason: 'takes what is not there for null in a test',
    patch: [{ op: 'test', path: '/a/x' }],
    result: document,
  },
  {
    reason: 'fails where a test does',
    patch: [
      { op: 'test', path: '/a/b', value: 2 },
      { op: 'remove', path: '/a' },
    ],
    result: 'testing value /a/b failed: test failed',
  },
  {
    reason: 'finds no item, not even null, beyond the end of a list',
    patch: [{ op: 'test', path: '/l/9', value: null }],
    result: "error in test for path: '/l/9': Unable to access invalid index: 9: invalid index referenced",
  },
  {
    reason: 'copies no item beyond the end of a list',
    patch: [{ op: 'copy', from: '/l/3', path: '/a' }],
    result: "error in copy for from: '/l/3': Unable to access invalid index: 3: invalid index referenced",
  },
  {
    reason: 'tests nothing below what is not there',
    patch: [{ op: 'test', path: '/x/y', value: null }],
    result: 'test operation does not apply: is missing path: /x/y: missing value',
  },
  {
    reason: 'copies, so that later changes show in one place only',
    patch: [
      { op: 'copy', from: '/o', path: '/p' },
      { op: 'add', path: '/o/0/k', value: 2 },
      { op: 'add', path: '/p/-', value: 3 },
    ],
    result: { ...document, o: [{ k: 2 }], p: [{ k: 1 }, 3] },
  },
  {
    reason: 'copies items',
    patch: [{ op: 'copy', from: '/l/0', path: '/l/-' }],
    result: { ...document, l: [1, 2, 3, 1] },
  },
  {
    reason: 'copies nothing that is not there',
    patch: [{ op: 'copy', from: '/a/x', path: '/p' }],
    result: "error in copy for from: '/a/x': unable to get nonexistent key: x: missing value",
  },
  {
    reason: 'copies nothing from below what is not there',
    patch: [{ op: 'copy', from: '/x/y', path: '/p' }],
    result: 'copy operation does not apply: doc is missing from path: "/x/y": missing value',
  },
  {
    reason: 'the whole document goes into no part of itself',
    document: { a: 1 },
    patch: [{ op: 'copy', from: '', path: '/p' }],
    result: 'copy operation does not apply: doc is missing from path: "": missing value',
  },
  {
    reason: 'copies nothing to below what is not there',
    patch: [{ op: 'copy', from: '/a', path: '/x/y' }],
    result: 'copy operation does not apply: doc is missing destination path: /x/y: missing value',
  },
  {
    reason: 'copies to no index that a list does not have',
    patch: [{ op: 'copy', from: '/a', path: '/l/9' }],
    result: 'error while adding value during copy: Unable to access invalid index: 9: invalid index referenced',
  },
  {
    reason: 'moves',
    patch: [
      { op: 'move', from: '/a/b', path: '/l/0' },
      { op: 'move', from: '/o', path: '/a/o' },
      { op: 'add', path: '/a/o/0/k', value: 2 },
    ],
    result: { a: { n: null, t: 'x', o: [{ k: 2 }] }, l: [1, 1, 2, 3] },
  },
  {
    reason: 'moves nothing that is not there',
    patch: [{ op: 'move', from: '/a/x', path: '/p' }],
    result: "error in move for path: '/a/x': unable to remove nonexistent key: x: missing value",
  },
  {
    reason: 'moves nothing from below what is not there',
    patch: [{ op: 'move', from: '/x/y', path: '/p' }],
    result: 'move operation does not apply: doc is missing from path: /x/y: missing value',
  },
  {
    reason: 'moves nothing into itself',
    patch: [{ op: 'move', from: '/a', path: '/a/b' }],
    result: 'move operation does not apply: doc is missing destination path: /a/b: missing value',
  },
  {
    reason: 'refuses what is not an operation',
    patch: [{ op: 'remove', path: '/a' }, 'x'],
    result: 'not an object',
  },
  {
    reason: 'refuses an unknown operation',
    patch: [{ op: 'append', path: '/a' }],
    result: 'unsupported operation "append"',
  },
  {
    reason: 'refuses an operation without a name',
    patch: [{ path: '/a' }],
    result: 'unsupported operation',
  },
  {
    reason: 'refuses an operation without a path',
    patch: [{ op: 'remove' }],
    result: "failed to decode 'path': missing value",
  },
  {
    reason: 'refuses to add nothing',
    patch: [{ op: 'add', path: '/a' }],
    result: "failed to decode 'value': missing value",
  },
  {
    reason: 'refuses to move from nowhere',
    patch: [{ op: 'move', path: '/a' }],
    result: "failed to decode 'from': missing value",
  },
];

describe('a JSON patch', () => {
  it.each(cases)('$reason', ({ document: given = document, patch, result }) => {
    expect(patched(given, patch)).toEqual(result);
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])('has %s for a plain key', key => {
    const operations = (...patch: readonly unknown[]): unknown => patched({ a: {} }, patch);
    expect(operations({ op: 'add', path: `/a/${key}/polluted`, value: 1 })).toBe(
      `add operation does not apply: doc is missing path: "/a/${key}/polluted": missing value`,
    );
    expect(operations({ op: 'replace', path: `/a/${key}`, value: 1 })).toBe(
      `replace operation does not apply: doc is missing key: /a/${key}: missing value`,
    );
    expect(operations({ op: 'test', path: `/a/${key}`, value: null })).toEqual({ a: {} });
    const written = operations(
      { op: 'add', path: `/a/${key}`, value: { polluted: 1 } },
      { op: 'add', path: `/a/${key}/more`, value: 2 },
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'move', from: `/a/${key}`, path: `/${key}` },
    );
    expect(JSON.stringify(written)).toBe(
      `{"a":{},"b":{"${key}":{"polluted":1,"more":2}},"${key}":{"polluted":1,"more":2}}`,
    );
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    expect(Object.hasOwn(Object, 'polluted')).toBe(false);
  });
});
