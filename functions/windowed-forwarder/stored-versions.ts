// The resourceVersions that the windowed forwarder stores between runs, in one small ConfigMap of the management cluster.
import {
  type Answer,
  answered,
  type Kubernetes,
  type ObjectRef,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { readState, type StoredState, writeState } from '../../shared/event-source/state-config-map.ts';

/** The version of a kind up to which changes were forwarded, or 'missing' if the API server did not serve the kind. */
export type StoredVersion = { readonly version: string; readonly resourceVersion: string } | 'missing';

export interface StoredVersions {
  /** Keys are the names of outcomes. */
  readonly versions: ReadonlyMap<string, StoredVersion>;
  /** The hash of the settings of the run that stored the versions. Versions with another hash are ignored. */
  readonly settings: string;
}

/** The versions with the ConfigMap that contains them. */
interface ReadVersions extends StoredVersions {
  readonly state: StoredState;
}

const settingsKey = 'settings';

/** Unreadable data is treated as absent. Then every kind is listed again. */
export async function readVersions(kubernetes: Pick<Kubernetes, 'get'>, ref: ObjectRef): Promise<Answer<ReadVersions>> {
  const answer = await readState(kubernetes, ref);
  if (!answer.ok) {
    return answer;
  }
  const { [settingsKey]: settings = '', ...data } = answer.value.data;
  const versions = Object.entries(data).flatMap(([source, text]) => {
    const stored = parseStoredVersion(text);
    return stored === undefined ? [] : [[source, stored] as const];
  });
  return answered({ versions: new Map(versions), settings, state: answer.value });
}

/** Fails with Conflict or AlreadyExists if another run has written in the meantime. */
export function writeVersions(
  kubernetes: Pick<Kubernetes, 'create' | 'mergePatch'>,
  ref: ObjectRef,
  { before, after }: { readonly before: ReadVersions; readonly after: StoredVersions },
): Promise<Answer<Unstructured>> {
  const entries = [...after.versions].map(([source, stored]) => [source, toText(stored)] as const);
  const data = { [settingsKey]: after.settings, ...Object.fromEntries(entries) };
  return writeState(kubernetes, ref, { before: before.state, data });
}

export function hasMoved(before: StoredVersions, after: StoredVersions): boolean {
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
