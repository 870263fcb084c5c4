// Annotations of a Machine that hold its deletion before the drain, and before the infrastructure is deleted.
import { compareText } from '@capi-serverless/apimachinery';
import { toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import { v1Beta1False, v1Beta1True } from '@capi-serverless/cluster-api/conditions';
import type { DeletionTime } from '../pass-progress.ts';
import type { DeletionScope } from './deletion-scope.ts';
import { type DeletionStage, held, passed, type StageEnd } from './deletion-stage.ts';

interface HookStage {
  /** Any annotation key that starts with this text, also without a slash after it. */
  readonly prefix: string;
  readonly what: string;
  readonly reason: string;
  readonly v1beta1: string;
  readonly time: DeletionTime;
}

export const preDrainPrefix = 'pre-drain.delete.hook.machine.cluster.x-k8s.io';
export const preTerminatePrefix = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io';

const preDrain: HookStage = {
  prefix: preDrainPrefix,
  what: 'pre-drain',
  reason: 'WaitingForPreDrainHook',
  v1beta1: 'PreDrainDeleteHookSucceeded',
  time: 'waitForPreDrainHookStartTime',
};

const preTerminate: HookStage = {
  prefix: preTerminatePrefix,
  what: 'pre-terminate',
  reason: 'WaitingForPreTerminateHook',
  v1beta1: 'PreTerminateDeleteHookSucceeded',
  time: 'waitForPreTerminateHookStartTime',
};

export const preDrainHooks: DeletionStage = scope => hookStage(preDrain, scope);

/** After this wait has begun, the Node is not drained again, because its etcd member may be gone. */
export const preTerminateHooks: DeletionStage = scope => hookStage(preTerminate, scope);

/** Returns the annotations that hold the deletion, sorted. */
export function hooksOf({ metadata }: Pick<DeletionScope['machine'], 'metadata'>, prefix: string): readonly string[] {
  return Object.keys(metadata.annotations)
    .filter(key => key.startsWith(prefix))
    .sort(compareText);
}

/** A change of the annotations requests the next pass. */
function hookStage({ prefix, what, reason, v1beta1, time }: HookStage, { machine, now }: DeletionScope): StageEnd {
  const { status } = machine;
  const hooks = hooksOf(machine, prefix);
  if (hooks.length === 0) {
    return passed({ v1beta1: [v1Beta1True(v1beta1)] });
  }
  return held({
    deleting: { reason, message: `Waiting for ${what} hooks to succeed (hooks: ${hooks.join(',')})` },
    v1beta1: [v1Beta1False(v1beta1, { reason: 'WaitingExternalHook', severity: 'Info' })],
    deletionTimes: status.deletion[time] === undefined ? { [time]: toTimestamp(now) } : {},
  });
}
