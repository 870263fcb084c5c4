// The resourceVersions that the windowed forwarder stores between runs, in one small ConfigMap of the management cluster.
import { hash } from 'node:crypto';
import {
  type Answer,
  answered,
  type Kubernetes,
  type ObjectRef,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';

/** The version of a kind up to which changes were forwarded, or 'missing' if the API server did not serve the kind. */
export type StoredVersion = { readonly version: string; readonly resourceVersion: string } | 'missing';

export interface StoredVersions {
  /** Keys are the names of outcomes. */
  readonly versions: ReadonlyMap<string, StoredVersion>;
  /** The hash of the settings of the run that stored the versions. Versions with another hash are ignored. */
  readonly settings: string;
  /** The resourceVersion of the ConfigMap. Undefined if the ConfigMap does not exist. */
  readonly resourceVersion: string | undefined;
}

const settingsKey = 'settings';
const dataSchema = z.object({ data: z.optional(z.record(z.string(), z.string())) });

/** The name of the ConfigMap without a watch filter. */
export const stateName = 'capi-serverless-windowed-forwarder';

/** Each watch filter has its own ConfigMap, so that several deployments can share a management cluster. */
export function toConfigMapRef(namespace: string, watchFilter: string): ObjectRef {
  const suffix = watchFilter === '' ? '' : `-${hash('sha256', watchFilter, 'hex').slice(0, 8)}`;
  return { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: `${stateName}${suffix}` };
}

/** Unreadable data is treated as absent. Then every kind is listed again. */
export async function readVersions(
  kubernetes: Pick<Kubernetes, 'get'>,
  ref: ObjectRef,
): Promise<Answer<StoredVersions>> {
  const answer = await kubernetes.get(ref);
  if (!answer.ok) {
    return answer.missing ? answered({ versions: new Map(), settings: '', resourceVersion: undefined }) : answer;
  }
  const { [settingsKey]: settings = '', ...data } = dataSchema.safeParse(answer.value).data?.data ?? {};
  const versions = Object.entries(data).flatMap(([source, text]) => {
    const stored = parseStoredVersion(text);
    return stored === undefined ? [] : [[source, stored] as const];
  });
  return answered({ versions: new Map(versions), settings, resourceVersion: answer.value.metadata.resourceVersion });
}

/** Fails with Conflict or AlreadyExists if another run has written in the meantime. */
export function writeVersions(
  kubernetes: Pick<Kubernetes, 'create' | 'mergePatch'>,
  ref: ObjectRef,
  { before, after }: { readonly before: StoredVersions; readonly after: Omit<StoredVersions, 'resourceVersion'> },
): Promise<Answer<Unstructured>> {
  const { apiVersion, kind, name, namespace = '' } = ref;
  const entries = [...after.versions].map(([source, stored]) => [source, toText(stored)] as const);
  const data = { [settingsKey]: after.settings, ...Object.fromEntries(entries) };
  if (before.resourceVersion === undefined) {
    return kubernetes.create({ apiVersion, kind, metadata: { name, namespace }, data });
  }
  const gone = [...before.versions.keys()].filter(source => !after.versions.has(source)).map(source => [source, null]);
  const body = { data: { ...Object.fromEntries(gone), ...data } };
  return kubernetes.mergePatch(ref, body, { resourceVersion: before.resourceVersion });
}

export function hasMoved(before: StoredVersions, after: Omit<StoredVersions, 'resourceVersion'>): boolean {
  const isSame = ([source, stored]: readonly [string, StoredVersion]): boolean => {
    const known = before.versions.get(source);
    return known !== undefined && toText(known) === toText(stored);
  };
  return (
    before.settings !== after.settings ||
    before.versions.size !== after.versions.size ||
    ![...after.versions].every(entry => isSame(entry))
  );
}

function toText(stored: StoredVersion): string {
  return stored === 'missing' ? stored : `${stored.version} ${stored.resourceVersion}`;
}

function parseStoredVersion(text: string): StoredVersion | undefined {
  if (text === 'missing') {
    return text;
  }
  const [, version, resourceVersion] = /^(\w+) (\d+)$/.exec(text) ?? [];
  return version === undefined || resourceVersion === undefined ? undefined : { version, resourceVersion };
}
