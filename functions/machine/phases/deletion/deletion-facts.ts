// What the stages of a deletion have read so far. A stage that needs more returns a question, and observe reads the
// answer.
import type { Checked, Instant } from '@capi-serverless/apimachinery';
import type { WorkloadTarget } from '@capi-serverless/reconciler';
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

export interface DeletionFacts {
  /** The control plane object of the Cluster. */
  readonly controlPlane?: External;
  /** Whether a control plane Machine exists that is not being deleted. */
  readonly hasMembers?: Checked<boolean>;
  /** All Pods of the Node, by name. They were listed after the Node was cordoned. */
  readonly pods?: Checked<readonly DrainedPod[]>;
  readonly attachments?: Checked<readonly VolumeAttachment[]>;
  /** The PersistentVolumes that may belong to the Node. */
  readonly persistentVolumes?: Checked<readonly PersistentVolume[]>;
}

/** The fact that a stage needs, with the objects that the answer depends on. */
export type DeletionQuestion =
  | { readonly fact: 'controlPlane' | 'hasMembers'; readonly cluster: Cluster }
  | { readonly fact: 'pods'; readonly cluster: Cluster; readonly node: WorkloadNode }
  | { readonly fact: 'attachments' }
  | { readonly fact: 'persistentVolumes'; readonly attached: AttachedVolumes };

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
  readonly facts: DeletionFacts;
}

/** The stages about the Node. They run only if the Cluster exists. */
export interface NodeRemovalScope extends DeletionScope {
  readonly cluster: Cluster;
}
