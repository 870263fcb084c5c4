// Counts the replicas of each Kubernetes version.

import { compareVersionTexts, type StatusVersion } from '@capi-serverless/cluster-api/contract';

interface Versioned {
  readonly spec: { readonly version?: string | undefined };
  readonly status: { readonly nodeInfo: { readonly kubeletVersion: string } };
}

/**
 * Returns the version that the Node of a Machine reports. Without a Node, returns the version in the Machine's spec.
 */
export function versionsOfMachines(machines: readonly Versioned[]): readonly StatusVersion[] {
  return machines.flatMap(({ spec, status }) => {
    const version = status.nodeInfo.kubeletVersion || spec.version;
    return version === undefined || version === '' ? [] : [{ version, replicas: 1 }];
  });
}

/** Adds up the counts per version, oldest version first. Returns `undefined` if there are none. */
export function countVersions(counts: readonly StatusVersion[]): readonly StatusVersion[] | undefined {
  const totals = new Map<string, number>();
  for (const { version, replicas = 0 } of counts) {
    totals.set(version, (totals.get(version) ?? 0) + replicas);
  }
  const sorted = [...totals].toSorted(([a], [b]) => compareVersionTexts(a, b));
  return sorted.length === 0 ? undefined : sorted.map(([version, replicas]) => ({ version, replicas }));
}
