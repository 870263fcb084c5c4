// Whether a Machine in deletion waits for its Node at all: for the drain, and for the volumes.
import type { Instant } from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import type { DeletionScope } from './deletion-facts.ts';

export const excludeDrainAnnotation = 'machine.cluster.x-k8s.io/exclude-node-draining';
export const excludeVolumesAnnotation = 'machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach';

interface Limit {
  readonly annotation: string;
  /** 0: no limit. */
  readonly timeoutSeconds: number;
  readonly startedAt: string | undefined;
}

/** The infrastructure machine must still run. Its state is known here, because an unreadable one holds the deletion. */
export function waitsForNode({ machine, infrastructure, now }: DeletionScope, limit: Limit): boolean {
  const { metadata, status } = machine;
  return (
    !(limit.annotation in metadata.annotations) &&
    status.deletion.waitForPreTerminateHookStartTime === undefined &&
    infrastructure.state === 'inScope' &&
    infrastructure.object.metadata.deletionTimestamp === undefined &&
    !isExceeded(limit, now)
  );
}

function isExceeded({ timeoutSeconds, startedAt }: Limit, now: Instant): boolean {
  const start = instantOf(startedAt);
  return timeoutSeconds > 0 && start !== undefined && now - start >= timeoutSeconds * 1000;
}
