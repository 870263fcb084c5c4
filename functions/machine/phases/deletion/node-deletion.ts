// The deletion of the Node, after its machine is gone. One attempt per pass.
import type { Instant } from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import { reasonOf, v1Beta1False } from '@capi-serverless/cluster-api/conditions';
import { type Action, failureOf, type Outcomes } from '@capi-serverless/reconciler';
import type { WholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import { connectionDown } from '../node/lookup.ts';
import { toNodeRef } from '../node/node-phase.ts';
import type { MachineChange } from '../step.ts';
import type { DeletionScope } from './deletion-facts.ts';
import { type DeletionStage, held, passed, type StageEnd } from './deletion-stage.ts';

export const deleteNodeId = 'delete:node';

const nodeHealthyType = 'NodeHealthy';
const failedReason = 'DeletionFailed';

export const deleteNode: DeletionStage = scope => {
  const { machine, namedNode, nodeName } = scope;
  switch (namedNode.state) {
    case 'gone':
      return passed();
    case 'notConnected':
      return withoutAttempt(
        scope,
        `failed deleting Node because connection to the workload cluster is down: error getting client: ${connectionDown}`,
      );
    case 'failed':
      return withoutAttempt(scope, `error deleting node ${nodeName}: ${namedNode.error}`);
    case 'found': {
      const isLast = givesUp(machine, scope.now);
      const action: Action = {
        id: deleteNodeId,
        onError: isLast ? 'continue' : 'stop',
        do: 'delete',
        ref: toNodeRef(nodeName),
        uid: namedNode.node.metadata.uid,
        target: scope.target,
      };
      const after = (outcomes: Outcomes): MachineChange => {
        const failure = failureOf(outcomes, deleteNodeId);
        return failure === undefined ? {} : failed(`error deleting node ${nodeName}: ${failure.message}`, isLast);
      };
      const step = { change: {}, after };
      return { end: 'passed', step, actions: [action], ...(isLast ? {} : { awaited: deleteNodeId }) };
    }
  }
};

/** The last failure is ignored: the Node stays. */
function withoutAttempt({ machine, now }: DeletionScope, error: string): StageEnd {
  const isLast = givesUp(machine, now);
  const change = failed(error, isLast);
  return isLast ? passed(change) : held(change);
}

function failed(error: string, isLast: boolean): MachineChange {
  const message = 'Error deleting Node, please check controller logs for errors';
  return {
    v1beta1: [v1Beta1False(nodeHealthyType, { reason: failedReason, severity: 'Warning' })],
    events: [{ type: 'Warning', reason: 'FailedDeleteNode', message: `error deleting Machine's Node: ${error}` }],
    ...(isLast ? {} : { deleting: { reason: 'DeletingNode', message }, errors: [error] }),
  };
}

/** The time limit starts with the deletion of the Machine. There are at least two attempts. Without limit, never. */
function givesUp({ metadata, spec, status }: WholeMachine, now: Instant): boolean {
  const seconds = spec.deletion.nodeDeletionTimeoutSeconds ?? 0;
  const deletedAt = instantOf(metadata.deletionTimestamp) ?? now;
  const wasTried = reasonOf(status.deprecated.v1beta1.conditions, nodeHealthyType) === failedReason;
  return seconds > 0 && wasTried && deletedAt + seconds * 1000 <= now;
}
