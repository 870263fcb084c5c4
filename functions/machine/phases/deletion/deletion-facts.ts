// What the stages of a deletion have read so far. A stage that needs more returns a question, and observe reads the
// answer.
import type { Checked } from '@capi-serverless/apimachinery';
import type { WorkloadTarget } from '@capi-serverless/reconciler';
import type { Cluster } from '../../../../shared/api/cluster/reader.ts';
import type { WholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import type { WorkloadNode } from '../../../../shared/api/node/reader.ts';
import type { PersistentVolume } from '../../../../shared/api/persistent-volume/reader.ts';
import type { VolumeAttachment } from '../../../../shared/api/volume-attachment/reader.ts';
import type { External, Scoped } from '../../../../shared/external/external.ts';
import type { MachineSettings } from '../machine-settings.ts';
import type { DrainedPod } from './classify-pods.ts';

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

export type DeletionQuestion = keyof DeletionFacts;

/** The Node that the Machine names. */
export type NamedNode =
  | { readonly state: 'found'; readonly node: WorkloadNode }
  /** There is no such Node, it belongs to another machine, or the Machine names none. */
  | { readonly state: 'gone' }
  | { readonly state: 'notConnected' }
  | { readonly state: 'failed'; readonly error: string };

export interface DeletionScope {
  readonly machine: WholeMachine;
  /** `undefined`: the Cluster is gone. */
  readonly cluster: Cluster | undefined;
  readonly infrastructure: Scoped;
  readonly bootstrap: Scoped;
  /** The name of the Node, or "". */
  readonly nodeName: string;
  readonly namedNode: NamedNode;
  readonly target: WorkloadTarget;
  readonly settings: Pick<MachineSettings, 'waitsForFinishedPods'>;
  readonly now: number;
  readonly facts: DeletionFacts;
}
