// The ClusterClass reconciler: its declaration, and the parts it consists of.
import type { Reconciler } from '../../shared/kernel/types.ts';
import type { HooksPort } from '../../shared/runtime-hooks/port.ts';
import { decide } from './decide.ts';
import { clusterClassDeclaration } from './declaration.ts';
import { observe } from './observe.ts';
import { report } from './report.ts';
import type { Seen, Settings } from './seen.ts';

export function createClusterClassReconciler(settings: Settings): Reconciler<HooksPort, Seen> {
  return {
    declaration: clusterClassDeclaration,
    observe: (primary, ask, pass) => observe(primary, ask, { pass, settings }),
    decide,
    report,
  };
}
