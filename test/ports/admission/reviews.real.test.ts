// The admission function and the embedded API server, compared with the webhooks of upstream's manager on generated
// reviews. CAPI_SEED selects others. `npm run compare-admission` compares more.
import { describe, expect, it } from 'vitest';
import { describePart } from '../../support/describe-part.ts';
import { seed } from '../../support/property.ts';
import { findUpstreamWebhooks } from '../../upstream-manager/webhooks.ts';
import { comparedKinds, compareReviews, gateSets } from './compare-reviews.ts';
import { knownDifferences } from './known-differences.ts';

const count = 300;

describePart("upstream's webhooks, the admission function and the embedded API server", findUpstreamWebhooks(), {
  part: 'the webhooks of upstream',
  declare: ({ program }) => {
    describe.each(gateSets)('with feature gates "%s"', gates => {
      it.each(comparedKinds)('give the same answers about a $kind', async of => {
        const { reviews, refused, embedded, differences } = await compareReviews(of, { program, gates, count, seed });
        expect(differences.slice(0, 2)).toEqual([]);
        expect(refused).toBeGreaterThan(0);
        expect(embedded).toBeGreaterThan(0);
        // Without its feature gate, every write of a kind is refused.
        expect(reviews - refused).toBeGreaterThan(gates === '' ? -1 : 0);
      });
    });
  },
});

describe('a known difference from the webhooks of upstream', () => {
  it.each(knownDifferences)('has a reason: $what', ({ reason }) => {
    expect(reason).not.toBe('');
  });
});
