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

/** The maximum number of versions in the status of a Cluster. Kubelets may report any texts as their versions. */
const mostVersions = 32;

/** Stands for all versions above this number. */
const furtherVersions = '…';

/**
 * Adds up the counts per version, oldest version first. Returns `undefined` if there are none. If there are too many, the
 * last item counts all further versions.
 */
export function countVersions(counts: readonly StatusVersion[]): readonly StatusVersion[] | undefined {
  const totals = new Map<string, number>();
  for (const { version, replicas = 0 } of counts) {
    totals.set(version, (totals.get(version) ?? 0) + replicas);
  }
  const sorted = [...totals].toSorted(([a], [b]) => compareVersionTexts(a, b));
  const listed = sorted.map(([version, replicas]) => ({ version, replicas }));
  return listed.length === 0 ? undefined : limited(listed);
}

interface CountedVersion extends StatusVersion {
  readonly replicas: number;
}

function limited(counts: readonly CountedVersion[]): readonly StatusVersion[] {
  if (counts.length <= mostVersions) {
    return counts;
  }
  const kept = counts.filter(({ version }) => version !== furtherVersions).slice(0, mostVersions - 1);
  const further = counts.filter(count => !kept.includes(count));
  return [...kept, { version: furtherVersions, replicas: further.reduce((sum, { replicas }) => sum + replicas, 0) }];
}
