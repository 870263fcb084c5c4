// The creation or update of a Cluster, with the reads that its admission requires.

import type { Unstructured } from '@capi-serverless/apimachinery';
import type { Cluster } from '../api/cluster/reader.ts';
import type { ClusterTopology } from '../topology/model/cluster-topology.ts';
import type { AdmissionGates } from './cluster-class.ts';
import type { Progress } from './version-change.ts';

export interface ClassName {
  readonly namespace: string;
  readonly name: string;
}

export interface ClusterChange {
  readonly cluster: Unstructured;
  /** Absent if the Cluster is created. */
  readonly old?: Unstructured | undefined;
  readonly gates: Pick<AdmissionGates, 'clusterTopology' | 'taintPropagation'>;
  /** Reads the stored ClusterClass. If the Cluster changes its class, the old class is read as well. */
  findClass(name: ClassName): Unstructured | undefined;
  /** Reads the upgrade progress of the Cluster at its old version. Called when the version changes. */
  progressOf(old: Cluster): Progress;
}

/** Without a namespace in the reference, the namespace of the Cluster is used. */
export function classNameOf(
  { classRef }: Pick<ClusterTopology, 'classRef'>,
  { namespace }: Pick<ClassName, 'namespace'>,
): ClassName {
  return { namespace: classRef.namespace === '' ? namespace : classRef.namespace, name: classRef.name };
}
