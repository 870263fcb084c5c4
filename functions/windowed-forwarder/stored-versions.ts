// What the windowed forwarder remembers between its runs: one small ConfigMap in the management cluster.
import { hash } from 'node:crypto';
import * as z from 'zod/mini';
import { type Answer, answered } from '../../shared/api/answer.ts';
import type { ObjectRef, Unstructured } from '../../shared/api/object.ts';
import type { Kubernetes } from '../../shared/kubernetes/port.ts';

/** Where a kind was left: its version when it was last shown, or that the API server did not serve it. */
export type Place = { readonly version: string; readonly resourceVersion: string } | 'missing';

export interface StoredVersions {
  /** By the name of the outcome. */
  readonly places: ReadonlyMap<string, Place>;
  /** What the places were reached with; places reached with anything else are worth nothing. */
  readonly settings: string;
  /** Of the ConfigMap; undefined when there is none. */
  readonly resourceVersion: string | undefined;
}

const settingsKey = 'settings';
const dataSchema = z.object({ data: z.optional(z.record(z.string(), z.string())) });

/** Without a watch filter. */
export const stateName = 'capi-serverless-windowed-forwarder';

/** One ConfigMap per watch filter, so that several installations can share a management cluster. */
export function toConfigMapRef(namespace: string, watchFilter: string): ObjectRef {
  const suffix = watchFilter === '' ? '' : `-${hash('sha256', watchFilter, 'hex').slice(0, 8)}`;
  return { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: `${stateName}${suffix}` };
}

/** What is not readable there counts as not stored: then everything is listed once more. */
export async function readVersions(
  kubernetes: Pick<Kubernetes, 'get'>,
  ref: ObjectRef,
): Promise<Answer<StoredVersions>> {
  const answer = await kubernetes.get(ref);
  if (!answer.ok) {
    return answer.missing ? answered({ places: new Map(), settings: '', resourceVersion: undefined }) : answer;
  }
  const { [settingsKey]: settings = '', ...data } = dataSchema.safeParse(answer.value).data?.data ?? {};
  const places = Object.entries(data).flatMap(([source, text]) => {
    const place = parsePlace(text);
    return place === undefined ? [] : [[source, place] as const];
  });
  return answered({ places: new Map(places), settings, resourceVersion: answer.value.metadata.resourceVersion });
}

/** Refused with Conflict or AlreadyExists when another run has written meanwhile. */
export function writeVersions(
  kubernetes: Pick<Kubernetes, 'create' | 'mergePatch'>,
  ref: ObjectRef,
  { before, after }: { readonly before: StoredVersions; readonly after: Omit<StoredVersions, 'resourceVersion'> },
): Promise<Answer<Unstructured>> {
  const { apiVersion, kind, name, namespace = '' } = ref;
  const entries = [...after.places].map(([source, place]) => [source, toText(place)] as const);
  const data = { [settingsKey]: after.settings, ...Object.fromEntries(entries) };
  if (before.resourceVersion === undefined) {
    return kubernetes.create({ apiVersion, kind, metadata: { name, namespace }, data });
  }
  const gone = [...before.places.keys()].filter(source => !after.places.has(source)).map(source => [source, null]);
  const body = { data: { ...Object.fromEntries(gone), ...data } };
  return kubernetes.mergePatch(ref, body, { resourceVersion: before.resourceVersion });
}

export function hasMoved(before: StoredVersions, after: Omit<StoredVersions, 'resourceVersion'>): boolean {
  const isSame = ([source, place]: readonly [string, Place]): boolean => {
    const known = before.places.get(source);
    return known !== undefined && toText(known) === toText(place);
  };
  return (
    before.settings !== after.settings ||
    before.places.size !== after.places.size ||
    ![...after.places].every(entry => isSame(entry))
  );
}

function toText(place: Place): string {
  return place === 'missing' ? place : `${place.version} ${place.resourceVersion}`;
}

function parsePlace(text: string): Place | undefined {
  if (text === 'missing') {
    return text;
  }
  const [, version, resourceVersion] = /^(\w+) (\d+)$/.exec(text) ?? [];
  return version === undefined || resourceVersion === undefined ? undefined : { version, resourceVersion };
}
