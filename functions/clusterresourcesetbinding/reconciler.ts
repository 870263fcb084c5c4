// The ClusterResourceSetBinding reconciler: its declaration and its parts.
import {
  type EarlyEnd,
  type PassChange,
  type Phase,
  phasedReconciler,
  type Reconciler,
  reportResult,
} from '@capi-serverless/reconciler';
import type { PortsOf } from '../../shared/ports.ts';
import { clusterResourceSetBindingDeclaration } from './declaration.ts';
import { observe } from './observe.ts';
import { plan } from './plan.ts';

export function createBindingReconciler(
  honorsDeleteHook: boolean,
): Reconciler<PortsOf<typeof clusterResourceSetBindingDeclaration>, Phase<PassChange> | EarlyEnd> {
  return phasedReconciler({
    declaration: clusterResourceSetBindingDeclaration,
    observe: (primary, ask) => observe(primary, ask, honorsDeleteHook),
    plan,
    report: reportResult,
  });
}
