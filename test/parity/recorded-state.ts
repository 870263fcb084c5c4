// Converts a snapshot of the corpus to objects for an API. Symbols become names, uids and times again.

import { isJsonObject } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import type { GivenObject } from '../../cli/plan/files.ts';

const objectSchema = z.looseObject({ metadata: z.looseObject({ name: z.string() }) });
const snapshotSchema = z.object({
  name: z.string(),
  /** False if the snapshot was taken while objects still changed. */
  settled: z.optional(z.boolean()),
  objects: z.record(z.string(), z.union([z.literal('='), objectSchema])),
});
const resultSchema = z.object({ snapshots: z.array(snapshotSchema) });

export interface RecordedSnapshot {
  readonly name: string;
  readonly objects: readonly GivenObject[];
}

interface RestoreOptions {
  /** The apiVersion of each kind. */
  readonly apiVersions: ReadonlyMap<string, string>;
  /** The prefix of the namespace names. Each snapshot has a separate namespace. */
  readonly namespace: string;
  /** The replacement of every `<time>`, and of times that the corpus omits. */
  readonly time: string;
  /** Adds what a snapshot omits, in symbols. */
  readonly complete?: (snapshot: string, objects: RecordedObjects) => RecordedObjects;
}

type RecordedObjects = Readonly<Record<string, z.infer<typeof objectSchema>>>;

/** Returns the snapshots of settled states. */
export function toSettledSnapshots(result: unknown, options: RestoreOptions): readonly RecordedSnapshot[] {
  let before: RecordedObjects = {};
  return resultSchema.parse(result).snapshots.flatMap(({ name, settled = true, objects }, index) => {
    const entries = Object.entries(objects).map(
      ([key, object]) => [key, object === '=' ? before[key] : object] as const,
    );
    before = Object.fromEntries(entries.flatMap(([key, object]) => (object === undefined ? [] : [[key, object]])));
    const own = { ...options, namespace: `${options.namespace}-${index}` };
    const completed = options.complete?.(name, before) ?? before;
    const restored = Object.entries(completed).map(([key, object]) => restore(key, object, own));
    return settled ? [{ name, objects: restored }] : [];
  });
}

function restore(key: string, object: z.infer<typeof objectSchema>, options: RestoreOptions): GivenObject {
  const [kind = ''] = key.split('/');
  const { namespace, time } = options;
  const { metadata, ...others } = restoreValue(object, options) as z.infer<typeof objectSchema>; // true: values keep their type
  return {
    ...others,
    apiVersion: options.apiVersions.get(kind) ?? 'v1',
    kind,
    metadata: { namespace, ...metadata, uid: toUid(kind, metadata.name, namespace), creationTimestamp: time },
  };
}

function restoreValue(value: unknown, options: RestoreOptions): unknown {
  if (Array.isArray(value)) {
    const items = value.map(item => restoreValue(item, options));
    // Lists of generated names are sorted by name. The names had another order when they were recorded.
    return value.every(isGeneratedName) ? items.toSorted() : items;
  }
  if (isJsonObject(value)) {
    const fields = Object.entries(value).map(([key, inner]) => [toName(key), restoreValue(inner, options)]);
    return { ...(isCondition(value) ? { lastTransitionTime: options.time } : {}), ...Object.fromEntries(fields) };
  }
  return typeof value === 'string' ? restoreText(value, options) : value;
}

function isGeneratedName(value: unknown): boolean {
  return typeof value === 'string' && /^[^ ]*<[A-Z][A-Za-z]+:\d+>$/.test(value);
}

function isCondition(value: Readonly<Record<string, unknown>>): boolean {
  return typeof value['type'] === 'string' && typeof value['status'] === 'string';
}

function restoreText(text: string, { namespace, time }: RestoreOptions): unknown {
  if (text === '$(apiserver.port)') {
    return workloadServer.port;
  }
  const uids = text.replaceAll(/<uid:([A-Za-z]+)\/((?:[^<>]|<[^<>]*>)*)>/g, (_, kind, name) =>
    toUid(kind, toName(name), namespace),
  );
  return toName(uids)
    .replaceAll(/<hash:([^<>]*)>/g, '1-$1')
    .replaceAll('<ns>', namespace)
    .replaceAll(/<ns:([\w-]+)>/g, `${namespace}-$1`)
    .replaceAll('<time>', time)
    .replaceAll('$(apiserver.host)', workloadServer.host)
    .replaceAll('$(apiserver.port)', String(workloadServer.port));
}

const workloadServer = { host: '127.0.0.1', port: 6443 } as const;

/** Converts `c1-<ParityControlPlane:1>` to `c1-paritycontrolplane1`. */
function toName(text: string): string {
  return text.replaceAll(/<([A-Z][A-Za-z]+):(\d+)>/g, (_, kind: string, number: string) => kind.toLowerCase() + number);
}

function toUid(kind: string, name: string, namespace: string): string {
  return `uid-of-${kind.toLowerCase()}-${name}-in-${namespace}`;
}
