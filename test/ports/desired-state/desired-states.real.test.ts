// Our desired topologies, compared with upstream's generator on classes in the shapes of public providers. CAPI_SEED
// selects other Clusters. `npm run compare-topology` compares more.
import { describe, expect, it } from 'vitest';
import { describePart } from '../../support/describe-part.ts';
import { seed } from '../../support/property.ts';
import { findUpstreamWebhooks } from '../../upstream-manager/webhooks.ts';
import { compareDesiredStates } from './compare-desired-states.ts';
import { knownDesiredDifferences } from './desired-differences.ts';
import { readClasses } from './read-classes.ts';

/** Each is compared twice: as a new Cluster, and with its objects after a change. */
const count = 8;
/** Random values break some templates, for both sides. */
const mostRefused = 0.8;

describePart("Desired states of topologies and upstream's generator", findUpstreamWebhooks(), {
  part: 'the webhooks of upstream',
  declare: ({ program }) => {
    it.each(readClasses())('are equal for Clusters of $name', async of => {
      const compared = await compareDesiredStates(of, { program, count, seed: String(seed) });
      const shown = compared.differences.map(({ generated: _, ...difference }) => difference);
      expect(shown.slice(0, 3)).toEqual([]);
      expect(compared.objects).toBeGreaterThan(10);
      expect(compared.refused).toBeLessThan(compared.clusters * mostRefused);
    });
  },
});

describe('a known difference from the desired states of upstream', () => {
  it.each(knownDesiredDifferences)('has a reason: $what', ({ reason }) => {
    expect(reason).not.toBe('');
  });
});
