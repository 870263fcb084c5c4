// The condition Paused. The Cluster or an annotation of the Machine pauses it.
import { type ReportedCondition, pausedCondition as toPausedCondition } from '@capi-serverless/cluster-api/conditions';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';

export function machinePausedCondition({ metadata }: WholeMachine, isClusterPaused: boolean): ReportedCondition {
  return toPausedCondition({ kind: 'Machine', annotations: metadata.annotations, isClusterPaused });
}
