// The plan of one pass over a ClusterClass, derived from the objects that were read.
import { type EarlyEnd, inOrder, type PassChange, type Phase } from '@capi-serverless/reconciler';
import { type TemplateCheck, templatesPhase } from './phases/check-templates.ts';
import { variablesPhase } from './phases/gather-variables.ts';
import type { ObservedClass } from './seen.ts';

interface ClassChange extends PassChange {
  readonly templates?: TemplateCheck;
}

export interface WholeClassPlan extends Phase<ClassChange> {
  readonly seen: ObservedClass;
}

export type ClassPlan = EarlyEnd | WholeClassPlan;

export function plan(seen: ObservedClass): WholeClassPlan {
  return { seen, ...inOrder<ClassChange>([templatesPhase(seen), variablesPhase(seen)]) };
}
