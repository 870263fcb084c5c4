// What the stages of a deletion know from the start, and what they ask.
import type { Checked, Instant } from '@capi-serverless/apimachinery';
import type { Question, WorkloadTarget } from '@capi-serverless/reconciler';
import type { Cluster } from '../../../../shared/api/cluster/reader.ts';
import type { WholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import type { WorkloadNode } from '../../../../shared/api/node/reader.ts';
import type { PersistentVolume } from '../../../../shared/api/persistent-volume/reader.ts';
import type { VolumeAttachment } from '../../../../shared/api/volume-attachment/reader.ts';
import type { External, Scoped } from '../../../../shared/external/external.ts';
import type { MachineSettings } from '../../seen.ts';
import type { NodeLookup } from '../node/lookup.ts';
import type { DrainedPod } from './classify-pods.ts';
import type { AttachedVolumes } from './volumes.ts';

/** The control plane object of the Cluster. */
export type ControlPlaneQuestion = Question<'controlPlane', Cluster, External>;
/** Whether a control plane Machine of the Cluster exists that is not being deleted. */
export type MembersQuestion = Question<'hasMembers', Cluster, Checked<boolean>>;

interface PodsOfNode {
  readonly cluster: Cluster;
  readonly node: WorkloadNode;
}

/** All Pods of the Node, by name. They are listed after the Node was cordoned, and once in a pass. */
export type PodsQuestion = Question<'pods', PodsOfNode, Checked<readonly DrainedPod[]>>;
/** The VolumeAttachments of the Node with this name. */
export type AttachmentsQuestion = Question<'attachments', string, Checked<readonly VolumeAttachment[]>>;
/** The PersistentVolumes that may belong to the Node. */
export type VolumesQuestion = Question<'persistentVolumes', AttachedVolumes, Checked<readonly PersistentVolume[]>>;

export type DeletionQuestion =
  | ControlPlaneQuestion
  | MembersQuestion
  | PodsQuestion
  | AttachmentsQuestion
  | VolumesQuestion;

/** The Node that the Machine names. */
export type NamedNode =
  /** There is no such Node, it belongs to another machine, or the Machine names none. */
  { readonly state: 'gone' } | Exclude<NodeLookup, { readonly state: 'noProviderID' | 'missing' }>;

export interface DeletionScope {
  readonly machine: WholeMachine;
  /** `undefined`: the Cluster is gone. */
  readonly cluster: Cluster | undefined;
  readonly infrastructure: Scoped;
  readonly bootstrap: Scoped;
  /** The name of the Node, or "". */
  readonly nodeName: string;
  readonly namedNode: NamedNode;
  /** The look-up of the Node by providerID. Without providerID, there is nothing to look up. */
  readonly lookup: NodeLookup;
  /** Whether the connection counts as dead. */
  readonly isConnectionDead: boolean;
  readonly target: WorkloadTarget;
  readonly settings: Pick<MachineSettings, 'waitsForFinishedPods' | 'resyncPeriodMs'>;
  readonly now: Instant;
}

/** The stages about the Node. They run only if the Cluster exists. */
export interface NodeRemovalScope extends DeletionScope {
  readonly cluster: Cluster;
}
