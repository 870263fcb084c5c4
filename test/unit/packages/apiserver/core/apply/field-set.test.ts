import { describe, expect, it } from 'vitest';
import {
  difference,
  differenceBelow,
  intersection,
  type OptionalFieldSet,
  parseFields,
  pathsOf,
  setOf,
  union,
} from '../../../../../../packages/apiserver/core/apply/field-set.ts';

/** A small linear congruential generator. The same seed generates the same sets. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const elements = ['f:a', 'f:b', 'f:c', 'k:{"n":"x"}', 'v:"y"', 'v:1'];

function randomSet(below: (limit: number) => number): OptionalFieldSet {
  const paths = Array.from({ length: below(7) }, () =>
    Array.from({ length: 1 + below(3) }, () => elements[below(elements.length)] ?? 'f:a'),
  );
  return setOf(...paths);
}

function textsOf(set: OptionalFieldSet): ReadonlySet<string> {
  return new Set(pathsOf(set).map(path => path.join('/')));
}

function startsWithOneOf(path: string, set: OptionalFieldSet): boolean {
  return [...textsOf(set)].some(other => path === other || path.startsWith(`${other}/`));
}

const triples = Array.from({ length: 200 }, (_, seed) => {
  const below = numbers(seed + 1);
  return [randomSet(below), randomSet(below), randomSet(below)] as const;
});

describe('the algebra of sets of fields', () => {
  it.each<{
    readonly law: string;
    readonly left: (...of: [OptionalFieldSet, OptionalFieldSet, OptionalFieldSet]) => OptionalFieldSet;
    readonly right: (...of: [OptionalFieldSet, OptionalFieldSet, OptionalFieldSet]) => OptionalFieldSet;
  }>([
    { law: 'union commutes', left: (a, b) => union(a, b), right: (a, b) => union(b, a) },
    { law: 'union associates', left: (a, b, c) => union(union(a, b), c), right: (a, b, c) => union(a, union(b, c)) },
    { law: 'intersection commutes', left: (a, b) => intersection(a, b), right: (a, b) => intersection(b, a) },
    {
      law: 'intersection associates',
      left: (a, b, c) => intersection(intersection(a, b), c),
      right: (a, b, c) => intersection(a, intersection(b, c)),
    },
    {
      law: 'intersection distributes over union',
      left: (a, b, c) => intersection(a, union(b, c)),
      right: (a, b, c) => union(intersection(a, b), intersection(a, c)),
    },
    { law: 'a set is its parts', left: a => a, right: (a, b) => union(difference(a, b), intersection(a, b)) },
    {
      law: 'what is taken away twice is taken away together',
      left: (a, b, c) => difference(difference(a, b), c),
      right: (a, b, c) => difference(a, union(b, c)),
    },
    { law: 'nothing is left of a set without itself', left: a => difference(a, a), right: () => undefined },
    { law: 'a set holds its union with a part', left: (a, b) => union(a, intersection(a, b)), right: a => a },
    { law: 'its spelling is canonical', left: a => parseFields(JSON.parse(JSON.stringify(a ?? {}))), right: a => a },
  ])('$law', ({ left, right }) => {
    for (const [a, b, c] of triples) {
      expect(JSON.stringify(left(a, b, c))).toBe(JSON.stringify(right(a, b, c)));
    }
  });

  it('equals that of sets of path texts', () => {
    for (const [a, b] of triples) {
      const [left, right] = [textsOf(a), textsOf(b)];
      expect(textsOf(union(a, b))).toEqual(new Set([...left, ...right]));
      expect(textsOf(intersection(a, b))).toEqual(new Set([...left].filter(path => right.has(path))));
      expect(textsOf(difference(a, b))).toEqual(new Set([...left].filter(path => !right.has(path))));
      expect(textsOf(differenceBelow(a, b))).toEqual(new Set([...left].filter(path => !startsWithOneOf(path, b))));
    }
  });

  it('returns the very same set where nothing changes', () => {
    for (const [a, b] of triples) {
      expect(union(a, intersection(a, b))).toBe(a);
      expect(difference(a, difference(b, a))).toBe(a);
      expect(intersection(a, union(a, b))).toBe(a);
    }
  });
});

describe('a set of fields', () => {
  it('is written with the node itself first, then its members in order', () => {
    const set = setOf(['v:"y"'], ['f:b'], ['f:a', 'f:c'], ['f:a'], ['k:{"n":"x"}']);
    expect(JSON.stringify(set)).toBe('{"f:a":{".":{},"f:c":{}},"f:b":{},"k:{\\"n\\":\\"x\\"}":{},"v:\\"y\\"":{}}');
  });

  it('does not contain the root', () => {
    expect(parseFields({ '.': {} })).toBeUndefined();
    expect(parseFields({ '.': {}, 'f:a': {} })).toEqual({ 'f:a': {} });
  });
});
