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
  await run.line(({ event, line }) => event === 'log' && isReconciled(line, name));
  await client.patch(ref, annotated);
  await run.line(({ event, line }) => event === 'log' && isReconciled(line, name) && Object(line).writes === 0);
}

const annotated = { metadata: { annotations: { 'example.com/marker': 'changed' } } };

interface Watched {
  readonly controller: string;
  readonly ref: ObjectRef;
}

/** Waits until a reconcile writes nothing, then for three more reconciles, each after an irrelevant change. */
export async function settleAndPoke(run: LocalRun, client: WorldClient, watched: Watched): Promise<void> {
  for (const poke of ['settled', '1', '2', '3']) {
    const since = Date.now();
    await client.patch(watched.ref, { metadata: { annotations: { 'example.com/poke': poke } } });
    await reconciledSince(run, watched, since, poke === 'settled' ? 0 : undefined);
  }
}

/** Resolves when a reconcile that began at `since` (milliseconds) or later has ended with this number of writes. */
export async function reconciledSince(
  run: LocalRun,
  { controller, ref }: Watched,
  since: number,
  writes?: number,
): Promise<void> {
  await run.line(({ line }) => {
    const reported = Object(line);
    const isIt = reported.message === 'Reconciled' && reported.controller === controller && reported.name === ref.name;
    const isLate = Date.parse(reported.time) - reported.seconds * 1000 >= since;
    return isIt && isLate && (writes === undefined || reported.writes === writes);
  });
}

/** A log line is a JSON object. */
function isReconciled(line: unknown, marker: string): boolean {
  const { message, namespace, name } = line as Readonly<Record<string, unknown>>;
  return message === 'Reconciled' && namespace === markerNamespace && name === marker;
}
