// The plan of one pass over a ClusterClass, derived from the objects that were read.
import { pausedCondition, type ReportedCondition } from '@capi-serverless/cluster-api/conditions';
import {
  type EarlyEnd,
  inOrder,
  isDeleting,
  type PassChange,
  type Phase,
  pausedGate,
  type Stop,
} from '@capi-serverless/reconciler';
import type { ClusterClass } from '../../shared/api/cluster-class/reader.ts';
import { type TemplateCheck, templatesPhase } from './phases/check-templates.ts';
import { variablesPhase } from './phases/gather-variables.ts';
import type { ObservedClass } from './seen.ts';

interface ClassChange extends PassChange {
  readonly templates?: TemplateCheck;
}

export interface ClassPlan extends Phase<ClassChange> {
  readonly seen: ObservedClass;
}

export function plan(seen: ObservedClass): ClassPlan {
  return { seen, ...inOrder<ClassChange>([templatesPhase(seen), variablesPhase(seen)]) };
}

export function pausedOf({ metadata }: ClusterClass): ReportedCondition {
  return pausedCondition({ kind: 'ClusterClass', annotations: metadata.annotations });
}

/**
 * The gates before other objects are read: pause first, then deletion. A class has no finalizer, so a pass over a class
 * that is being deleted does nothing.
 */
export function gateOf(clusterClass: ClusterClass): EarlyEnd | Stop | undefined {
  const early = pausedGate(clusterClass, pausedOf(clusterClass));
  return early === undefined && isDeleting(clusterClass) ? { stop: 'deleting' } : early;
}
