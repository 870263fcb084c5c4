import { describe, expect, it } from 'vitest';
import { compare } from '../../../../../../packages/apiserver/core/apply/compare.ts';
import { pathsOf } from '../../../../../../packages/apiserver/core/apply/field-set.ts';
import { toMergeType } from '../../../../../../packages/apiserver/core/apply/merge-type.ts';
import { toPathText } from '../../../../../../packages/apiserver/core/apply/path-element.ts';
import { widgetSchema } from './managed-object.ts';

const type = toMergeType(widgetSchema);

interface Row {
  readonly reason: string;
  readonly left: unknown;
  readonly right: unknown;
  readonly added?: readonly string[];
  readonly modified?: readonly string[];
  readonly removed?: readonly string[];
}

const rows: readonly Row[] = [
  { reason: 'a value', left: { mode: 'a' }, right: { mode: 'b' }, modified: ['.mode'] },
  { reason: 'a type of value', left: { port: 1 }, right: { port: '1' }, modified: ['.port'] },
  { reason: 'a new field', left: {}, right: { mode: 'a' }, added: ['.mode'] },
  { reason: 'a removed field', left: { mode: 'a' }, right: {}, removed: ['.mode'] },
  { reason: 'a new struct', left: {}, right: { struct: { c: {} } }, added: ['.struct', '.struct.c'] },
  { reason: 'a map that fills', left: { lbl: {} }, right: { lbl: { a: '1' } }, added: ['.lbl.a'] },
  { reason: 'a map that empties', left: { lbl: { a: '1' } }, right: { lbl: {} }, removed: ['.lbl.a'] },
  { reason: 'null for an empty map', left: { lbl: {} }, right: { lbl: null }, modified: ['.lbl'] },
  { reason: 'null for a map', left: { lbl: { a: '1' } }, right: { lbl: null }, removed: ['.lbl.a'] },
  { reason: 'a map for null', left: { lbl: null }, right: { lbl: { a: '1' } }, added: ['.lbl.a'] },
  {
    reason: 'a member of a set',
    left: { tags: ['a', 'b'] },
    right: { tags: ['c', 'b'] },
    added: ['.tags[="c"]'],
    removed: ['.tags[="a"]'],
  },
  {
    reason: 'an item',
    left: { items: [{ name: 'p', v: 1 }] },
    right: { items: [{ name: 'p', v: 2 }] },
    modified: ['.items[name="p"].v'],
  },
  {
    reason: 'a new item',
    left: { items: [{ name: 'p' }] },
    right: { items: [{ name: 'q' }, { name: 'p' }] },
    added: ['.items[name="q"]', '.items[name="q"].name'],
  },
  {
    reason: 'a removed list of items',
    left: { items: [{ name: 'p' }] },
    right: {},
    removed: ['.items', '.items[name="p"]', '.items[name="p"].name'],
  },
  {
    reason: 'nothing but the order of items',
    left: { items: [{ name: 'p' }, { name: 'q' }] },
    right: { items: [{ name: 'q' }, { name: 'p' }] },
  },
  {
    reason: 'a duplicate item',
    left: {
      items: [
        { name: 'p', v: 1 },
        { name: 'p', v: 2 },
      ],
    },
    right: { items: [{ name: 'p', v: 3 }] },
    modified: ['.items[name="p"]'],
  },
  {
    reason: 'an atomic value',
    left: { plain: ['a'], piece: { a: '1' } },
    right: { plain: ['a', 'b'], piece: { a: '2' } },
    modified: ['.piece', '.plain'],
  },
  {
    reason: 'a value for a map',
    left: { free: { x: { a: 1 } } },
    right: { free: { x: 1 } },
    modified: ['.free.x'],
    removed: ['.free.x.a'],
  },
  {
    reason: 'a map for a list',
    left: { free: { x: [1] } },
    right: { free: { x: { b: {} } } },
    modified: ['.free.x'],
    added: ['.free.x.b'],
  },
  {
    reason: 'a field without a schema',
    left: {},
    right: { unknown: { a: 1 } },
    added: ['.unknown', '.unknown.a'],
  },
];

describe('two states of an object', () => {
  it.each(rows)('differ by $reason', ({ left, right, added = [], modified = [], removed = [] }) => {
    const found = compare(type, { spec: left }, { spec: right });
    const textsOf = (part: 'added' | 'modified' | 'removed'): readonly string[] =>
      pathsOf(found[part]).map(path => toPathText(path).replace('.spec', ''));
    expect({ added: textsOf('added'), modified: textsOf('modified'), removed: textsOf('removed') }).toEqual({
      added,
      modified,
      removed,
    });
  });

  it('swap added and removed fields when they are swapped', () => {
    for (const { left, right } of rows) {
      const [there, back] = [
        compare(type, { spec: left }, { spec: right }),
        compare(type, { spec: right }, { spec: left }),
      ];
      expect(back).toEqual({ added: there.removed, modified: there.modified, removed: there.added });
    }
  });
});
