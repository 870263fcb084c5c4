// Reads the ClusterClass of a topology, checks whether it can be used, and sets and validates variables.

import { toDisplayName, toRecord, type WorkMeter } from '@capi-serverless/apimachinery';
import { type Cluster, clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import { readClassSpec } from '../../../shared/api/cluster-class/class-spec.ts';
import { readClusterClass } from '../../../shared/api/cluster-class/reader.ts';
import { allowsClass, type ClassNamespaces } from '../../../shared/topology/class-namespaces.ts';
import { readClusterTopology } from '../../../shared/topology/model/cluster-topology.ts';
import { type ClassReadiness, checkClass } from '../plan/class-readiness.ts';
import type { TopologySource } from '../plan/class-templates.ts';
import type { TopologySettings } from '../settings.ts';
import { fillVariables } from './fill-variables.ts';
import type { PassReads } from './pass-reads.ts';

export type SourceRead =
  | (Extract<ClassReadiness, { state: 'failed' }> & {
      /** `spec.topology` with variable defaults. Set if the defaults were applied, even if another value is invalid. */
      readonly topology?: unknown;
    })
  | Extract<ClassReadiness, { state: 'classNotReconciled' }>
  | {
      readonly state: 'ready';
      readonly source: TopologySource;
      /** `spec.topology` with variable defaults, or the stored value if no default was missing. */
      readonly topology: unknown;
    };

export async function readSource(
  cluster: Cluster,
  ask: PassReads,
  {
    classNamespaces = 'any',
    meter,
  }: Pick<TopologySettings, 'classNamespaces'> & { readonly meter?: WorkMeter | undefined },
): Promise<SourceRead> {
  const { metadata, object } = cluster;
  const raw = toRecord(object.spec)['topology'];
  const topology = readClusterTopology(raw);
  const { name } = topology.classRef;
  const namespace = topology.classRef.namespace === '' ? metadata.namespace : topology.classRef.namespace;
  const className = { namespace, name };
  if (!allowsClass(classNamespaces, { cluster: metadata.namespace, clusterClass: namespace })) {
    return failed(foreignClass(toDisplayName(className), classNamespaces));
  }
  const answer = await ask.get({ apiVersion: clusterApiVersion, kind: 'ClusterClass', ...className });
  if (!answer.ok) {
    return failed(`failed to retrieve ClusterClass ${toDisplayName(className)}: ${answer.failure.message}`);
  }
  const clusterClass = readClusterClass(answer.value);
  const usable = checkClass(clusterClass);
  if (usable.state !== 'usable') {
    return usable;
  }
  const defined = toRecord(clusterClass.object.status)['variables'];
  meter?.read(defined);
  const filled = await fillVariables({
    clusterName: metadata.name,
    className,
    topology,
    raw,
    defined,
    meter,
  });
  if (!filled.values.ok) {
    return { ...failed(filled.values.error), topology: filled.topology };
  }
  const { definitions, variables } = filled.values.value;
  const classSpec = readClassSpec(clusterClass.object.spec);
  const source = { cluster, topology, variables, className, classSpec, definitions };
  return { state: 'ready', source, topology: filled.topology };
}

/** The class is not read, so that its existence is not disclosed. */
function foreignClass(name: string, allowed: ClassNamespaces): string {
  const named = [allowed].flat();
  const others = named.length === 0 ? '' : ` or in ${named.join(', ')}`;
  return `ClusterClass ${name} must not be used: spec.topology.classRef.namespace must be the namespace of the Cluster${others} (CAPI_CLASS_NAMESPACES)`;
}

function failed(error: string): Extract<SourceRead, { state: 'failed' }> {
  return { state: 'failed', error };
}
