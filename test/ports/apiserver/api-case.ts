// Helpers of the conformance cases of the API server: paths, objects and assertions.

import type { JsonObject, Unstructured } from '@capi-serverless/apimachinery';
import { expect } from 'vitest';
import type { RawAnswer, RawHttp, RawOptions, RawWatchEvent } from '../../support/raw-http.ts';
import { freshName } from '../answers.ts';
import { group } from './fixtures.ts';

export interface Api {
  /** The client of a cluster administrator. */
  readonly http: RawHttp;
  /** The client with an unknown token. */
  readonly unauthorized: RawHttp;
  /** The client of a known user without permissions, if the server has one. */
  readonly unprivileged: RawHttp | undefined;
  readonly kubeconfigPath: string;
  /** The namespace of the cases. It contains only objects that the cases create. */
  readonly namespace: string;
}

/**
 * A short conformance case in one line. Cases run concurrently, so each uses only objects with its own names and
 * labels.
 */
export interface Case {
  readonly id: string;
  readonly says: string;
  readonly needs?: 'kubectl';
  readonly run: (api: Api) => Promise<void>;
}

/** A case with a name and several lines. */
export type NamedCase = readonly [says: string, run: (api: Api) => Promise<void>];

export const widgetKind = { apiVersion: `${group}/v1`, kind: 'Widget' } as const;

/** Returns the path of the objects of one of the suite's kinds, or of a single object. */
export function ours(api: Api, plural: string, name?: string): string {
  return under(`/apis/${group}/v1/namespaces/${api.namespace}/${plural}`, name);
}

export function widgets(api: Api, name?: string): string {
  return ours(api, 'widgets', name);
}

/** Returns the path of the objects of a built-in kind of the core group, or of a single object. */
export function core(api: Api, plural: string, name?: string): string {
  return under(`/api/v1/namespaces/${api.namespace}/${plural}`, name);
}

function under(path: string, name: string | undefined): string {
  return name === undefined ? path : `${path}/${name}`;
}

interface WidgetParts {
  readonly metadata?: JsonObject;
  readonly spec?: JsonObject;
  readonly [field: string]: unknown;
}

/** Returns the body of a valid widget with a new name. */
export function aWidget({
  metadata,
  spec = { size: 1 },
  ...rest
}: WidgetParts = {}): JsonObject & { metadata: JsonObject } {
  return { ...widgetKind, metadata: { name: freshName(), ...metadata }, spec, ...rest };
}

export async function createWidget(api: Api, parts?: WidgetParts): Promise<Unstructured> {
  return created(await api.http.post(widgets(api), aWidget(parts)));
}

export async function readWidget(api: Api, widget: Unstructured): Promise<Unstructured> {
  return done(await api.http.get(widgets(api, widget.metadata.name)));
}

/** Sends a merge patch of a widget, which must succeed. */
export async function patchWidget(api: Api, widget: Unstructured, patch: JsonObject): Promise<Unstructured> {
  return done(await api.http.patch(widgets(api, widget.metadata.name), patch));
}

/** Returns the object in a response that must be 201. */
export function created(answer: RawAnswer): Unstructured {
  expect(answer).toMatchObject({ status: 201 });
  return toObject(answer.body);
}

/** Returns the object in a response that must be 200. */
export function done(answer: RawAnswer): Unstructured {
  expect(answer).toMatchObject({ status: 200 });
  return toObject(answer.body);
}

/** Throws unless the value has the form of a stored object. */
export function toObject(value: unknown): Unstructured {
  expect(value).toMatchObject({
    apiVersion: expect.any(String),
    kind: expect.any(String),
    metadata: { name: expect.any(String), uid: expect.any(String), resourceVersion: expect.stringMatching(/^\d+$/) },
  });
  return value as Unstructured; // True: the line above checked what every stored object has.
}

/** Expects a failure Status with this code, and with this reason and these details if given. */
export function expectRefusal(answer: RawAnswer, code: number, parts: JsonObject = {}): void {
  expect(answer).toMatchObject({
    status: code,
    body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, ...parts },
  });
}

/** Expects a 422 with at least this cause. */
export function expectInvalid(answer: RawAnswer, cause: { readonly reason?: string; readonly field: unknown }): void {
  expectRefusal(answer, 422, {
    reason: 'Invalid',
    details: expect.objectContaining({ causes: expect.arrayContaining([expect.objectContaining(cause)]) }),
  });
}

interface ListBody {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly Unstructured[];
}

/** Returns the list in a response that must be 200. */
export async function listed(api: Api, path: string, options?: RawOptions): Promise<ListBody> {
  const answer = await api.http.get(path, options);
  expect(answer).toMatchObject({
    status: 200,
    body: {
      kind: expect.stringMatching(/List$/),
      metadata: { resourceVersion: expect.any(String) },
      items: expect.any(Array),
    },
  });
  return answer.body as ListBody; // true: the form was checked; readers check the items
}

/** Returns the resource version from which a watch receives every later write. */
export async function versionNow(api: Api, path: string): Promise<string> {
  return (await listed(api, path, { query: { limit: 1 } })).metadata.resourceVersion;
}

/** Opens a watch, runs an action while it is open, and returns the first `count` events. */
export async function eventsDuring(
  api: Api,
  watch: { readonly path: string; readonly count: number; readonly query?: RawOptions['query'] },
  act: () => Promise<void> = async () => {},
): Promise<readonly SeenEvent[]> {
  const stream = await api.http.watch(watch.path, watch.query === undefined ? {} : { query: watch.query });
  expect(stream.status).toBe(200);
  try {
    await act();
    const seen: SeenEvent[] = [];
    for await (const event of stream.events) {
      seen.push(toSeen(event));
      if (seen.length === watch.count) {
        break;
      }
    }
    return seen;
  } finally {
    stream.close();
  }
}

export interface SeenEvent {
  readonly type: string;
  readonly object: Unstructured;
}

function toSeen(event: RawWatchEvent): SeenEvent {
  return { type: event.type, object: toObject(event.object) };
}
