// Section `apiserver`: the embedded API server as a separate process, compared with kube-apiserver and etcd.
import { findControlPlaneBinaries } from '../../test/support/control-plane-binaries.ts';
import type { Say, Section } from '../section.ts';
import { measureServer, type ServerMeasurements, type ServerSizes } from './measure-server.ts';
import { toRows } from './rows.ts';
import { embedded, real } from './servers.ts';

interface ApiServerBenchOptions {
  readonly sizes: ServerSizes;
  readonly say: Say;
}

export const fullSizes: ServerSizes = { starts: 5, clusters: 1000, requests: 6000 };
export const quickSizes: ServerSizes = { starts: 1, clusters: 100, requests: 600 };

/** The servers are measured sequentially. */
export async function measureApiServers(options: ApiServerBenchOptions): Promise<Section> {
  const binaries = findControlPlaneBinaries();
  const servers = 'missing' in binaries ? [embedded] : [embedded, real];
  const measured: ServerMeasurements[] = [];
  for (const server of servers) {
    measured.push(await measureServer(server, options));
  }
  return {
    name: 'apiserver',
    title: 'API server, sixteen requests at a time',
    subjects: servers.map(({ title }) => title),
    rows: toRows(measured, options.sizes),
    skipped: 'missing' in binaries ? [`kube-apiserver, since ${binaries.missing}`] : [],
  };
}
