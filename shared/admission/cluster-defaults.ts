// The defaults of a Cluster: the prefix of its version, and the values of variables.

import {
  type FieldError,
  internalError,
  requiredValue,
  toDisplayName,
  toRecord,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { readCluster } from '../api/cluster/reader.ts';
import { readClusterClass } from '../api/cluster-class/reader.ts';
import { isUsable } from '../api/cluster-class/usable.ts';
import { defaultTopologyVariables } from '../topology/default-variables.ts';
import { readClusterTopology, withPrefix } from '../topology/model/cluster-topology.ts';
import { readStatusVariables } from '../variables/index.ts';
import { type ClusterChange, classNameOf } from './cluster-change.ts';

interface Defaulted {
  readonly cluster: Unstructured;
  readonly errors: readonly FieldError[];
}

/** Variables are defaulted and validated after the class was reconciled. */
export function defaultCluster({
  cluster: given,
  old,
  findClass,
}: Pick<ClusterChange, 'cluster' | 'old' | 'findClass'>): Defaulted {
  const { spec, metadata } = readCluster(given);
  if (!spec.topology.isDefined) {
    return { cluster: given, errors: [] };
  }
  const stored = toRecord(toRecord(given.spec)['topology']);
  const { version } = stored;
  const raw = { ...stored, version: withPrefix(typeof version === 'string' ? version : '') };
  const cluster = withTopology(given, raw);
  const topology = readClusterTopology(raw);
  if (topology.classRef.name === '') {
    return { cluster, errors: [requiredValue('spec.topology.classRef.name', 'cannot be empty')] };
  }
  const className = classNameOf(topology, metadata);
  const found = findClass(className);
  if (found === undefined || !isUsable(readClusterClass(found))) {
    return { cluster, errors: [] };
  }
  const definitions = readStatusVariables(toRecord(found.status)['variables']);
  if (!definitions.ok) {
    const why = `reading the variables of ClusterClass ${toDisplayName(className)} failed: ${definitions.error}`;
    return { cluster, errors: [internalError('spec.topology.class', why)] };
  }
  const before = old === undefined ? undefined : readClusterTopology(toRecord(old.spec)['topology']);
  const filled = defaultTopologyVariables({ topology, raw, definitions: definitions.value, old: before });
  const { variables } = filled;
  return variables.ok
    ? { cluster: withTopology(given, filled.topology), errors: [] }
    : { cluster, errors: variables.error };
}

function withTopology(cluster: Unstructured, topology: unknown): Unstructured {
  return { ...cluster, spec: { ...toRecord(cluster.spec), topology } };
}
