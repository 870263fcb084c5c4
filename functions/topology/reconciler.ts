// The topology reconciler: its declaration and its parts.
import type { Reconciler } from '@capi-serverless/reconciler';
import type { PortsOf } from '../../shared/ports.ts';
import { decide } from './decide.ts';
import { topologyDeclaration } from './declaration.ts';
import { observe } from './observe.ts';
import { report } from './report.ts';
import type { ObservedTopology } from './seen.ts';
import type { TopologySettings } from './settings.ts';

export function createTopologyReconciler(
  settings: TopologySettings,
): Reconciler<PortsOf<typeof topologyDeclaration>, ObservedTopology> {
  return {
    declaration: topologyDeclaration,
    observe: (primary, ask, pass) => observe(primary, ask, { pass, settings }),
    decide,
    report,
  };
}
