// The ClusterResourceSetBinding reconciler: its declaration and its parts.
import type { Reconciler } from '@capi-serverless/reconciler';
import type { PortsOf } from '../../shared/ports.ts';
import { decide } from './decide.ts';
import { clusterResourceSetBindingDeclaration } from './declaration.ts';
import { observe } from './observe.ts';
import { report } from './report.ts';
import type { BindingSeen } from './seen.ts';

export function createBindingReconciler(
  honorsDeleteHook: boolean,
): Reconciler<PortsOf<typeof clusterResourceSetBindingDeclaration>, BindingSeen> {
  return {
    declaration: clusterResourceSetBindingDeclaration,
    observe: (primary, ask) => observe(primary, ask, honorsDeleteHook),
    decide,
    report,
  };
}
