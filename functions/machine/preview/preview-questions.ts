// What the preview of a deletion asks: the facts of all stages, also of those that a pass would not reach.
import { type Checked, valid } from '@capi-serverless/apimachinery';
import { type AskingPlan, ask } from '@capi-serverless/reconciler';
import { isUnreachable, type WorkloadNode } from '../../../shared/api/node/reader.ts';
import type { PersistentVolume } from '../../../shared/api/persistent-volume/reader.ts';
import type { VolumeAttachment } from '../../../shared/api/volume-attachment/reader.ts';
import type { DrainedPod } from '../phases/deletion/classify-pods.ts';
import type {
  AttachmentsQuestion,
  DeletionQuestion,
  DeletionScope,
  NodeRemovalScope,
  PodsQuestion,
  VolumesQuestion,
} from '../phases/deletion/deletion-scope.ts';
import { type NodeRemoval, nodeRemovalOf } from '../phases/deletion/node-removal.ts';
import { attachedVolumes } from '../phases/deletion/volumes.ts';
import { drainLimit, volumesLimit, waitsForNode } from '../phases/deletion/wait-limits.ts';

/** A fact is absent if the deletion does not need it. */
interface NodeFacts {
  readonly pods?: Checked<readonly DrainedPod[]>;
  readonly attachments?: Checked<readonly VolumeAttachment[]>;
  readonly persistentVolumes?: Checked<readonly PersistentVolume[]>;
}

export interface AnsweredPreview extends NodeFacts {
  readonly removal: NodeRemoval;
}

/** Pods and volumes are asked for, unless the deletion does not wait for them. */
export function* askForPreview(scope: DeletionScope): AskingPlan<DeletionQuestion, AnsweredPreview> {
  const removal = yield* nodeRemovalOf(scope);
  return removal.state === 'removes' ? { removal, ...(yield* askForNode(removal.scope)) } : { removal };
}

function* askForNode(scope: NodeRemovalScope): AskingPlan<DeletionQuestion, NodeFacts> {
  const { machine, cluster, namedNode } = scope;
  if (namedNode.state !== 'found') {
    return {};
  }
  const { node } = namedNode;
  const drains = waitsForNode(scope, drainLimit(machine));
  const waits = waitsForNode(scope, volumesLimit(machine)) && !isUnreachable(node);
  return {
    ...(drains || waits ? { pods: yield* ask<PodsQuestion>('pods', { cluster, node }) } : {}),
    ...(waits ? yield* askForVolumes(scope, node) : {}),
  };
}

function* askForVolumes(
  { nodeName }: NodeRemovalScope,
  node: WorkloadNode,
): AskingPlan<AttachmentsQuestion | VolumesQuestion, NodeFacts> {
  const attachments = yield* ask<AttachmentsQuestion>('attachments', nodeName);
  const attached = attachments.ok ? attachedVolumes(node, attachments.value) : attachments;
  const persistentVolumes = attached.ok ? yield* ask<VolumesQuestion>('persistentVolumes', attached.value) : valid([]);
  return { attachments, persistentVolumes };
}
