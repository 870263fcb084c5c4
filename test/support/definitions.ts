// Installs CRDs on a new API server.
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod/mini';
import type { Intent } from '../../packages/apimachinery/object.ts';
import type { WorldClient } from './world-client.ts';

const pollMs = 100;
const longestMs = 60_000;

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
