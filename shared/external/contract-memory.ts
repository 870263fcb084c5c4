// The contracts of provider kinds that a process has read from their definitions. The memory is lost with the process, which
// costs one more read of each definition.
import type { Instant } from '@capi-serverless/apimachinery';
import type { Contract } from '@capi-serverless/cluster-api/contract';
import { setNewest } from '../bounded-map.ts';

/** Only the upgrade of a provider changes a contract (docs/decisions/0081). */
export const rememberedMs = 60_000;

/** The maximum number of definitions. An entry needs less than 1 KiB: it contains the names of a kind and of a version. */
const capacity = 500;

interface KnownContract {
  readonly contract: Contract;
  readonly readAt: Instant;
}

/** The memory at the time of one pass. Definitions are given by their names. */
export interface RecentContracts {
  find(definition: string): Contract | undefined;
  remember(definition: string, contract: Contract): void;
  forget(definition: string): void;
}

export class ContractMemory {
  /** The oldest first. */
  readonly #known = new Map<string, KnownContract>();

  /** `now`: the start of the pass, which is before its reads. */
  at(now: Instant): RecentContracts {
    return {
      find: definition => this.#find(definition, now),
      remember: (definition, contract) => void setNewest(this.#known, definition, { contract, readAt: now }, capacity),
      forget: definition => {
        this.#known.delete(definition);
      },
    };
  }

  /** After the clock was set back, earlier reads do not count. */
  #find(definition: string, now: Instant): Contract | undefined {
    const known = this.#known.get(definition);
    const isRecent = known !== undefined && known.readAt <= now && now < known.readAt + rememberedMs;
    return isRecent ? known.contract : undefined;
  }
}
