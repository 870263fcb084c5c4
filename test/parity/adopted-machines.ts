// The recorded Machines, MachinePools and MachineHealthChecks, and their reconciles. The workload cluster is in memory.
import { type Kubernetes, toRef } from '@capi-serverless/apimachinery';
import { expect } from 'vitest';
import type { GivenObject } from '../../cli/plan/files.ts';
import { machineHealthCheckReconciler } from '../../functions/machinehealthcheck/reconciler.ts';
import { machinePoolReconciler } from '../../functions/machinepool/reconciler.ts';
import type { CustomResourceDefinition } from '../../shared/api/schema/definition.ts';
import { reconcile } from '../../shared/kernel/reconcile.ts';
import { fakeHooks } from '../support/fake-hooks.ts';
import { createFaultyKubernetes } from '../support/faulty-kubernetes.ts';
import { readAll } from './adopted-rollouts.ts';
import { type AdoptedSnapshot, readAdoptedSnapshots } from './adopted-snapshots.ts';
import {
  adopting,
  expectKnownWrites,
  kindsIn,
  kindsOfWorkload,
  type RestoredWorkload,
  readKnownWrites,
  restoreClusters,
  restoreWorkload,
} from './adopted-state.ts';
import { createPlayedMachineReconciler } from './reconcilers.ts';

const adoptedKinds: readonly string[] = ['Machine', 'MachinePool', 'MachineHealthCheck'];

export const machineExceptions = readKnownWrites('machine-adoption-exceptions.json');

/**
 * Returns the settled states with an object of these kinds, with the objects of their workload clusters. Each one has a namespace with
 * this prefix.
 */
export function readMachineSnapshots(
  crds: readonly CustomResourceDefinition[],
  prefix = '',
): readonly AdoptedSnapshot[] {
  const apiVersions = new Map([...kindsIn(crds), ...kindsOfWorkload]);
  return readAdoptedSnapshots({ kinds: adoptedKinds, apiVersions, prefix, withWorkload: true });
}

/** Reconciles the objects of a restored state once. Expects no write except those of the exceptions. */
export async function expectAdoptedMachines(kubernetes: Kubernetes, snapshot: AdoptedSnapshot): Promise<void> {
  const { objects } = snapshot;
  await restoreClusters(kubernetes, objects);
  expectKnownWrites(machineExceptions, snapshot, await adopt(kubernetes, objects));
}

/**
 * The recordings omit managed fields, so a MachinePool applies its Machines once. This pass changes nothing else, and no
 * value of a Machine.
 */
async function restoreFieldOwners(
  kubernetes: Kubernetes,
  objects: readonly GivenObject[],
  { api, writers }: RestoredWorkload,
): Promise<void> {
  const machines = objects.filter(({ kind }) => kind === 'Machine');
  for (const pool of machines.length === 0 ? [] : objects.filter(({ kind }) => kind === 'MachinePool')) {
    const recorded = createFaultyKubernetes(kubernetes);
    const before = await readAll(kubernetes, machines);
    const context = { ...adopting, kubernetes: recorded.kubernetes, workload: writers };
    await reconcile({ ...context, reconciler: machinePoolReconciler, ports: { workloadApi: api } }, toRef(pool));
    expect(recorded.writes.filter(line => !line.startsWith('apply Machine '))).toEqual([]);
    expect(await readAll(kubernetes, machines)).toEqual(before);
  }
}

/** Returns one line per write in the first reconcile of each object. */
async function adopt(kubernetes: Kubernetes, objects: readonly GivenObject[]): Promise<readonly string[]> {
  const workload = await restoreWorkload(objects.filter(({ kind }) => kindsOfWorkload.has(kind)));
  await restoreFieldOwners(kubernetes, objects, workload);
  const recorded = createFaultyKubernetes(kubernetes);
  const context = { ...adopting, kubernetes: recorded.kubernetes, workload: workload.writers };
  const workloadApi = workload.api;
  for (const object of objects.filter(({ kind }) => adoptedKinds.includes(kind))) {
    const ref = toRef(object);
    const reconciled = await (object.kind === 'Machine'
      ? reconcile(
          { ...context, reconciler: createPlayedMachineReconciler(), ports: { hooks: fakeHooks(), workloadApi } },
          ref,
        )
      : object.kind === 'MachinePool'
        ? reconcile({ ...context, reconciler: machinePoolReconciler, ports: { workloadApi } }, ref)
        : reconcile({ ...context, reconciler: machineHealthCheckReconciler, ports: { workloadApi } }, ref));
    expect(reconciled.passes).toBeGreaterThan(0);
    expect(reconciled.defect).toBeUndefined();
  }
  return [...recorded.writes, ...workload.writes()];
}
