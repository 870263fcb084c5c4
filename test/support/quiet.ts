// Waits until the system is idle. This is the case when a marker object was reconciled after all earlier changes.
import type { ObjectRef } from '@capi-serverless/apimachinery';
import type { LocalRun } from './local-run.ts';
import { clusterRef } from './static-provider.ts';
import type { WorldClient } from './world-client.ts';

export const markerNamespace = 'markers';

/**
 * Resolves when every change before the call has been reconciled, including the events of the reconcilers' writes.
 * Creates a paused Cluster as marker, and changes it after its first reconcile. The event of this change arrives a whole
 * debounce window later.
 */
export async function quietAfter(run: LocalRun, client: WorldClient, marker: string): Promise<void> {
  await client.kubernetes.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: markerNamespace } });
  const ref = clusterRef(markerNamespace, marker);
  const watched = { controller: 'cluster', ref };
  const { apiVersion, kind, name, namespace } = ref;
  await client.create({
    apiVersion,
    kind,
    metadata: { name, namespace },
    spec: {
      paused: true,
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'StaticCluster', name },
    },
  });
  await run.line(({ line }) => isReconciled(line, watched));
  await pokeOnce(run, client, watched);
}

interface Watched {
  readonly controller: string;
  readonly ref: ObjectRef;
}

/** Makes irrelevant changes until a reconcile writes nothing, then three more. */
export async function settleAndPoke(run: LocalRun, client: WorldClient, watched: Watched): Promise<void> {
  const poke = (): Promise<number> => pokeOnce(run, client, watched);
  while ((await poke()) > 0) {
    // The next change finds what this one has written.
  }
  for (let count = 0; count < 3; count += 1) {
    await poke();
  }
}

/** Makes an irrelevant change. Returns the number of writes of a reconcile that began after it. */
export async function pokeOnce(run: LocalRun, client: WorldClient, watched: Watched): Promise<number> {
  const since = Date.now();
  await client.patch(watched.ref, { metadata: { annotations: { 'example.com/poke': String(since) } } });
  const { line } = await run.line(({ line: candidate }) => {
    const { time, seconds } = Object(candidate);
    return isReconciled(candidate, watched) && Date.parse(time) - seconds * 1000 >= since;
  });
  return Object(line).writes;
}

function isReconciled(line: unknown, { controller, ref }: Watched): boolean {
  const { message, controller: by, namespace, name } = Object(line);
  return message === 'Reconciled' && by === controller && namespace === ref.namespace && name === ref.name;
}
