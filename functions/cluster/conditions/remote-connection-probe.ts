// RemoteConnectionProbe: whether the workload cluster's API server answers, with patience for short interruptions.
import type { ConditionDraft } from '../../../shared/conditions/condition.ts';
import { hasCondition } from '../../../shared/conditions/get.ts';
import { toTimestamp } from '../../../shared/conditions/timestamp.ts';
import {
  failedMessage,
  failingSince,
  flipMs,
  storedFailure,
  remoteConnectionType as type,
} from '../phases/remote-connection.ts';
import type { Phases } from '../phases/run.ts';
import type { PhaseContext } from '../phases/scope.ts';

/** `undefined`: stays as stored, its observedGeneration too, because nothing new is known. */
export function remoteConnectionProbe({ context }: Phases): ConditionDraft | undefined {
  const { remote } = context.seen;
  switch (remote.state) {
    case 'off':
      return undefined;
    case 'succeeded':
      return succeeded;
    case 'skipped':
      return unlessStored(context);
    case 'failed': {
      const { cluster } = context.seen;
      const elapsed = context.now - (failingSince(cluster) ?? context.now);
      const stored = storedFailure(cluster);
      if (stored !== undefined || elapsed >= flipMs(context.seen)) {
        return failed(stored?.message ?? toMessage(remote.lastSuccessAt));
      }
      return remote.lastSuccessAt === undefined ? unlessStored(context) : succeeded;
    }
  }
}

const succeeded: ConditionDraft = { type, status: 'True', reason: 'ProbeSucceeded', message: '' };

function failed(message: string): ConditionDraft {
  return { type, status: 'False', reason: 'ProbeFailed', message };
}

function unlessStored({ seen }: PhaseContext): ConditionDraft | undefined {
  return hasCondition(seen.cluster.status.conditions, type)
    ? undefined
    : failed('Remote connection not established yet');
}

function toMessage(lastSuccessAt: number | undefined): string {
  return lastSuccessAt === undefined
    ? failedMessage
    : `${failedMessage}, probe last succeeded at ${toTimestamp(lastSuccessAt)}`;
}
