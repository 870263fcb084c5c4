// The volumes that keep a drained Node: which of them are still attached, and the message about them.
import { type Checked, compareText, invalid, valid } from '@capi-serverless/apimachinery';
import type { WorkloadNode } from '../../../../shared/api/node/reader.ts';
import type { PersistentVolume } from '../../../../shared/api/persistent-volume/reader.ts';
import type { Pod } from '../../../../shared/api/pod/reader.ts';
import type { VolumeAttachment } from '../../../../shared/api/volume-attachment/reader.ts';

/** What the Node and the VolumeAttachments name. */
export interface AttachedVolumes {
  /** The entries of `status.volumesAttached` of the Node. */
  readonly names: readonly string[];
  /** The PersistentVolumes of VolumeAttachments. */
  readonly persistentVolumes: readonly string[];
}

/** Fails for a VolumeAttachment of an inline volume, because it names no PersistentVolume. */
export function attachedVolumes(
  { metadata, status }: WorkloadNode,
  attachments: readonly VolumeAttachment[],
): Checked<AttachedVolumes> {
  const ofNode = attachments.filter(each => each.status.attached && each.spec.nodeName === metadata.name);
  const inline = ofNode.find(({ spec }) => spec.source.persistentVolumeName === '');
  if (inline !== undefined) {
    return invalid(`spec.source.persistentVolumeName for VolumeAttachment ${inline.metadata.name} is not set`);
  }
  return valid({
    names: status.volumesAttached.map(({ name }) => name),
    persistentVolumes: ofNode.map(({ spec }) => spec.source.persistentVolumeName),
  });
}

/** What a Node still waits for. Each list is sorted. */
export interface RemainingVolumes {
  readonly claims: readonly string[];
  readonly unclaimed: readonly string[];
  /** Entries of the Node without a PersistentVolume. */
  readonly unknownNames: readonly string[];
  /** Names in VolumeAttachments without a PersistentVolume. */
  readonly unknownVolumes: readonly string[];
}

/** Returns true if the Node or a VolumeAttachment names the PersistentVolume. */
export function isAttached({ names, persistentVolumes }: AttachedVolumes, volume: PersistentVolume): boolean {
  return names.includes(csiName(volume)) || persistentVolumes.includes(volume.metadata.name);
}

/** Claims of Pods that the drain skips are not waited for. */
export function remainingVolumes(
  attached: AttachedVolumes,
  known: readonly PersistentVolume[],
  skippedPods: readonly Pod[],
): RemainingVolumes {
  const { names, persistentVolumes } = attached;
  const matching = known.filter(volume => isAttached(attached, volume));
  const explained = new Set(matching.map(csiName));
  const present = new Set(matching.map(({ metadata }) => metadata.name));
  const skipped = new Set(skippedPods.flatMap(claimsOf));
  return {
    claims: sorted(matching.flatMap(claimOf)).filter(claim => !skipped.has(claim)),
    unclaimed: sorted(matching.filter(volume => claimOf(volume).length === 0).map(({ metadata }) => metadata.name)),
    unknownNames: sorted(names.filter(name => !explained.has(name))),
    unknownVolumes: sorted(persistentVolumes.filter(name => !present.has(name))),
  };
}

/** Returns true if all entries of the Node belong to these PersistentVolumes. Then the others are not listed. */
export function explainsAll({ names }: AttachedVolumes, known: readonly PersistentVolume[]): boolean {
  const explained = new Set(known.map(csiName));
  return names.every(name => explained.has(name));
}

export function isDetached(remaining: RemainingVolumes): boolean {
  const { claims, unclaimed, unknownNames, unknownVolumes } = remaining;
  return [claims, unclaimed, unknownNames, unknownVolumes].every(list => list.length === 0);
}

const maxNames = 5;

/** `startedAt` is an RFC 3339 time. */
export function volumesMessage(remaining: RemainingVolumes, startedAt: string): string {
  const { claims, unclaimed, unknownNames, unknownVolumes } = remaining;
  return [
    `Waiting for Node volumes to be detached (started at ${startedAt})`,
    ...line('PersistentVolumeClaims', claims),
    ...line('PersistentVolumes without a .spec.claimRef to a PersistentVolumeClaim', unclaimed),
    ...line('Node with .status.volumesAttached entries not matching a PersistentVolume', unknownNames),
    ...line('VolumeAttachment with .spec.source.persistentVolumeName not matching a PersistentVolume', unknownVolumes),
  ].join('\n');
}

function line(title: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) {
    return [];
  }
  const shown = names.slice(0, maxNames).join(', ');
  return [`* ${title}: ${names.length > maxNames ? `${shown}, ... (${names.length - maxNames} more)` : shown}`];
}

/** The name of a CSI volume in the status of a Node. */
function csiName({ spec: { csi } }: PersistentVolume): string {
  return `kubernetes.io/csi/${csi.driver}^${csi.volumeHandle}`;
}

function claimOf({ spec: { claimRef } }: PersistentVolume): readonly string[] {
  return claimRef.kind === 'PersistentVolumeClaim' ? [`${claimRef.namespace}/${claimRef.name}`] : [];
}

function claimsOf({ metadata, spec }: Pod): readonly string[] {
  return spec.volumes
    .filter(({ persistentVolumeClaim }) => persistentVolumeClaim.claimName !== '')
    .map(({ persistentVolumeClaim }) => `${metadata.namespace}/${persistentVolumeClaim.claimName}`);
}

function sorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort(compareText);
}
