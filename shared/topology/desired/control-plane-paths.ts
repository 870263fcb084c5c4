// Where each contract of control planes keeps what a topology sets, and in which form.
// https://cluster-api.sigs.k8s.io/developer/providers/contracts/control-plane
import { type Checked, invalid, mapChecked, valid } from '../../api/checked.ts';
import { groupOf, type Unstructured } from '../../api/object.ts';
import type { ContractVersion } from '../../contract/contract-version.ts';
import { readString, valueOr } from '../../contract/path.ts';
import { type NamespacedIntent, toContractReference } from './clone.ts';

export type TimeoutName = 'nodeDrainTimeoutSeconds' | 'nodeVolumeDetachTimeoutSeconds' | 'nodeDeletionTimeoutSeconds';

interface ControlPlanePaths {
  readonly infrastructureRef: string;
  readonly readinessGates: string;
  readonly taints: string;
  readonly timeouts: Readonly<Record<TimeoutName, string>>;
  toTimeout(seconds: number): number | string;
  /** `current` is what holds the reference now; one of another contract holds it elsewhere, which is an error. */
  toReference(to: NamespacedIntent, current: Unstructured | undefined): Checked<Readonly<Record<string, string>>>;
}

/** In both contracts. */
export const machineMetadataPath = 'spec.machineTemplate.metadata';

const oldReferencePath = 'spec.machineTemplate.infrastructureRef';
const referenceFields = ['apiVersion', 'kind', 'name', 'namespace'] as const;
type ReferenceField = (typeof referenceFields)[number];

export const controlPlanePaths: Readonly<Record<ContractVersion, ControlPlanePaths>> = {
  v1beta2: {
    infrastructureRef: 'spec.machineTemplate.spec.infrastructureRef',
    readinessGates: 'spec.machineTemplate.spec.readinessGates',
    taints: 'spec.machineTemplate.spec.taints',
    timeouts: {
      nodeDrainTimeoutSeconds: 'spec.machineTemplate.spec.deletion.nodeDrainTimeoutSeconds',
      nodeVolumeDetachTimeoutSeconds: 'spec.machineTemplate.spec.deletion.nodeVolumeDetachTimeoutSeconds',
      nodeDeletionTimeoutSeconds: 'spec.machineTemplate.spec.deletion.nodeDeletionTimeoutSeconds',
    },
    toTimeout: seconds => seconds,
    toReference: to => valid(toContractReference(to)),
  },
  v1beta1: {
    infrastructureRef: oldReferencePath,
    readinessGates: 'spec.machineTemplate.readinessGates',
    taints: 'spec.machineTemplate.taints',
    timeouts: {
      nodeDrainTimeoutSeconds: 'spec.machineTemplate.nodeDrainTimeout',
      nodeVolumeDetachTimeoutSeconds: 'spec.machineTemplate.nodeVolumeDetachTimeout',
      nodeDeletionTimeoutSeconds: 'spec.machineTemplate.nodeDeletionTimeout',
    },
    toTimeout: toDuration,
    toReference: toVersionedReference,
  },
};

/** The version that is stored already stays: the provider may have moved it on. */
function toVersionedReference(
  { apiVersion, kind, metadata: { namespace, name } }: NamespacedIntent,
  current: Unstructured | undefined,
): Checked<Readonly<Record<string, string>>> {
  const made = { apiVersion, kind, namespace, name };
  if (current === undefined) {
    return valid(made);
  }
  return mapChecked(readVersionedReference(current), stored => {
    const isSameKind = groupOf(stored.apiVersion) === groupOf(apiVersion) && stored.kind === kind;
    return isSameKind ? { ...made, apiVersion: stored.apiVersion } : made;
  });
}

/** The reference of contract v1beta1 that the control plane holds: with an API version, and whole. */
export function readVersionedReference(controlPlane: Unstructured): Checked<Record<ReferenceField, string>> {
  const found = referenceFields.map(
    field => [field, readString(controlPlane, `${oldReferencePath}.${field}`)] as const,
  );
  const missing = found.find(([, { state }]) => state !== 'value');
  if (missing !== undefined) {
    return invalid(`failed to get ${oldReferencePath}.${missing[0]} from ${controlPlane.kind}`);
  }
  // True: each field was found.
  return valid(
    Object.fromEntries(found.map(([field, value]) => [field, valueOr(value, '')])) as Record<ReferenceField, string>,
  );
}

/** As Go prints durations: `10m0s`, `1h0m0s`, `0s`. https://pkg.go.dev/time#Duration.String */
function toDuration(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  return [
    ...(hours > 0 ? [`${hours}h`] : []),
    ...(hours > 0 || minutes > 0 ? [`${minutes}m`] : []),
    `${seconds % 60}s`,
  ].join('');
}
