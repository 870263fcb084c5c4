// The input of the phases in one pass: the result of observe, and the external objects that this Cluster owns.

import type { Instant } from '@capi-serverless/apimachinery';
import type { Scoped } from '../../../shared/external/external.ts';
import type { ObservedCluster } from '../seen.ts';
import type { Descendants } from './descendants.ts';
import type { PlannedExternals } from './externals.ts';

export interface PhaseScope {
  readonly seen: ObservedCluster;
  readonly now: Instant;
  readonly externals: PlannedExternals;
  readonly infrastructure: Scoped;
  readonly controlPlane: Scoped;
  readonly descendants: Descendants;
}
