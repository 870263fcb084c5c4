// Reconciles change no field of MachineSets and MachineDeployments that upstream's controllers have reconciled,
// nor of their Machines and templates. The recordings omit managed fields, which two reconciles restore. The third one
// writes nothing.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Kubernetes, toSortedJson, type Unstructured } from '@capi-serverless/apimachinery';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { type GivenObject, seed } from '../../cli/plan/files.ts';
import { createMachineDeploymentReconciler } from '../../functions/machinedeployment/reconciler.ts';
import { createMachineSetReconciler } from '../../functions/machineset/reconciler.ts';
import { reconcile } from '../../shared/kernel/reconcile.ts';
import { fakeHooks } from '../support/fake-hooks.ts';
import { createFaultyKubernetes } from '../support/faulty-kubernetes.ts';
import { adopting, kindsOfWorkload, recordedAt, refOf, restoreClusters } from './adopted-state.ts';
import { describeCorpus, readCorpusCrds, readFamilyScenarios, readResult } from './corpus.ts';
import { toSettledSnapshots } from './recorded-state.ts';

/** The expected changes: the objects, and the reason why they are correct. */
const exceptionSchema = z.array(
  z.object({ scenario: z.string(), snapshot: z.string(), changes: z.array(z.string()), reason: z.string() }),
);
const exceptions = exceptionSchema.parse(
  JSON.parse(readFileSync(path.join(import.meta.dirname, 'rollout-adoption-exceptions.json'), 'utf8')),
);

describeCorpus('adoption of the MachineSets and MachineDeployments that upstream left', () => {
  const crds = readCorpusCrds();
  const apiVersions = new Map(
    crds.map(({ spec }) => [spec.names.kind, `${spec.group}/${spec.versions.at(-1)?.name}`] as const),
  );
  const snapshots = readFamilyScenarios()
    .flatMap(scenario =>
      toSettledSnapshots(readResult(scenario), {
        apiVersions,
        namespace: scenario.id,
        time: '2026-01-01T00:00:00Z',
      }).map(snapshot => ({ scenario: scenario.folder, ...snapshot })),
    )
    .filter(({ objects }) => objects.some(({ kind }) => kind === 'MachineSet' || kind === 'MachineDeployment'));
  const managed = snapshots.flatMap(({ objects }) => objects.filter(({ kind }) => !kindsOfWorkload.has(kind)));
  // All snapshots use one server, because parsing the definitions takes longer than a reconcile.
  const { kubernetes } = seed([...crds, ...managed], recordedAt);

  it.each(snapshots)('$scenario, $name', async ({ scenario, name, objects }) => {
    const own = objects.filter(({ kind }) => !kindsOfWorkload.has(kind));
    await restoreClusters(kubernetes, own);
    const before = await readAll(kubernetes, own);
    await adopt(kubernetes, own);
    await adopt(kubernetes, own);
    const writes = await adopt(kubernetes, own);
    const after = await readAll(kubernetes, own);
    const changes = Object.keys(before).filter(key => before[key] !== after[key]);
    const known = exceptions.find(exception => exception.scenario === scenario && exception.snapshot === name);
    expect(changes, changes.map(key => `${before[key]}\n→ ${after[key]}`).join('\n')).toEqual(known?.changes ?? []);
    expect(writes).toEqual([]);
  });

  it('has no exception for a state that does not exist', () => {
    const names = snapshots.map(({ scenario, name }) => `${scenario}, ${name}`);
    expect(exceptions.filter(({ scenario, snapshot }) => !names.includes(`${scenario}, ${snapshot}`))).toEqual([]);
    expect(snapshots.length).toBeGreaterThan(50);
  });
});

/** Returns one line per write in the reconciles of all MachineSets and MachineDeployments. */
async function adopt(kubernetes: Kubernetes, objects: readonly GivenObject[]): Promise<readonly string[]> {
  const recorded = createFaultyKubernetes(kubernetes);
  const context = { ...adopting, kubernetes: recorded.kubernetes };
  for (const object of objects) {
    if (object.kind === 'MachineDeployment') {
      const reconciler = createMachineDeploymentReconciler({ updatesInPlace: false });
      const { defect } = await reconcile({ ...context, reconciler, ports: { hooks: fakeHooks() } }, refOf(object));
      expect(defect).toBeUndefined();
    }
    if (object.kind === 'MachineSet') {
      const { defect } = await reconcile(
        {
          ...context,
          reconciler: createMachineSetReconciler({ preflightChecks: ['All'], hasTopologies: true }),
          ports: {},
        },
        refOf(object),
      );
      expect(defect).toBeUndefined();
    }
  }
  return recorded.writes;
}

/** The objects as text, without what changes with each write, by kind and name. */
async function readAll(
  kubernetes: Kubernetes,
  objects: readonly GivenObject[],
): Promise<Readonly<Record<string, string>>> {
  const entries = objects.map(async object => {
    const answer = await kubernetes.get(refOf(object));
    const text = answer.ok ? toSortedJson(compared(answer.value)) : 'gone';
    return [`${object.kind} ${object.metadata.name}`, text] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

function compared({ metadata, ...object }: Unstructured) {
  const { resourceVersion: _, ...kept } = metadata;
  return { ...object, metadata: { ...kept, managedFields: undefined } };
}
