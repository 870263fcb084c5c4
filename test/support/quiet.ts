// When nothing more is to come: a marker object has gone the same way as everything before it, and came back.
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

/** A log line is a JSON object; this one tells that the marker was reconciled without a write. */
function isEcho(line: unknown, marker: string): boolean {
  const { message, namespace, name, writes } = line as Readonly<Record<string, unknown>>;
  return message === 'Reconciled' && namespace === markerNamespace && name === marker && writes === 0;
}
