// The recorded Machines and MachineHealthChecks, and their reconciles. The workload cluster is in memory.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Intent, type Kubernetes, type ObjectRef, toRecord } from '@capi-serverless/apimachinery';
import { createApiCore } from '@capi-serverless/apiserver/core';
import { workloadKinds } from '@capi-serverless/apiserver/workload';
import { expect } from 'vitest';
import * as z from 'zod/mini';
import type { GivenObject } from '../../cli/plan/files.ts';
import { machineHealthCheckReconciler } from '../../functions/machinehealthcheck/reconciler.ts';
import type { CustomResourceDefinition } from '../../shared/api/schema/definition.ts';
import { reconcile } from '../../shared/kernel/reconcile.ts';
import { createMemoryKubernetes } from '../../shared/kubernetes/memory/memory-kubernetes.ts';
import { createMemoryWorkload } from '../../shared/kubernetes/memory/memory-workload.ts';
import { accepted } from '../support/accepted.ts';
import { fakeHooks } from '../support/fake-hooks.ts';
import { createFaultyKubernetes } from '../support/faulty-kubernetes.ts';
import { countingIds } from '../support/memory-api.ts';
import type { AdoptedSnapshot } from './adopted-rollouts.ts';
import {
  adopting,
  kindsIn,
  kindsOfWorkload,
  recordedAt,
  recordedTime,
  refOf,
  restoreClusters,
} from './adopted-state.ts';
import { readFamilyScenarios, readResult } from './corpus.ts';
import { createPlayedMachineReconciler } from './reconcilers.ts';
import { toSettledSnapshots } from './recorded-state.ts';
import { completeWorkload } from './recorded-workload.ts';

const clusterScoped: readonly string[] = ['Node', 'PersistentVolume', 'VolumeAttachment'];

/** The expected writes of the first reconcile: their number, and the reason why they are correct. */
const exceptionSchema = z.array(
  z.object({ scenario: z.string(), snapshot: z.string(), writes: z.number(), reason: z.string() }),
);
const exceptions = exceptionSchema.parse(
  JSON.parse(readFileSync(path.join(import.meta.dirname, 'machine-adoption-exceptions.json'), 'utf8')),
);

/**
 * Returns the settled states with a Machine, with the objects of their workload clusters. Each one has a namespace with
 * this prefix.
 */
export function readMachineSnapshots(
  crds: readonly CustomResourceDefinition[],
  prefix = '',
): readonly AdoptedSnapshot[] {
  const apiVersions = new Map([...kindsIn(crds), ...kindsOfWorkload]);
  return readFamilyScenarios()
    .flatMap(scenario =>
      toSettledSnapshots(readResult(scenario), {
        apiVersions,
        namespace: `${prefix}${scenario.id}`,
        time: recordedTime,
        complete: (name, objects) => completeWorkload(scenario.steps, name, objects),
      }).map(snapshot => ({ scenario: scenario.folder, ...snapshot })),
    )
    .filter(({ objects }) => objects.some(({ kind }) => kind === 'Machine'));
}

/** Reconciles the objects of a restored state once. Expects no write except those of the exceptions. */
export async function expectAdoptedMachines(kubernetes: Kubernetes, snapshot: AdoptedSnapshot): Promise<void> {
  const { scenario, name, objects } = snapshot;
  await restoreClusters(kubernetes, objects);
  const known = exceptions.find(exception => exception.scenario === scenario && exception.snapshot === name);
  const writes = await adopt(kubernetes, objects);
  expect(writes.length, writes.join('\n')).toBe(known?.writes ?? 0);
}

/** Returns one line per write in the first reconcile of each Machine and MachineHealthCheck. */
async function adopt(kubernetes: Kubernetes, objects: readonly GivenObject[]): Promise<readonly string[]> {
  const recorded = createFaultyKubernetes(kubernetes);
  const ids = countingIds();
  const core = createApiCore({ now: () => recordedAt, ids, kinds: workloadKinds });
  await restoreWorkload(createMemoryKubernetes(core), objects);
  const before = core.resourceVersion();
  const { api, writers } = createMemoryWorkload({ clock: adopting.clock, ids, coreOf: () => core });
  for (const machine of objects.filter(({ kind }) => kind === 'Machine')) {
    const reconciled = await reconcile(
      {
        ...adopting,
        reconciler: createPlayedMachineReconciler(),
        kubernetes: recorded.kubernetes,
        ports: { hooks: fakeHooks(), workloadApi: api },
        workload: writers,
      },
      refOf(machine),
    );
    expect(reconciled.passes).toBeGreaterThan(0);
    expect(reconciled.defect).toBeUndefined();
  }
  for (const check of objects.filter(({ kind }) => kind === 'MachineHealthCheck')) {
    const reconciled = await reconcile(
      {
        ...adopting,
        reconciler: machineHealthCheckReconciler,
        kubernetes: recorded.kubernetes,
        ports: { workloadApi: api },
      },
      refOf(check),
    );
    expect(reconciled.defect).toBeUndefined();
  }
  const changed = Number(core.resourceVersion()) - Number(before);
  return [...recorded.writes, ...Array.from({ length: changed }, () => 'a write to the workload cluster')];
}

async function restoreWorkload(kubernetes: Kubernetes, objects: readonly GivenObject[]): Promise<void> {
  const namespaces = new Set(objects.map(({ metadata: { namespace = '' } }) => namespace));
  for (const name of namespaces) {
    const created = await kubernetes.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    expect(created.ok || created.failure.reason).toBeOneOf([true, 'AlreadyExists']);
  }
  for (const { status, ...object } of objects.filter(({ kind }) => kindsOfWorkload.has(kind))) {
    const { name, namespace = '', labels, annotations, ownerReferences, deletionTimestamp } = object.metadata;
    const scope = clusterScoped.includes(object.kind) ? {} : { namespace };
    const metadata = JSON.parse(JSON.stringify({ name, ...scope, labels, annotations, ownerReferences }));
    const intent: Intent = { ...object, metadata };
    const ref: ObjectRef = { apiVersion: object.apiVersion, kind: object.kind, name, ...scope };
    accepted(await kubernetes.create(intent));
    accepted(await kubernetes.mergePatch(ref, { status: toRecord(status) }, { subresource: 'status' }));
    if (deletionTimestamp !== undefined) {
      accepted(await kubernetes.delete(ref));
    }
  }
}
