import path from 'node:path';
import { defaultFeatureGates, ofGates } from '@capi-serverless/cluster-api/feature-gates';
import { describe, expect, it } from 'vitest';
import { toEstimate } from '../../../cli/cost/estimate.ts';
import { toShape } from '../../../cli/cost/shape.ts';
import { generatedPages } from '../../../docs/figures.ts';
import { type Passage, withFigures } from '../../../docs/passages.ts';
import { declarations } from '../../../functions/declarations.ts';
import { findDrift } from '../../../infra/kubernetes/generate.ts';

const root = path.resolve(import.meta.dirname, '../../..');

describe('the figures of pages', () => {
  it('are those of the code (fix: npm run generate)', () => {
    expect(findDrift(root, generatedPages(root))).toEqual([]);
  });

  it.each([
    { page: 'docs/costs.md', pattern: /above ([\d,]+) Clusters the default passes 10 USD/, lean: false, limit: 10 },
    { page: 'docs/costs.md', pattern: /Lean stays below 2 USD up to ([\d,]+) Clusters/, lean: true, limit: 2 },
  ])(
    'name the number of Clusters from which lean: $lean costs more than $limit USD',
    ({ page, pattern, lean, limit }) => {
      const text = generatedPages(root).find(({ path: of }) => of === page)?.text ?? '';
      const said = Number(pattern.exec(text)?.[1]?.replaceAll(',', ''));
      const shape = toShape(lean ? declarations : ofGates(declarations, defaultFeatureGates));
      const idleOf = (clusters: number): number => toEstimate({ clusters, changesPerDay: 0, lean }, shape).total.idle;
      expect(idleOf(said)).toBeLessThan(limit);
      expect(idleOf(said + 10)).toBeGreaterThanOrEqual(limit);
    },
  );
});

describe('withFigures', () => {
  const of = (text: string, ...figures: readonly string[]): Passage => ({ page: 'a.md', text, figures });

  it.each([
    { content: 'It costs 5 USD.', passage: of('costs {} USD', '6'), wanted: 'It costs 6 USD.', reason: 'one figure' },
    {
      content: 'Of 1 and 2 (a.b).',
      passage: of('Of {} and {} (a.b)', '3', '4'),
      wanted: 'Of 3 and 4 (a.b).',
      reason: 'two',
    },
    { content: 'x\n1\n2\ny', passage: of('x\n{}\ny', '3\n4'), wanted: 'x\n3\n4\ny', reason: 'lines' },
    {
      content: 'costs $& USD',
      passage: of('costs {} USD', '$&'),
      wanted: 'costs $& USD',
      reason: 'a pattern of replacements',
    },
  ])('replaces $reason', ({ content, passage, wanted }) => {
    expect(withFigures(content, passage)).toBe(wanted);
  });

  it.each([
    { content: 'It costs nothing.', found: 0, reason: 'no such passage' },
    { content: 'It costs 1 USD, or it costs 2 USD.', found: 2, reason: 'two passages' },
    { content: 'It costs 1\nor 2 USD.', found: 0, reason: 'a line break inside' },
  ])('refuses $reason', ({ content, found }) => {
    expect(() => withFigures(content, of('costs {} USD', '6'))).toThrow(
      `a.md has ${found} passages "costs {} USD" instead of one. Change docs/figures.ts with the page`,
    );
  });
});
