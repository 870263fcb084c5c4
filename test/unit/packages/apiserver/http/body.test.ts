import { describe, expect, it } from 'vitest';
import { decodeApplied, decodeBody, toPatchType } from '../../../../../packages/apiserver/http/body.ts';
import { refusalOf } from '../core/core-with-widgets.ts';

describe('the body of a request', () => {
  it.each([
    ['{"a":{"b":1.0}}', 'application/json', { a: { b: 1 } }],
    ['{"a":1}', undefined, { a: 1 }],
    ['{"a":1}', 'application/json; charset=utf-8', { a: 1 }],
    ['a:\n  b: [1, x]\n', 'application/yaml', { a: { b: [1, 'x'] } }],
    ['', 'application/json', undefined],
    [' \n', 'application/yaml', undefined],
  ])('%j of type %s is read', (text, type, value) => {
    expect(decodeBody(text, type)).toEqual({ value, duplicates: [] });
  });

  it.each([
    ['{"a":1,"a":2}', 'application/json', { a: 2 }, ['a']],
    ['{"a":[{"b":1,"c":"\\":","b":2}]}', 'application/json', { a: [{ b: 2, c: '":' }] }, ['a[0].b']],
    ['a: 1\na: 2\n', 'application/yaml', { a: 2 }, ['a']],
    ['{"a":"b\\\\","c":"\\"d\\" : "}', 'application/json', { a: 'b\\', c: '"d" : ' }, []],
  ])('%j has a duplicate member', (text, type, value, duplicates) => {
    expect(decodeBody(text, type)).toEqual({ value, duplicates });
  });

  it.each([
    ['{', 'application/json', 'cut off'],
    ['{"a": 9007199254740993}', 'application/json', 'a number that would be rounded'],
    ['{"a": 1e999}', 'application/json', 'a number without end'],
    ['{"__proto__": {}}', 'application/json', 'the name of a prototype'],
    ['['.repeat(2000) + ']'.repeat(2000), 'application/json', 'too deep'],
    ['a: [', 'application/yaml', 'cut off'],
    [
      'a: &x [1,1]\nb: &y [*x,*x]\nc: &z [*y,*y]\nd: [*z,*z,*z,*z,*z,*z,*z,*z,*z,*z,*z,*z,*z,*z,*z,*z]',
      'application/yaml',
      'a bomb',
    ],
  ])('%.40s of type %s is refused: %s', (text, type) => {
    expect(refusalOf(() => decodeBody(text, type))).toMatchObject({ code: 400, reason: 'BadRequest' });
  });

  it('is refused in an unknown format', () => {
    expect(refusalOf(() => decodeBody('{}', 'text/plain'))).toMatchObject({ code: 415 });
  });

  it('of a patch has its type by the content type', () => {
    expect(toPatchType('application/merge-patch+json; charset=utf-8')).toBe('merge');
    expect(toPatchType('application/json-patch+json')).toBe('json');
    expect(toPatchType('application/apply-patch+yaml')).toBe('apply');
  });

  it.each([
    ['{"a": 1, "a": 2}', { a: 2 }, ['a'], 'JSON'],
    ['a: 1\na: 2\n', { a: 2 }, ['a'], 'YAML'],
    ['', {}, [], 'nothing'],
  ])('of an apply may be %j, %s', (text, value, duplicates, _reason) => {
    expect(decodeApplied(text)).toEqual({ value, duplicates });
  });

  it.each([
    ['application/apply-patch+cbor', /application\/apply-patch\+yaml$/],
    ['application/strategic-merge-patch+json', /application\/apply-patch\+yaml$/],
    ['application/json', /application\/apply-patch\+yaml$/],
    [undefined, /application\/apply-patch\+yaml$/],
  ])('of a patch of type %s is refused', (type, message) => {
    const refusal = refusalOf(() => toPatchType(type));
    expect(refusal.code).toBe(415);
    expect(refusal.message).toMatch(message);
  });
});
