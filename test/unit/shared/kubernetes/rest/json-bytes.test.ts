import { describe, expect, it } from 'vitest';
import { countValues, keepFields, toKeptFields } from '../../../../../shared/kubernetes/rest/json-bytes.ts';

function kept(value: unknown, paths: readonly string[], space?: number): unknown {
  return JSON.parse(keepFields(Buffer.from(JSON.stringify(value, undefined, space)), toKeptFields(paths)).toString());
}

describe('the number of values', () => {
  it.each<[json: string, values: number, reason: string]>([
    ['"{,[\\",{"', 0, 'signs inside a text are no values'],
    ['{"a":1,"b":[1,2],"c":{}}', 6, 'containers and commas count'],
    ['[{},{},{}]', 6, 'each empty object and its comma count'],
    ['"never ends {', 0, 'a text without an end'],
    ['"\\', 0, 'a text that ends with an escape'],
  ])('of %s is %s: %s', (json, values) => {
    expect(countValues(Buffer.from(json), 100)).toBe(values);
  });

  it('is not counted further above the maximum', () => {
    expect(countValues(Buffer.from(`[${'{},'.repeat(1000)}{}]`), 10)).toBe(11);
  });
});

describe('the fields to keep', () => {
  const machine = {
    kind: 'Machine',
    metadata: { name: 'é "quoted" }', labels: { spec: 'a' } },
    spec: { clusterName: 'c', bootstrap: { configRef: { kind: 'K' }, other: [1, { configRef: 2 }] }, taints: [{}, {}] },
    status: { nodeRef: { name: 'n' }, conditions: [{ type: 'A', message: 'm' }, { type: 'B' }] },
  };

  it.each<[paths: readonly string[], expected: unknown, reason: string]>([
    [['kind', 'spec.clusterName'], { kind: 'Machine', spec: { clusterName: 'c' } }, 'fields at several depths'],
    [['spec.bootstrap.configRef'], { spec: { bootstrap: { configRef: { kind: 'K' } } } }, 'only below that path'],
    [['spec.bootstrap', 'spec.bootstrap.other'], { spec: { bootstrap: machine.spec.bootstrap } }, 'a whole field'],
    [['metadata'], { metadata: machine.metadata }, 'texts with signs of JSON'],
    [['status.conditions.type'], { status: { conditions: [{ type: 'A' }, { type: 'B' }] } }, 'fields of each item'],
    [['spec.absent', 'absent'], { spec: {} }, 'an absent field keeps the objects around it'],
    [[], {}, 'no field'],
  ])('%j are read with and without spaces: %s', (paths, expected) => {
    expect(kept(machine, paths)).toEqual(expected);
    expect(kept(machine, paths, 2)).toEqual(expected);
  });

  it.each<[value: unknown, expected: unknown, reason: string]>([
    [{ a: null }, { a: null }, 'null'],
    [{ a: 1.5e3, z: 1 }, { a: 1500 }, 'a number'],
    [{ a: [] }, { a: [] }, 'an empty list'],
    [
      { a: [1, 'x', null, [{ b: 1, c: 2 }], { b: 1, c: 2 }] },
      { a: [1, 'x', null, [{ b: 1, c: 2 }], { b: 1 }] },
      'a list of anything',
    ],
    ['text', 'text', 'no object'],
  ])('a value of another type than expected is kept: %j', (value, expected) => {
    expect(kept(value, ['a.b'])).toEqual(expected);
  });

  it('of lists in lists take no more calls than the fields are deep', () => {
    const depth = 1_000_000;
    const json = Buffer.from(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`);
    expect(keepFields(json, toKeptFields(['a.b']))).toEqual(json);
  });

  it('are not needed for a member with a long name', () => {
    expect(kept({ ['x'.repeat(1000)]: { y: 1 }, y: 2 }, ['y'])).toEqual({ y: 2 });
  });

  it.each([
    `[${'{},'.repeat(1000)}{}]`,
    `{"a":[${'{"b":{}},'.repeat(1000)}{"b":1}]}`,
    `[${'{}'.repeat(1000)}]`,
    `{${'"a":{"b":1}'.repeat(1000)}}`,
    `{"z":1,"a":1"z":1,"a":2}`,
  ])('take no more bytes than the text: %#', text => {
    const result = keepFields(Buffer.from(text), toKeptFields(['a.b', 'b']));
    expect(result.length).toBeLessThanOrEqual(text.length);
    expect(result.buffer.byteLength).toBeLessThanOrEqual(Math.max(text.length, Buffer.poolSize));
  });

  it.each(['', '{', '{"a"', '{"a":', '{"a":[1,', '{"a":{"b":', '{"a" 1', '[{"a":1}', '{"a":]}', '[}', '{"a":[}', '"a'])(
    'of a text that is not JSON end: %s',
    text => {
      const result = keepFields(Buffer.from(text), toKeptFields(['a.b']));
      expect(() => JSON.parse(result.toString())).toThrow(SyntaxError);
    },
  );
});
