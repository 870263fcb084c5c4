import { describe, expect, it } from 'vitest';
import { typeProblems } from '../../../../../../packages/apiserver/core/apply/check-type.ts';
import { toMergeType } from '../../../../../../packages/apiserver/core/apply/merge-type.ts';
import { widgetSchema } from './managed-object.ts';

const type = toMergeType(widgetSchema);

describe('an intent', () => {
  it.each([
    { reason: 'a text for a number', spec: { size: 'x' }, problem: '.spec.size: expected number, got string' },
    { reason: 'a number for a text', spec: { mode: 1 }, problem: '.spec.mode: expected string, got number' },
    { reason: 'a number for bytes', spec: { seed: 1 }, problem: '.spec.seed: expected string, got number' },
    { reason: 'a text for a flag', spec: { on: 'x' }, problem: '.spec.on: expected boolean, got string' },
    { reason: 'a list for a struct', spec: { struct: [] }, problem: '.spec.struct: expected map, got list' },
    { reason: 'a map for a list', spec: { tags: {} }, problem: '.spec.tags: expected list, got map' },
    { reason: 'a map for an int-or-string', spec: { port: {} }, problem: '.spec.port: expected any scalar, got map' },
    { reason: 'an unknown field', spec: { nope: 1 }, problem: '.spec.nope: field not declared in schema' },
    {
      reason: 'an unknown field of an item',
      spec: { items: [{ name: 'p', x: 1 }] },
      problem: '.spec.items[0].x: field not declared in schema',
    },
    {
      reason: 'a wrong item of an atomic list',
      spec: { plain: ['a', 1] },
      problem: '.spec.plain[1]: expected string, got number',
    },
    {
      reason: 'a wrong member of an atomic map',
      spec: { piece: { a: 1 } },
      problem: '.spec.piece.a: expected string, got number',
    },
    { reason: 'duplicates in a set', spec: { tags: ['a', 'a'] }, problem: '.spec.tags: duplicate entries for key "a"' },
    {
      reason: 'duplicate keys',
      spec: { items: [{ name: 'p' }, { name: 'p' }] },
      problem: '.spec.items: duplicate entries for key {"name":"p"}',
    },
    {
      reason: 'null in a set',
      spec: { tags: [null] },
      problem: ".spec.tags: element 0: associative list without keys has an element that's an explicit null",
    },
    {
      reason: 'a map in a set',
      spec: { tags: [{}] },
      problem: ".spec.tags: element 0: associative list without keys has an element that's a map type",
    },
    {
      reason: 'a list in a set',
      spec: { tags: [[]] },
      problem: ".spec.tags: element 0: associative list without keys has an element that's a list type",
    },
    {
      reason: 'an item without its key',
      spec: { items: [{ v: 1 }] },
      problem: '.spec.items: element 0: associative list with keys has an element that omits all key fields ["name"]',
    },
    {
      reason: 'a null item',
      spec: { items: [null] },
      problem: '.spec.items: element 0: associative list with keys may not have a null element',
    },
    {
      reason: 'an item that is not a map',
      spec: { items: ['x'] },
      problem: '.spec.items: element 0: associative list with keys may not have non-map elements',
    },
    { reason: 'unknown metadata', metadata: { nope: 1 }, problem: '.metadata.nope: field not declared in schema' },
  ])('does not fit with $reason', ({ problem, reason: _, ...object }) => {
    expect(typeProblems(type, object)).toEqual([problem]);
  });

  it.each([
    { reason: 'null for anything', spec: { mode: null, lbl: null, tags: null, struct: null, free: null } },
    { reason: 'a number where a format is', spec: { until: 1 } },
    { reason: 'a text and a number for an int-or-string', spec: { port: 'http' } },
    { reason: 'some of the keys', spec: { ports: [{ protocol: 'TCP' }] } },
    { reason: 'the default of a key', spec: { ports: [{ name: 'x' }] } },
    { reason: 'anything where unknown fields are kept', spec: { free: { a: [{ b: null }, 1] } } },
    { reason: 'anything where nothing is described', spec: { bare: { a: 1 } } },
    {
      reason: 'an embedded object',
      spec: { embedded: { apiVersion: 'v1', kind: 'X', metadata: { labels: { a: 'b' } } } },
    },
  ])('fits with $reason', ({ reason: _, ...object }) => {
    expect(typeProblems(type, object)).toEqual([]);
  });
});
