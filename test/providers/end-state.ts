// What the stories compare: the objects of the Cluster without what differs between two runs of the same program.
import { isJsonObject, type JsonObject, type Unstructured } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';

/** The compared parts of all objects, in an order that does not depend on random names. */
export type StoryEndState = readonly JsonObject[];

/** Random suffixes of names. https://github.com/kubernetes/apimachinery/blob/master/pkg/util/rand/rand.go */
const suffix = /-[bcdfghjklmnpqrstvwxz2456789]{5}(?![a-z0-9])/g;
/** The ports of the in-memory backend, one for each Cluster. */
const endpoint = /\b127\.0\.0\.1:2\d{4}\b/g;

/** In a column of clusterctl. */
const age = /\s(?:\d+[smhd])+(?:\s|$)/g;

const times = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;

/** These fields are random, or follow from random ones. */
const randomFields = new Set(['machine-template-hash', 'port', 'token', 'caCertHashes', 'providerID']);

/** Annotations of a client that applies manifests in v1beta1, and those of the functions. */
const notCompared = [
  /^kubectl\.kubernetes\.io\/last-applied-configuration$/,
  /^cluster\.x-k8s\.io\/conversion-data$/,
  /^capi-serverless\.dev\//,
];

/**
 * The parts of a status that follow from the state of the world, and not from the time or the order of reconciles. What
 * health checks report is left out: upstream's sometimes miss a change of Machines until their next resync, minutes later.
 */
const comparedStatus = [
  ...['phase', 'version', 'nodeRef', 'initialization', 'controlPlane', 'workers', 'replicas', 'readyReplicas'],
  ...['availableReplicas', 'upToDateReplicas'],
];

const conditionsSchema = z.array(z.object({ type: z.string(), status: z.string(), reason: z.optional(z.string()) }));

/** The order of the objects does not matter. */
export function toEndState(objects: readonly Unstructured[]): StoryEndState {
  const states = objects.map(object => masked(toState(object)) as JsonObject); // True: an object stays one.
  const sortKey = (state: JsonObject): string => JSON.stringify(state);
  return states.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}

/** Returns the lines of a description, without ages and what health checks report, in an order without random names. */
export function toDescription(text: string): readonly string[] {
  return text
    .split('\n')
    .filter(line => !line.includes('HealthCheckSucceeded'))
    .map(line =>
      maskedText(line)
        .replaceAll(age, ' <age> ')
        .replaceAll(/[│├─└\s]+/g, ' ')
        .trim(),
    )
    .sort();
}

function toState({ kind, metadata, spec, status, data }: Unstructured): JsonObject {
  const { name, labels = {}, annotations = {}, finalizers = [], ownerReferences = [] } = metadata;
  const { conditions, deprecated, ...rest } = Object(status);
  return {
    kind,
    name,
    labels,
    annotations: only(annotations, key => !notCompared.some(pattern => pattern.test(key))),
    finalizers: finalizers.toSorted(),
    owners: ownerReferences.map(owner => `${owner.kind} ${owner.name} ${owner.controller} ${owner.blockOwnerDeletion}`),
    isDeleted: metadata.deletionTimestamp !== undefined,
    spec: kind === 'Secret' ? null : spec,
    data: kind === 'ConfigMap' ? data : null,
    status: only(rest, field => comparedStatus.includes(field)),
    conditions: toTexts(conditions),
    formerConditions: toTexts(Object(deprecated).v1beta1?.conditions),
  };
}

const only = (fields: JsonObject, isCompared: (field: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([field]) => isCompared(field)));

function toTexts(conditions: unknown): readonly string[] {
  return conditionsSchema
    .parse(conditions ?? [])
    .filter(({ type }) => type !== 'HealthCheckSucceeded')
    .map(({ type, status, reason = '' }) => `${type}=${status} ${reason}`)
    .sort();
}

const maskedText = (text: string): string =>
  text.replaceAll(suffix, '-*').replaceAll(endpoint, '127.0.0.1:*').replaceAll(times, '<time>');

function masked(value: unknown, name = ''): unknown {
  if (randomFields.has(name) && value !== undefined) {
    return '*';
  }
  if (typeof value === 'string') {
    return maskedText(value);
  }
  if (Array.isArray(value)) {
    return value.map(item => masked(item));
  }
  return isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, field]) => [key, masked(field, key)]))
    : value;
}
