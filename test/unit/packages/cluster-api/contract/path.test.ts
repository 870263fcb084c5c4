import { describe, expect, test } from 'vitest';
import {
  mapFound,
  readBoolean,
  readInteger,
  readList,
  readMap,
  readString,
  setAt,
  valueOr,
} from '../../../../../packages/cluster-api/contract/path.ts';
import { fc } from '../../../../support/property.ts';

const object = {
  spec: { replicas: 3, version: 'v1.31.0', paused: true, list: [1, 'a'], map: { a: 1 }, half: 1.5, nothing: null },
};

describe('reading a field', () => {
  test.each([
    { found: readInteger(object, 'spec.replicas'), value: 3 },
    { found: readString(object, 'spec.version'), value: 'v1.31.0' },
    { found: readBoolean(object, 'spec.paused'), value: true },
    { found: readList(object, 'spec.list'), value: [1, 'a'] },
    { found: readMap(object, 'spec.map'), value: { a: 1 } },
  ])('finds $value', ({ found, value }) => {
    expect(found).toEqual({ state: 'value', value });
  });

  test.each([
    { object, path: 'spec.other', reason: 'no such field' },
    { object, path: 'status.ready', reason: 'no such parent' },
    { object, path: 'spec.nothing', reason: 'null is absent' },
    { object, path: 'spec.nothing.deeper', reason: 'so is what is below null' },
    { object, path: 'constructor', reason: 'only fields of its own count' },
    { object: undefined, path: 'spec', reason: 'no object' },
  ])('$path is absent: $reason', ({ object, path }) => {
    expect(readString(object, path)).toEqual({ state: 'absent' });
  });

  test.each([
    { found: readBoolean(object, 'spec.version'), problem: '.spec.version is a string, expected a boolean' },
    { found: readString(object, 'spec.paused'), problem: '.spec.paused is a boolean, expected a string' },
    { found: readInteger(object, 'spec.half'), problem: '.spec.half is a number, expected a whole number' },
    { found: readMap(object, 'spec.list'), problem: '.spec.list is a list, expected an object' },
    { found: readList(object, 'spec.map'), problem: '.spec.map is an object, expected a list' },
  ])('of the wrong type: $problem', ({ found, problem }) => {
    expect(found).toEqual({
      state: 'wrongType',
      error: expect.stringMatching(/^failed to get \.spec\.\w+ from object: /),
    });
    expect(found.state === 'wrongType' && found.error).toContain(problem);
  });

  test('names the parent of the wrong type', () => {
    expect(readString(object, 'spec.version.major.minor')).toEqual({
      state: 'wrongType',
      error: 'failed to get .spec.version.major.minor from object: .spec.version is a string, expected an object',
    });
    expect(readString('text', 'spec')).toMatchObject({ state: 'wrongType' });
  });
});

test('a missing value can be replaced, and a present one mapped', () => {
  expect(valueOr(readInteger(object, 'spec.replicas'), 1)).toBe(3);
  expect(valueOr(readInteger(object, 'spec.other'), 1)).toBe(1);
  expect(mapFound(readInteger(object, 'spec.replicas'), value => value + 1)).toEqual({ state: 'value', value: 4 });
  expect(mapFound(readInteger(object, 'spec.other'), value => value + 1)).toEqual({ state: 'absent' });
});

describe('setting a field', () => {
  test('creates missing parents and shares everything else', () => {
    const set = setAt(object, 'status.initialization.provisioned', true);
    expect(set).toEqual({ ...object, status: { initialization: { provisioned: true } } });
    expect(set.spec).toBe(object.spec);
    expect(object).not.toHaveProperty('status');
  });

  test('keeps the neighbours', () => {
    expect(setAt({ a: { b: 1, c: 2 } }, 'a.b', 3)).toEqual({ a: { b: 3, c: 2 } });
  });

  test('replaces a value on the path that is not an object', () => {
    expect(setAt({ a: null }, 'a.b.c', 3)).toEqual({ a: { b: { c: 3 } } });
    expect(setAt({ a: 'text', b: 1 }, 'a.b', 3)).toEqual({ a: { b: 3 }, b: 1 });
  });

  test('a field that was set is read back', () => {
    const path = fc.array(fc.stringMatching(/^[a-z]{1,3}$/), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.object(), path, fc.string(), (any, fields, value) => {
        const at = fields.join('.');
        expect(readString(setAt(any, at, value), at)).toEqual({ state: 'value', value });
      }),
    );
  });
});
