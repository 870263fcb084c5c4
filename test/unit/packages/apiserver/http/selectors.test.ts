import { describe, expect, it } from 'vitest';
import { parseFieldSelector, parseLabelSelector } from '../../../../../packages/apiserver/http/selectors.ts';
import { aWidget, aWorld, endpointOf, namespace, refusalOf } from '../core/core-with-widgets.ts';

function stored(labels: object) {
  const world = aWorld();
  return world.core.create(world.widgets, namespace, aWidget('w', { metadata: { labels } }));
}

describe('label selectors', () => {
  it.each([
    ['', true, 'everything'],
    ['a=b', true, ''],
    ['a==b', true, ''],
    ['a=c', false, ''],
    ['a!=c', true, ''],
    ['x!=c', true, 'the key is absent'],
    ['a in (b, c)', true, ''],
    ['a in (c)', false, ''],
    ['a notin (c)', true, ''],
    ['x notin (c)', true, 'the key is absent'],
    ['x in ()', false, 'the key is absent'],
    ['a', true, ''],
    ['x', false, ''],
    ['!x', true, ''],
    ['!a', false, ''],
    ['a=b,n>3', true, 'all of them'],
    ['n<3', false, ''],
    ['a>3', false, 'not a number'],
    ['a=', false, 'the empty value alone'],
    ['toString', false, 'a member of every object'],
    [' a = b , n in (5,6) ', true, 'spaces'],
  ])('%j matches: %s %s', (text, matches) => {
    expect(parseLabelSelector(text)(stored({ a: 'b', n: '5' }))).toBe(matches);
  });

  it.each([['a=b=c'], ['a in b'], ['a in (b'], ['(a)'], ['a,'], ['a>x'], ['='], ['!'], ['a b'], ['ä=1']])(
    '%j is refused',
    text => {
      expect(refusalOf(() => parseLabelSelector(text))).toMatchObject({ code: 400 });
    },
  );
});

describe('field selectors', () => {
  const { core, widgets } = aWorld();
  const widget = core.create(widgets, namespace, aWidget('w'));
  const secret = core.create(endpointOf(core, 'v1', 'Secret'), namespace, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's' },
    type: 'a,b=c',
  });

  it.each([
    ['metadata.name=w', true],
    ['metadata.name==w,metadata.namespace=ns', true],
    ['metadata.name!=w', false],
    ['metadata.namespace=other', false],
    ['', true],
  ])('%j matches a widget: %s', (text, matches) => {
    expect(parseFieldSelector(text, widgets)(widget)).toBe(matches);
  });

  it('accept an escaped comma in a value', () => {
    expect(parseFieldSelector('type=a\\,b\\=c', endpointOf(core, 'v1', 'Secret'))(secret)).toBe(true);
  });

  it.each([['spec.size=1'], ['metadata.name'], ['toString=1'], ['='], ['\\']])('%j is refused', text => {
    expect(refusalOf(() => parseFieldSelector(text, widgets))).toMatchObject({ code: 400 });
  });
});
