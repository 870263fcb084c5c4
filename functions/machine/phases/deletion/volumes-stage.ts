// The wait for the volumes of a drained Node. A volume that is still attached could be lost with the infrastructure.
import { toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import { hasCondition, v1Beta1False, v1Beta1True } from '@capi-serverless/cluster-api/conditions';
import { type AskingPlan, ask } from '@capi-serverless/reconciler';
import { isUnreachable, type WorkloadNode } from '../../../../shared/api/node/reader.ts';
import { connectionDown } from '../node/lookup.ts';
import type { MachineChange } from '../pass-progress.ts';
import type { AttachmentsQuestion, NodeRemovalScope, PodsQuestion, VolumesQuestion } from './deletion-scope.ts';
import {
  betweenChecksMs,
  held,
  heldUntilCheck,
  passed,
  type StageEnd,
  storedStage,
  unanswered,
} from './deletion-stage.ts';
import { attachedVolumes, isDetached, remainingVolumes, volumesMessage } from './volumes.ts';
import { volumesLimit, waitsForNode } from './wait-limits.ts';

const succeededType = 'VolumeDetachSucceeded';
const reason = 'WaitingForVolumeDetach';

type VolumesStageQuestion = AttachmentsQuestion | PodsQuestion | VolumesQuestion;

export function* volumesStage(scope: NodeRemovalScope): AskingPlan<VolumesStageQuestion, StageEnd> {
  const { machine, namedNode } = scope;
  if (!waitsForNode(scope, volumesLimit(machine))) {
    return passed();
  }
  switch (namedNode.state) {
    case 'gone':
      return passed(detached(scope));
    case 'notConnected':
      return failed(scope, `error getting client: ${connectionDown}`);
    case 'failed':
      return failed(scope, `unable to get Node ${scope.nodeName}: ${namedNode.error}`);
    case 'aborted':
      return held(unanswered(scope, `unable to get Node ${scope.nodeName}: ${namedNode.error}`));
    case 'found':
      return isUnreachable(namedNode.node) ? passed(detached(scope)) : yield* checkVolumes(scope, namedNode.node);
  }
}

function* checkVolumes(scope: NodeRemovalScope, node: WorkloadNode): AskingPlan<VolumesStageQuestion, StageEnd> {
  const attachments = yield* ask<AttachmentsQuestion>('attachments', scope.nodeName);
  if (!attachments.ok) {
    return failed(scope, `failed to list VolumeAttachments: ${attachments.error}`);
  }
  const attached = attachedVolumes(node, attachments.value);
  if (!attached.ok) {
    return failed(scope, attached.error);
  }
  if (attached.value.names.length === 0 && attached.value.persistentVolumes.length === 0) {
    return passed(detached(scope));
  }
  const pods = yield* ask<PodsQuestion>('pods', { cluster: scope.cluster, node });
  if (!pods.ok) {
    return failed(scope, `failed to find PersistentVolumeClaims from Pods ignored during drain: ${pods.error}`);
  }
  const persistentVolumes = yield* ask<VolumesQuestion>('persistentVolumes', attached.value);
  if (!persistentVolumes.ok) {
    return failed(scope, `failed to list PersistentVolumes: ${persistentVolumes.error}`);
  }
  const skipped = pods.value.filter(({ behavior }) => behavior === 'Skip').map(({ pod }) => pod);
  const remaining = remainingVolumes(attached.value, persistentVolumes.value, skipped);
  return isDetached(remaining)
    ? passed(detached(scope))
    : heldUntilCheck(reason, [], () => ({
        ...startTime(scope),
        ...startCondition(scope),
        deleting: { reason, message: volumesMessage(remaining, startOf(scope)) },
        requeues: [betweenChecksMs],
      }));
}

/** The deprecated condition is set at the start, and stays until the volumes are detached. */
function startCondition({ machine }: NodeRemovalScope): MachineChange {
  const isKnown = hasCondition(machine.status.deprecated.v1beta1.conditions, succeededType);
  const message = 'Waiting for node volumes to be detached';
  return isKnown ? {} : { v1beta1: [v1Beta1False(succeededType, { reason, severity: 'Info', message })] };
}

/** The stages in which the volumes were detached before. */
const laterReasons: readonly (string | undefined)[] = [
  'WaitingForPreTerminateHook',
  'WaitingForInfrastructureDeletion',
];

/** One Event for each wait. */
function detached(scope: NodeRemovalScope): MachineChange {
  const wasDetached = laterReasons.includes(storedStage(scope.machine)?.reason);
  const message = `success waiting for node volumes detaching Machine's node "${scope.nodeName}"`;
  return {
    ...startTime(scope),
    v1beta1: [v1Beta1True(succeededType)],
    events: wasDetached ? [] : [{ type: 'Normal', reason: 'NodeVolumesDetached', message }],
  };
}

/** The Event is recorded when the stage did not fail before. */
function failed(scope: NodeRemovalScope, error: string): StageEnd {
  const message = 'Error waiting for volumes to be detached from Node, please check controller logs for errors';
  const hasFailed = storedStage(scope.machine)?.message === message;
  const text = `error waiting for node volumes detaching, Machine's node "${scope.nodeName}": ${error}`;
  return held({
    ...startTime(scope),
    ...startCondition(scope),
    deleting: { reason, message },
    events: hasFailed ? [] : [{ type: 'Warning', reason: 'FailedWaitForVolumeDetach', message: text }],
    errors: [error],
  });
}

function startTime({ machine, now }: NodeRemovalScope): MachineChange {
  return machine.status.deletion.waitForNodeVolumeDetachStartTime === undefined
    ? { deletionTimes: { waitForNodeVolumeDetachStartTime: toTimestamp(now) } }
    : {};
}

function startOf({ machine, now }: NodeRemovalScope): string {
  return machine.status.deletion.waitForNodeVolumeDetachStartTime ?? toTimestamp(now);
}
