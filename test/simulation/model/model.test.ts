// The short form of `npm run simulate:queues`: the designs that can be chosen lose nothing, and every rule of theirs is needed.
import { describe, expect, it } from 'vitest';
import { compare } from './compare.ts';
import { runModel } from './run.ts';
import { toTable } from './table.ts';
import { type Loss, type Variant, variants } from './variants.ts';

const runs = 300;
/** Where a broken rule shows in fewer than one of a hundred runs. */
const moreRuns: Readonly<Record<string, number>> = { 'bucket, no queue delay': 1_000 };
const shownAs: Readonly<Record<Loss, string>> = {
  change: 'loses changes',
  timer: 'loses timers',
  overlap: 'reconciles an object twice at a time',
};

describe.each(variants)('the queue design "$name"', variant => {
  const shown = variant.shows.length === 0 ? 'loses nothing' : variant.shows.map(loss => shownAs[loss]).join(' and ');

  it(shown, async () => {
    const { losing } = await compare(variant, moreRuns[variant.name] ?? runs);
    for (const loss of variant.shows) {
      expect(losing[loss]).toBeGreaterThan(0);
    }
    if (variant.shows.length === 0) {
      expect(losing).toEqual({ change: 0, timer: 0, overlap: 0 });
    }
  });
});

describe('the model', () => {
  const [first] = variants as readonly [Variant, ...Variant[]]; // the table above is not empty

  it('replays a run from its seed', async () => {
    const [once, twice, other] = [await runModel(first, '7'), await runModel(first, '7'), await runModel(first, '8')];
    expect(twice).toEqual(once);
    expect(other.reconciles).not.toBe(once.reconciles);
  });

  it('prints one row for each variant', async () => {
    const figures = await compare({ ...first, name: 'this one' }, 3);
    const [, , row, ...rest] = toTable([figures]).trimEnd().split('\n');
    expect(row).toMatch(/^\| this one \| 3 \| 0 \| 0 \| 0 \| \d+\.\d \|$/);
    expect(rest).toEqual([]);
  });
});
