// The input of the writes for a topology: its class, the current and the desired state, names and versions.
import type { Blueprint } from '../../../../shared/topology/model/blueprint.ts';
import type { Current } from '../current/current-topology.ts';
import type { Desired } from '../desired/desired-topology.ts';
import type { TopologyNames } from '../names/topology-names.ts';
import type { Versions } from '../upgrade/version-progress.ts';

export interface ChangesInput {
  readonly blueprint: Blueprint;
  readonly current: Current;
  readonly desired: Desired;
  readonly names: TopologyNames;
  readonly versions: Versions;
}
