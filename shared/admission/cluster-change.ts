// A Cluster that is created or changed, and what is asked to judge it.
import type { Cluster } from '../api/cluster/reader.ts';
import type { Unstructured } from '../api/object.ts';
import type { ClusterTopology } from '../topology/model/cluster-topology.ts';
import type { AdmissionGates } from './cluster-class.ts';
import type { Progress } from './version-change.ts';

export interface ClassName {
  readonly namespace: string;
  readonly name: string;
}

export interface ClusterChange {
  readonly cluster: Unstructured;
  /** Absent: the Cluster is created. */
  readonly old?: Unstructured | undefined;
  readonly gates: Pick<AdmissionGates, 'clusterTopology' | 'taintPropagation'>;
  /** The ClusterClass as it is stored. Asked for the old one, too, when the Cluster changes its class. */
  findClass(name: ClassName): Unstructured | undefined;
  /** How far the Cluster is with its old version; asked when the version changes. */
  progressOf(old: Cluster): Progress;
}

/** Without a namespace its own counts. */
export function classNameOf(
  { classRef }: Pick<ClusterTopology, 'classRef'>,
  { namespace }: Pick<ClassName, 'namespace'>,
): ClassName {
  return { namespace: classRef.namespace === '' ? namespace : classRef.namespace, name: classRef.name };
}
