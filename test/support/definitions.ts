// Installs CRDs on a new API server.
import { setTimeout as delay } from 'node:timers/promises';
import type { Intent } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { createRawHttp, type RawHttp } from './raw-http.ts';
import type { RealControlPlane } from './real-control-plane.ts';
import type { WorldClient } from './world-client.ts';

const pollMs = 100;
const longestMs = 300_000;

const definitionSchema = z.object({
  spec: z.object({
    group: z.string(),
    names: z.object({ kind: z.string() }),
    versions: z.array(z.object({ name: z.string(), served: z.boolean() })),
  }),
});

/** Resolves when the API server serves every version of every kind. Rejects if that takes too long. */
export async function define(client: WorldClient, crds: readonly Intent[]): Promise<void> {
  const signal = AbortSignal.timeout(longestMs);
  await Promise.all(crds.map(crd => client.create(crd)));
  await Promise.all(crds.flatMap(servedKinds).map(kind => untilServed(client, kind, signal)));
}

const discoverySchema = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      versions: z.array(
        z.object({
          version: z.string(),
          resources: z.optional(z.array(z.object({ responseKind: z.object({ kind: z.string() }) }))),
        }),
      ),
    }),
  ),
});
const discoveryType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/**
 * Resolves when the discovery of the API server contains every version of every kind. A busy API server serves a kind
 * some time before, and clients in Go look kinds up there. Rejects if that takes too long.
 */
export async function untilDiscovered(plane: RealControlPlane, crds: readonly Intent[]): Promise<void> {
  const http = createRawHttp({ url: plane.url, caPem: plane.caPem, token: plane.token('admin') });
  const signal = AbortSignal.timeout(longestMs);
  const wanted = crds.flatMap(servedKinds).map(({ apiVersion, kind }) => `${apiVersion} ${kind}`);
  for (;;) {
    const known = await discoveredKinds(http);
    const missing = wanted.filter(kind => !known.has(kind));
    if (missing.length === 0) {
      return;
    }
    if (signal.aborted) {
      throw new Error(`The discovery does not contain ${missing.join(', ')} after ${longestMs / 1000} s`);
    }
    await delay(pollMs);
  }
}

async function discoveredKinds(http: RawHttp): Promise<ReadonlySet<string>> {
  const { items } = discoverySchema.parse((await http.get('/apis', { accept: discoveryType })).body);
  const kinds = items.flatMap(({ metadata, versions }) =>
    versions.flatMap(({ version, resources = [] }) =>
      resources.map(({ responseKind }) => `${metadata.name}/${version} ${responseKind.kind}`),
    ),
  );
  return new Set(kinds);
}

type ServedKind = ReturnType<typeof servedKinds>[number];

function servedKinds(crd: Intent) {
  const { group, names, versions } = definitionSchema.parse(crd).spec;
  return versions
    .filter(({ served }) => served)
    .map(({ name }) => ({ apiVersion: `${group}/${name}`, kind: names.kind }));
}

async function untilServed({ kubernetes }: WorldClient, kind: ServedKind, signal: AbortSignal): Promise<void> {
  for (;;) {
    const page = await kubernetes.watches.page({ ...kind, as: 'metadata' }, { limit: 1, signal });
    if (page.ok) {
      return;
    }
    if (signal.aborted) {
      throw new Error(
        `${kind.apiVersion} ${kind.kind} is not served after ${longestMs / 1000} s: ${page.failure.message}`,
      );
    }
    await delay(pollMs);
  }
}
