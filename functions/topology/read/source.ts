// Reads the ClusterClass of a topology, makes sure that it may be used, and fills in and checks variables.

import { type Cluster, clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import { readClusterClass } from '../../../shared/api/cluster-class/reader.ts';
import { toRecord } from '../../../shared/api/fields.ts';
import { toDisplayName } from '../../../shared/api/object.ts';
import { getCondition } from '../../../shared/conditions/get.ts';
import { readClassSpec } from '../../../shared/topology/model/class-spec.ts';
import { readClusterTopology } from '../../../shared/topology/model/cluster-topology.ts';
import type { TopologySource } from './blueprint.ts';
import type { PassReads } from './pass-reads.ts';
import { fillVariables } from './variables.ts';

export type SourceRead =
  | {
      readonly state: 'failed';
      readonly error: string;
      /** No retry is needed: its own reconciler has not come to the class at all, and will. */
      readonly isClassNew?: true;
      /** `spec.topology` with the defaults of variables, where it was looked at: what was wrong may be another value. */
      readonly topology?: unknown;
    }
  /** The class changed, and its reconciler has not looked at the change yet: it will, and that wakes this one. */
  | { readonly state: 'classNotReconciled' }
  | {
      readonly state: 'ready';
      readonly source: TopologySource;
      /** `spec.topology` with the defaults of variables; the stored value itself where none was missing. */
      readonly topology: unknown;
    };

const variablesNotReady =
  'ClusterClass is not successfully reconciled: status of VariablesReady condition on ClusterClass must be "True"';

export async function readSource(cluster: Cluster, ask: PassReads): Promise<SourceRead> {
  const { metadata, object } = cluster;
  const raw = toRecord(object.spec)['topology'];
  const topology = readClusterTopology(raw);
  const { name } = topology.classRef;
  const namespace = topology.classRef.namespace === '' ? metadata.namespace : topology.classRef.namespace;
  const className = { namespace, name };
  const answer = await ask.get({ apiVersion: clusterApiVersion, kind: 'ClusterClass', ...className });
  if (!answer.ok) {
    return failed(`failed to retrieve ClusterClass ${toDisplayName(className)}: ${answer.failure.message}`);
  }
  const clusterClass = readClusterClass(answer.value);
  const ready = getCondition(clusterClass.status.conditions, 'VariablesReady');
  if (ready === undefined || ready.status === 'False') {
    return { ...failed(variablesNotReady), ...(ready === undefined ? { isClassNew: true as const } : {}) };
  }
  if (clusterClass.status.observedGeneration !== clusterClass.metadata.generation) {
    return { state: 'classNotReconciled' };
  }
  const filled = await fillVariables({
    clusterName: metadata.name,
    className,
    topology,
    raw,
    defined: toRecord(clusterClass.object.status)['variables'],
  });
  if (!filled.values.ok) {
    return { ...failed(filled.values.error), topology: filled.topology };
  }
  const { definitions, variables } = filled.values.value;
  const classSpec = readClassSpec(clusterClass.object.spec);
  const source = { cluster, topology, variables, className, classSpec, definitions };
  return { state: 'ready', source, topology: filled.topology };
}

function failed(error: string): Extract<SourceRead, { state: 'failed' }> {
  return { state: 'failed', error };
}
