// Reads what reconcilers look at in a Cluster. What they write back starts from `object`, so that unknown fields survive.
import * as z from 'zod/mini';
import { storedV1Beta1Conditions } from '../../conditions/v1beta1.ts';
import { availabilityGates, conditions, countOrZero, flag, section, textOrEmpty, toRecord } from '../fields.ts';
import type { ObjectMeta, Unstructured } from '../object.ts';

export const clusterGroup = 'cluster.x-k8s.io';
export const clusterApiVersion = `${clusterGroup}/v1beta2`;
export const pausedAnnotation = 'cluster.x-k8s.io/paused';

const reference = section({ apiGroup: textOrEmpty, kind: textOrEmpty, name: textOrEmpty });

/** Names an object beside the Cluster, without a version: the contract decides in which one it is read. */
export type ContractReference = z.output<typeof reference>;

const schema = z.object({
  spec: section({
    paused: flag,
    controlPlaneEndpoint: section({ host: textOrEmpty, port: countOrZero }),
    controlPlaneRef: reference,
    infrastructureRef: reference,
    topology: z.pipe(
      z.transform(raw => ({ isDefined: hasContent(raw), ...toRecord(raw) })),
      z.object({ isDefined: z.boolean(), classRef: section({ name: textOrEmpty, namespace: textOrEmpty }) }),
    ),
    availabilityGates,
  }),
  status: section({
    phase: textOrEmpty,
    initialization: section({ infrastructureProvisioned: flag, controlPlaneInitialized: flag }),
    conditions,
    deprecated: section({ v1beta1: section({ conditions: z.transform(storedV1Beta1Conditions) }) }),
  }),
});

/** Metadata with everything a stored, namespaced custom resource has. */
interface ClusterMeta extends ObjectMeta {
  readonly namespace: string;
  readonly generation: number;
  readonly annotations: Readonly<Record<string, string>>;
  readonly finalizers: readonly string[];
}

/** Never throws: a field that cannot be read counts as absent. What nobody can change is read once. */
export function readCluster(object: Unstructured): Cluster {
  const known = readBefore.get(object);
  if (known !== undefined) {
    return known;
  }
  const cluster = read(object);
  if (Object.isFrozen(object)) {
    readBefore.set(object, cluster);
  }
  return cluster;
}

/** Only the embedded API server hands out frozen objects; they are frozen throughout. */
const readBefore = new WeakMap<Unstructured, Cluster>();

function read(object: Unstructured) {
  const { namespace = '', generation = 0, annotations = {}, finalizers = [] } = object.metadata;
  const metadata: ClusterMeta = { ...object.metadata, namespace, generation, annotations, finalizers };
  return { object, metadata, ...schema.parse({ spec: object.spec, status: object.status }) };
}

export type Cluster = ReturnType<typeof read>;

/** Any part of the reference is given. */
export function isDefined(reference: ContractReference): boolean {
  return reference.apiGroup !== '' || reference.kind !== '' || reference.name !== '';
}

/** Some field below holds something, at any depth. */
function hasContent(raw: unknown): boolean {
  if (Array.isArray(raw)) {
    return raw.length > 0;
  }
  return typeof raw === 'object' && raw !== null
    ? Object.values(raw).some(hasContent)
    : raw !== undefined && raw !== null && raw !== '';
}
