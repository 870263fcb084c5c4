// Whether a Machine in deletion waits for its Node at all: for the drain, and for the volumes.
import type { Instant } from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import type { WholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import type { DeletionScope } from './deletion-scope.ts';

const excludeDrainAnnotation = 'machine.cluster.x-k8s.io/exclude-node-draining';
const excludeVolumesAnnotation = 'machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach';

export interface Limit {
  readonly annotation: string;
  /** 0: no limit. */
  readonly timeoutSeconds: number;
  readonly startedAt: string | undefined;
}

/** Why a Machine in deletion does not wait for its Node. `plan` shows it. */
export type NoWait = 'excluded' | 'preTerminate' | 'infrastructureGone' | 'timeout';

/** The infrastructure machine must still run. Its state is known here, because an unreadable one holds the deletion. */
export function waitsForNode(scope: DeletionScope, limit: Limit): boolean {
  return reasonNotToWait(scope, limit) === undefined;
}

/** Returns `undefined` if the Machine waits. */
export function reasonNotToWait(
  { machine, infrastructure, now }: Pick<DeletionScope, 'machine' | 'infrastructure' | 'now'>,
  limit: Limit,
): NoWait | undefined {
  const { metadata, status } = machine;
  if (limit.annotation in metadata.annotations) {
    return 'excluded';
  }
  if (status.deletion.waitForPreTerminateHookStartTime !== undefined) {
    return 'preTerminate';
  }
  if (infrastructure.state !== 'inScope' || infrastructure.object.metadata.deletionTimestamp !== undefined) {
    return 'infrastructureGone';
  }
  return isExceeded(limit, now) ? 'timeout' : undefined;
}

/** The limit of the drain. */
export function drainLimit({ spec, status }: WholeMachine): Limit {
  return {
    annotation: excludeDrainAnnotation,
    timeoutSeconds: spec.deletion.nodeDrainTimeoutSeconds,
    startedAt: status.deletion.nodeDrainStartTime,
  };
}

/** The limit of the wait for volumes. */
export function volumesLimit({ spec, status }: WholeMachine): Limit {
  return {
    annotation: excludeVolumesAnnotation,
    timeoutSeconds: spec.deletion.nodeVolumeDetachTimeoutSeconds,
    startedAt: status.deletion.waitForNodeVolumeDetachStartTime,
  };
}

function isExceeded({ timeoutSeconds, startedAt }: Limit, now: Instant): boolean {
  const start = instantOf(startedAt);
  return timeoutSeconds > 0 && start !== undefined && now - start >= timeoutSeconds * 1000;
}
