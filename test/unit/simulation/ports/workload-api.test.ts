import { expect, it, vi } from 'vitest';
import { Scheduler } from '../../../simulation/engine/scheduler.ts';
import { createWorkloads } from '../../../simulation/ports/workload-api.ts';
import { sleep } from '../../../simulation/system/user.ts';
import { aCluster } from '../../../support/builders.ts';
import { createMemoryApi } from '../../../support/memory-api.ts';
import { aSimulatedMachine } from '../../../support/simulated-machine.ts';

const start = Date.parse('2026-01-01T00:00:00Z');
const lateMs = 5_000;

it('a workload cluster has the Nodes of started machines, and lists machines only after a change', async () => {
  const scheduler = new Scheduler(start);
  const { core, given, read } = createMemoryApi();
  const machine = (name: string, ms: number) => ({
    ...aSimulatedMachine(name, { startsAt: new Date(start + ms).toISOString(), version: 'v1.36.0' }),
  });
  given(aCluster().named('c1'), machine('m1', 0), machine('m2', lateMs));
  const { uid } = read({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    namespace: 'ns',
    name: 'c1',
  }).metadata;
  const workloads = createWorkloads({ scheduler }, core);
  const names = () => {
    const workload = workloads.coreOf(uid);
    return workload.list(workload.registry.endpointOfKind('v1', 'Node'), {}).items.map(({ metadata }) => metadata.name);
  };
  expect(names()).toEqual(['m1']);
  const waiting = sleep({ scheduler }, lateMs);
  await scheduler.run(() => false);
  await waiting;
  expect(names()).toEqual(['m1', 'm2']);
  const lists = vi.spyOn(core, 'list');
  expect([names(), names()]).toEqual([
    ['m1', 'm2'],
    ['m1', 'm2'],
  ]);
  expect(lists).not.toHaveBeenCalled();
  given(machine('m3', 0));
  expect(names()).toEqual(['m1', 'm2', 'm3']);
});
