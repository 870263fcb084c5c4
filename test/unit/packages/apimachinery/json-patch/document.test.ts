import { describe, expect, it } from 'vitest';
import { JsonDocument, keyIn, toIndex } from '../../../../../packages/apimachinery/json-patch/document.ts';

describe('a document', () => {
  it('does not change its input or values that were copied before', () => {
    const root = { a: { b: 0 }, l: [1] };
    const document = new JsonDocument(root);
    document.set(document.enter(document.root(), 'a'), 'b', 1);
    const shared = document.share();
    document.set(document.enter(document.root(), 'a'), 'b', 2);
    expect(root).toEqual({ a: { b: 0 }, l: [1] });
    expect(shared).toEqual({ a: { b: 1 }, l: [1] });
    expect(shared['l']).toBe(root.l);
    expect(document.share()).toEqual({ a: { b: 2 }, l: [1] });
  });

  it('copies a container once', () => {
    const document = new JsonDocument({ a: {} });
    const { container } = document.enter(document.root(), 'a');
    expect(document.enter(document.root(), 'a').container).toBe(container);
  });

  it('counts the levels below its root', () => {
    const document = new JsonDocument({ a: { b: [] } });
    expect(document.open(['a', 'b'])).toEqual({ container: [], level: 2 });
    expect(document.open(['a', 'c'])).toBeUndefined();
    expect(document.open(['a', 'b', '0'])).toBeUndefined();
  });

  it.each([[[1]], ['text'], [null], [undefined]])('is an object, never %j', value => {
    expect(() => new JsonDocument({}).replaceRoot(value)).toThrow(
      'the whole document can be replaced by an object only',
    );
  });

  it('copies values deeply', () => {
    const value = { list: [{ a: 1 }], text: 't' };
    const copy = new JsonDocument({}).copyOf(value) as typeof value; // true: a copy has the type of the value
    expect(copy).toEqual(value);
    expect(copy.list).not.toBe(value.list);
    expect(copy.list[0]).not.toBe(value.list[0]);
  });
});

describe('a key', () => {
  it.each([
    { segment: '0', index: 0 },
    { segment: '12', index: 12 },
    { segment: '-1', index: 2 },
    { segment: '-3', index: 0 },
    { segment: '-4', index: undefined },
    { segment: '01', index: undefined },
    { segment: 'x1', index: undefined },
    { segment: '1x', index: undefined },
    { segment: '', index: undefined },
    { segment: '-', index: undefined },
  ])('of a list is an index, or one from its end: $segment', ({ segment, index }) => {
    expect(toIndex(segment, 3)).toBe(index);
  });

  it('is found only where there is a value', () => {
    expect(keyIn([1, 2], '1')).toBe('1');
    expect(keyIn([1, 2], '2')).toBeUndefined();
    expect(keyIn({ a: 1 }, 'a')).toBe('a');
    expect(keyIn({ a: 1 }, 'toString')).toBeUndefined();
  });
});
