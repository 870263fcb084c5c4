// The paths and forms in which each control plane contract stores the fields that a topology sets.
// https://cluster-api.sigs.k8s.io/developer/providers/contracts/control-plane
import { type Checked, groupOf, invalid, mapChecked, type Unstructured, valid } from '@capi-serverless/apimachinery';
import { type ContractVersion, readString, valueOr } from '@capi-serverless/cluster-api/contract';
import { type NamespacedIntent, toContractReference } from './clone.ts';

export type TimeoutName = 'nodeDrainTimeoutSeconds' | 'nodeVolumeDetachTimeoutSeconds' | 'nodeDeletionTimeoutSeconds';

interface ControlPlanePaths {
  readonly infrastructureRef: string;
  readonly readinessGates: string;
  readonly taints: string;
  readonly timeouts: Readonly<Record<TimeoutName, string>>;
  toTimeout(seconds: number): number | string;
  /**
   * `current` is the control plane with the current reference. If it follows another contract, the reference has
   * another path. This is an error.
   */
  toReference(to: NamespacedIntent, current: Unstructured | undefined): Checked<Readonly<Record<string, string>>>;
}

/** The path is the same in both contracts. */
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

/** A stored version is kept, because the provider may have upgraded it. */
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

/** Returns the complete reference of contract v1beta1 in the control plane, with an API version. */
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

/** Formats a duration like Go: `10m0s`, `1h0m0s`, `0s`. https://pkg.go.dev/time#Duration.String */
function toDuration(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  return [
    ...(hours > 0 ? [`${hours}h`] : []),
    ...(hours > 0 || minutes > 0 ? [`${minutes}m`] : []),
    `${seconds % 60}s`,
  ].join('');
}
