// Lists: pages, selectors, and invalid parameters.
import { expect } from 'vitest';
import { freshName } from '../../answers.ts';
import { type Api, type Case, core, createWidget, expectRefusal, listed, widgets } from '../api-case.ts';

export const listCases: readonly Case[] = [
  {
    id: 'A70',
    says: 'pages contain every object once, in its state at the first page',
    async run(api) {
      const set = freshName('set');
      const expected = await createSet(api, set, Array(5).fill({}));
      const page = (token: string) =>
        listed(api, widgets(api), { query: { labelSelector: `set=${set}`, limit: 2, continue: token } });
      const first = await page('');
      await createSet(api, set, [{}]);
      const second = await page(first.metadata.continue ?? '');
      const third = await page(second.metadata.continue ?? '');
      const pages = [first, second, third];
      expect(pages.map(({ items }) => items.length)).toEqual([2, 2, 1]);
      expect(pages.flatMap(({ items }) => items.map(({ metadata }) => metadata.name))).toEqual(expected.toSorted());
      expect(new Set(pages.map(({ metadata }) => metadata.resourceVersion)).size).toBe(1);
      expect(third.metadata.continue ?? '').toBe('');
    },
  },
  {
    id: 'A71',
    says: 'a malformed token, an invalid label selector and an unknown field selector are rejected',
    async run(api) {
      for (const query of [
        { limit: 2, continue: 'odd' },
        { labelSelector: 'a in (b' },
        { labelSelector: 'a===b' },
        { fieldSelector: 'spec.note=x' },
      ]) {
        expectRefusal(await api.http.get(widgets(api), { query }), 400, { reason: 'BadRequest' });
      }
      expectRefusal(await api.http.get(core(api, 'secrets'), { query: { fieldSelector: 'data=x' } }), 400);
    },
  },
  {
    id: 'A72',
    says: 'label selectors match by equality, sets and presence',
    async run(api) {
      const set = freshName('set');
      const [one, two, three, bare] = await createSet(api, set, [
        { tier: 'one' },
        { tier: 'two', extra: '' },
        { tier: 'three', extra: 'x' },
        {},
      ]);
      for (const [selector, names] of [
        ['tier=one', [one]],
        ['tier==one', [one]],
        ['tier!=one', [two, three, bare]],
        ['tier in (one,two)', [one, two]],
        ['tier notin (one, two)', [three, bare]],
        ['tier', [one, two, three]],
        ['!tier', [bare]],
        ['extra=', [two]],
        ['tier,extra!=x', [one, two]],
        ['tier in (two,three),extra', [two, three]],
      ] as const) {
        const { items } = await listed(api, widgets(api), { query: { labelSelector: `set=${set},${selector}` } });
        expect(items.map(({ metadata }) => metadata.name).toSorted(), selector).toEqual(names.toSorted());
      }
    },
  },
];

/** Creates one widget for each set of labels. Returns their names. */
async function createSet(api: Api, set: string, sets: readonly Readonly<Record<string, string>>[]) {
  const names: string[] = [];
  for (const labels of sets) {
    names.push((await createWidget(api, { metadata: { labels: { ...labels, set } } })).metadata.name);
  }
  return names;
}
