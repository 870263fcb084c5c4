// Reads the fields of a Cluster that reconcilers use. Writes start from `object`, so that unknown fields are kept.

import { type GroupKind, type Kind, toRecord, type Unstructured } from '@capi-serverless/apimachinery';
import { storedV1Beta1Conditions } from '@capi-serverless/cluster-api/conditions';
import * as z from 'zod/mini';
import {
  availabilityGates,
  conditions,
  countOrZero,
  flag,
  readMeta,
  reference,
  section,
  textOrEmpty,
} from '../fields.ts';

export const clusterGroup = 'cluster.x-k8s.io';
export const clusterApiVersion = `${clusterGroup}/v1beta2`;

/** A kind of the core in the version that watches and writes use. */
export function coreKind(kind: string): Kind {
  return { group: clusterGroup, version: 'v1beta2', kind, scope: 'Namespaced' };
}

/** References an object without a version. The contract determines the version. */
export type ContractReference = z.output<typeof reference>;

const references = {
  controlPlaneRef: reference,
  infrastructureRef: reference,
  topology: z.pipe(
    z.transform(raw => ({ isDefined: hasContent(raw), ...toRecord(raw) })),
    z.object({ isDefined: z.boolean(), classRef: section({ name: textOrEmpty, namespace: textOrEmpty }) }),
  ),
};
const referencesOnly = section(references);

const schema = z.object({
  spec: section({
    ...references,
    paused: flag,
    controlPlaneEndpoint: section({ host: textOrEmpty, port: countOrZero }),
    availabilityGates,
  }),
  status: section({
    phase: textOrEmpty,
    initialization: section({ infrastructureProvisioned: flag, controlPlaneInitialized: flag }),
    conditions,
    deprecated: section({ v1beta1: section({ conditions: z.transform(storedV1Beta1Conditions) }) }),
  }),
});

/** Never throws. An unreadable field is treated as absent. */
export function readCluster(object: Unstructured) {
  return { object, metadata: readMeta(object.metadata), ...schema.parse({ spec: object.spec, status: object.status }) };
}

export type Cluster = ReturnType<typeof readCluster>;

/** Reads only the references in the spec. Watches call this for each Cluster and event. */
export function readClusterReferences({ spec }: Pick<Unstructured, 'spec'>): z.output<typeof referencesOnly> {
  return referencesOnly.parse(spec);
}

/** The fields that `kindsOfCluster` reads. */
export const referenceParts = ['spec.infrastructureRef', 'spec.controlPlaneRef'];

/** The fields that show whether a Cluster has a topology, and its class. */
export const topologyParts = ['spec.topology.classRef', 'spec.topology.version'];

/** The kinds of the infrastructure and of the control plane of the Cluster. */
export function kindsOfCluster(cluster: Unstructured): readonly GroupKind[] {
  const { infrastructureRef, controlPlaneRef } = readClusterReferences(cluster);
  return toGroupKinds([infrastructureRef, controlPlaneRef]);
}

/** Ignores references without group or kind. */
export function toGroupKinds(named: readonly ContractReference[]): readonly GroupKind[] {
  return named
    .filter(({ apiGroup, kind }) => apiGroup !== '' && kind !== '')
    .map(({ apiGroup: group, kind }) => ({ group, kind }));
}

/** Returns true if any field of the reference is set. */
export function isDefined(reference: ContractReference): boolean {
  return reference.apiGroup !== '' || reference.kind !== '' || reference.name !== '';
}

/** Returns true if any nested field has a value. */
function hasContent(raw: unknown): boolean {
  if (Array.isArray(raw)) {
    return raw.length > 0;
  }
  return typeof raw === 'object' && raw !== null
    ? Object.values(raw).some(hasContent)
    : raw !== undefined && raw !== null && raw !== '';
}
