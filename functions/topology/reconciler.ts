// The topology reconciler: its declaration, and the parts it consists of.
import type { Reconciler } from '../../shared/kernel/types.ts';
import { decide } from './decide.ts';
import { topologyDeclaration } from './declaration.ts';
import { observe, type TopologyPorts } from './observe.ts';
import { report } from './report.ts';
import type { Seen } from './seen.ts';
import type { Settings } from './settings.ts';

export function createTopologyReconciler(settings: Settings): Reconciler<TopologyPorts, Seen> {
  return {
    declaration: topologyDeclaration,
    observe: (primary, ask, pass) => observe(primary, ask, { pass, settings }),
    decide,
    report,
  };
}
