// The condition RemoteConnectionProbe. It reports whether the workload API server answers. Short interruptions are
// tolerated.
import { toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import { type ConditionDraft, hasCondition } from '@capi-serverless/cluster-api/conditions';
import { neverConnectedMessage, remoteConnectionType as type } from '../../../shared/api/cluster/remote-connection.ts';
import type { Conclusion } from '../phases/conclude.ts';
import { failedMessage, failingSince, flipMs, storedFailure } from '../phases/remote-connection.ts';
import type { PhaseScope } from '../phases/scope.ts';

/** Returns `undefined` without a new result. This keeps the stored condition, including its observedGeneration. */
export function remoteConnectionProbe({ scope }: Conclusion): ConditionDraft | undefined {
  const { remote } = scope.seen;
  switch (remote.state) {
    case 'off':
      return undefined;
    case 'succeeded':
      return succeeded;
    case 'skipped':
      return unlessStored(scope);
    case 'refused':
      return failed(`${refusedMessage}${remote.problem}`);
    case 'failed': {
      const { cluster } = scope.seen;
      const elapsed = scope.now - (failingSince(cluster) ?? scope.now);
      const stored = storedFailure(cluster);
      if (stored !== undefined || elapsed >= flipMs(scope.seen)) {
        const isKept = stored?.message.startsWith(refusedMessage) === false;
        return failed(isKept ? stored.message : toMessage(remote.lastSuccessAt));
      }
      return remote.lastSuccessAt === undefined ? unlessStored(scope) : succeeded;
    }
  }
}

/** The prefix of the message about a kubeconfig that is refused. A later probe replaces the message. */
const refusedMessage = `${failedMessage}: `;

const succeeded: ConditionDraft = { type, status: 'True', reason: 'ProbeSucceeded', message: '' };

function failed(message: string): ConditionDraft {
  return { type, status: 'False', reason: 'ProbeFailed', message };
}

function unlessStored({ seen }: PhaseScope): ConditionDraft | undefined {
  return hasCondition(seen.cluster.status.conditions, type) ? undefined : failed(neverConnectedMessage);
}

function toMessage(lastSuccessAt: number | undefined): string {
  return lastSuccessAt === undefined
    ? failedMessage
    : `${failedMessage}, probe last succeeded at ${toTimestamp(lastSuccessAt)}`;
}
