// Of the Machines of a batch that get no answer from their workload cluster, one notes the outage on the Cluster. The memory
// is lost with the process, which costs one more write.
import type { Instant } from '@capi-serverless/apimachinery';
import { setNewest } from '../../../shared/bounded-map.ts';

/** A batch ends within this time. If the write failed, another Machine follows. */
const claimMs = 10_000;
/** The maximum number of Clusters. */
const capacity = 1000;

interface Claim {
  readonly machine: string;
  readonly until: Instant;
}

export class OutageClaims {
  /** By the uid of the Cluster, the oldest first. */
  readonly #claims = new Map<string, Claim>();

  /** Returns true for one Machine of a Cluster. Both are given by their uids. The same Machine may repeat its write. */
  claim({ cluster, machine, now }: { readonly cluster: string; readonly machine: string; readonly now: Instant }) {
    const claim = this.#claims.get(cluster);
    if (claim !== undefined && claim.machine !== machine && now < claim.until) {
      return false;
    }
    setNewest(this.#claims, cluster, { machine, until: now + claimMs }, capacity);
    return true;
  }
}
