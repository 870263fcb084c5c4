import { beforeEach, describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../functions/cluster/why/snapshot.ts';
import { type Drive, drive } from '../../../local/drive.ts';
import { exitCodes } from '../../../local/exit-codes.ts';
import { createReporter, type Reporter } from '../../../local/view/reporter.ts';
import { aCluster, anInfraCluster } from '../../support/builders.ts';
import { createMemoryApi, type MemoryApi } from '../../support/memory-api.ts';
import { settled } from '../../support/stepped-clock.ts';

let api: MemoryApi;
let interrupt: AbortController;
let ready: string[][];
let reporter: Reporter;

beforeEach(() => {
  api = createMemoryApi();
  interrupt = new AbortController();
  ready = [];
  reporter = createReporter({ json: true, write: () => undefined, now: () => api.clock.now() });
});

function start(changes: Partial<Drive> = {}): Promise<number> {
  return drive({
    manifests: [],
    readyWithinSeconds: undefined,
    watchFilter: '',
    kubernetes: api.kubernetes,
    reporter,
    clock: api.clock,
    interrupted: interrupt.signal,
    onReady: clusters => ready.push(clusters.map(({ metadata }) => metadata.name)),
    ...changes,
  });
}

const provision = (name: string) =>
  api.others.mergePatch(
    { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace: 'ns', name },
    { status: { phase: 'Provisioned' } },
    { subresource: 'status' },
  );

describe('a run that continues until it is interrupted', () => {
  it('reports once that every Cluster is Provisioned, and continues', async () => {
    api.given(aCluster().named('a').inPhase('Provisioned'), aCluster().named('b').inPhase('Provisioning'));
    const running = start();
    await settled();
    expect(ready).toEqual([]);
    await provision('b');
    await settled();
    expect(ready).toEqual([['a', 'b']]);
    api.given(aCluster().named('c').inPhase('Provisioned'));
    await settled();
    expect(ready).toHaveLength(1);
    interrupt.abort();
    expect(await running).toBe(exitCodes.done);
  });

  it('shows the objects that Clusters reference if the reporter supports it', async () => {
    api.given(aCluster().withInfrastructureRef(), anInfraCluster());
    let look: () => readonly ClusterSnapshot[] = () => [];
    const objects = (snapshots: () => readonly ClusterSnapshot[]): void => {
      look = snapshots;
    };
    const running = start({ reporter: { ...reporter, showsObjects: true, objects } });
    await settled();
    await settled();
    expect(look()).toMatchObject([{ infrastructure: { state: 'found' } }]);
    await api.others.delete({
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Cluster',
      namespace: 'ns',
      name: 'c1',
    });
    await settled();
    expect(look()).toEqual([]);
    interrupt.abort();
    expect(await running).toBe(exitCodes.done);
  });
});

describe('a run that ends when all is ready', () => {
  it('reports success and ends', async () => {
    api.given(aCluster().inPhase('Provisioned'));
    expect(await start({ readyWithinSeconds: 60 })).toBe(exitCodes.done);
    expect(ready).toEqual([['c1']]);
  });

  it('gives up when the time is over', async () => {
    api.given(aCluster().inPhase('Pending'));
    const running = start({ readyWithinSeconds: 60 });
    await api.clock.advance(60_000);
    expect(await running).toBe(exitCodes.notReady);
    expect(ready).toEqual([]);
  });
});
