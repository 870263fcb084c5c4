// The ClusterClass reconciler: its declaration and its parts.
import type { Reconciler } from '@capi-serverless/reconciler';
import type { PortsOf } from '../../shared/ports.ts';
import { decide } from './decide.ts';
import { clusterClassDeclaration } from './declaration.ts';
import { observe } from './observe.ts';
import { report } from './report.ts';
import type { ClusterClassSeen, ClusterClassSettings } from './seen.ts';

export function createClusterClassReconciler(
  settings: ClusterClassSettings,
): Reconciler<PortsOf<typeof clusterClassDeclaration>, ClusterClassSeen> {
  return {
    declaration: clusterClassDeclaration,
    observe: (primary, ask, pass) => observe(primary, ask, { pass, settings }),
    decide,
    report,
  };
}
