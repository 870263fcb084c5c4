// Our desired topologies, compared with upstream's generator on classes in the shapes of public providers. CAPI_SEED
// selects other Clusters. `npm run compare-topology` compares more.
import { expect, it } from 'vitest';
import { describePart } from '../../support/describe-part.ts';
import { seed } from '../../support/property.ts';
import { findUpstreamWebhooks } from '../../upstream-manager/webhooks.ts';
import { compareDesiredStates } from './compare-desired-states.ts';
import { readClasses } from './read-classes.ts';

/** Each is compared twice: as a new Cluster, and with its objects after a change. */
const count = 4;

describePart("Desired states of topologies and upstream's generator", findUpstreamWebhooks(), {
  part: 'the webhooks of upstream',
  declare: ({ program }) => {
    it.each(readClasses())('are equal for Clusters of $name', async of => {
      const compared = await compareDesiredStates(of, { program, count, seed: String(seed) });
      const shown = compared.differences.map(({ generated: _, ...difference }) => difference);
      expect(shown.slice(0, 3)).toEqual([]);
      expect(compared.objects).toBeGreaterThan(0);
      expect(compared.refused).toBeLessThan(compared.clusters);
    });
  },
});
