// When nothing more is to come: a marker object has gone the same way as everything before it, and came back.
import type { ObjectRef } from '../../shared/api/object.ts';
import type { LocalRun } from './local-run.ts';
import { clusterRef } from './static-provider.ts';
import type { WorldClient } from './world-client.ts';

const markerNamespace = 'markers';

/**
 * Resolves once every change made before the call has been reconciled, echoes included. A paused Cluster is created;
 * its first reconcile writes, and the echo of that comes a whole debounce window later, after everything older.
 */
export async function quietAfter(run: LocalRun, client: WorldClient, marker: string): Promise<void> {
  await client.kubernetes.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: markerNamespace } });
  const { apiVersion, kind, name, namespace } = clusterRef(markerNamespace, marker);
  await client.create({
    apiVersion,
    kind,
    metadata: { name, namespace },
    spec: {
      paused: true,
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'StaticCluster', name },
    },
  });
  await run.line(({ event, line }) => event === 'log' && isEcho(line, name));
}

interface Watched {
  readonly controller: string;
  readonly ref: ObjectRef;
}

/** Until a reconcile writes nothing, and then three more, each after a change that means nothing. */
export async function settleAndPoke(run: LocalRun, client: WorldClient, watched: Watched): Promise<void> {
  for (const poke of ['settled', '1', '2', '3']) {
    const since = Date.now();
    await client.patch(watched.ref, { metadata: { annotations: { 'example.com/poke': poke } } });
    await reconciledSince(run, watched, since, poke === 'settled' ? 0 : undefined);
  }
}

/** Resolves once a reconcile has ended that began at `since`, in milliseconds, or later, and made so many writes. */
export async function reconciledSince(
  run: LocalRun,
  { controller, ref }: Watched,
  since: number,
  writes?: number,
): Promise<void> {
  await run.line(({ line }) => {
    const told = Object(line);
    const isIt = told.message === 'Reconciled' && told.controller === controller && told.name === ref.name;
    const isLate = Date.parse(told.time) - told.seconds * 1000 >= since;
    return isIt && isLate && (writes === undefined || told.writes === writes);
  });
}

/** A log line is a JSON object; this one tells that the marker was reconciled without a write. */
function isEcho(line: unknown, marker: string): boolean {
  const { message, namespace, name, writes } = line as Readonly<Record<string, unknown>>;
  return message === 'Reconciled' && namespace === markerNamespace && name === marker && writes === 0;
}
