// The recorded MachineSets and MachineDeployments, and their reconciles.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Kubernetes, toRef, toSortedJson, type Unstructured } from '@capi-serverless/apimachinery';
import { expect } from 'vitest';
import * as z from 'zod/mini';
import type { GivenObject } from '../../cli/plan/files.ts';
import { createMachineDeploymentReconciler } from '../../functions/machinedeployment/reconciler.ts';
import { createMachineSetReconciler } from '../../functions/machineset/reconciler.ts';
import type { CustomResourceDefinition } from '../../shared/api/schema/definition.ts';
import { reconcile } from '../../shared/kernel/reconcile.ts';
import { fakeHooks } from '../support/fake-hooks.ts';
import { createFaultyKubernetes } from '../support/faulty-kubernetes.ts';
import { type AdoptedSnapshot, readAdoptedSnapshots } from './adopted-snapshots.ts';
import { adopting, kindsIn, managedObjects, restoreClusters } from './adopted-state.ts';

/** The expected changes: the objects, and the reason why they are correct. */
const exceptionSchema = z.array(
  z.object({ scenario: z.string(), snapshot: z.string(), changes: z.array(z.string()), reason: z.string() }),
);
export const rolloutExceptions = exceptionSchema.parse(
  JSON.parse(readFileSync(path.join(import.meta.dirname, 'rollout-adoption-exceptions.json'), 'utf8')),
);

/** Returns the settled states with a MachineSet or a MachineDeployment. Each one has a namespace with this prefix. */
export function readRolloutSnapshots(
  crds: readonly CustomResourceDefinition[],
  prefix = '',
): readonly AdoptedSnapshot[] {
  return readAdoptedSnapshots({
    kinds: ['MachineSet', 'MachineDeployment'],
    apiVersions: kindsIn(crds),
    prefix,
    withWorkload: false,
  }).map(snapshot => ({ ...snapshot, objects: managedObjects(snapshot.objects) }));
}

/**
 * Reconciles the objects of a restored state three times. Expects that only the exceptions change, and that the third
 * time writes nothing.
 */
export async function expectAdoptedRollouts(kubernetes: Kubernetes, snapshot: AdoptedSnapshot): Promise<void> {
  const { scenario, name, objects } = snapshot;
  await restoreClusters(kubernetes, objects);
  const before = await readAll(kubernetes, objects);
  await adopt(kubernetes, objects);
  await adopt(kubernetes, objects);
  const writes = await adopt(kubernetes, objects);
  const after = await readAll(kubernetes, objects);
  const changes = Object.keys(before).filter(key => before[key] !== after[key]);
  const known = rolloutExceptions.find(exception => exception.scenario === scenario && exception.snapshot === name);
  expect(changes, changes.map(key => `${before[key]}\n→ ${after[key]}`).join('\n')).toEqual(known?.changes ?? []);
  expect(writes).toEqual([]);
}

/** Returns one line per write in the reconciles of all MachineSets and MachineDeployments. */
async function adopt(kubernetes: Kubernetes, objects: readonly GivenObject[]): Promise<readonly string[]> {
  const recorded = createFaultyKubernetes(kubernetes);
  const context = { ...adopting, kubernetes: recorded.kubernetes };
  for (const object of objects) {
    if (object.kind === 'MachineDeployment') {
      const reconciler = createMachineDeploymentReconciler({ updatesInPlace: false });
      const { defect } = await reconcile({ ...context, reconciler, ports: { hooks: fakeHooks() } }, toRef(object));
      expect(defect).toBeUndefined();
    }
    if (object.kind === 'MachineSet') {
      const { defect } = await reconcile(
        {
          ...context,
          reconciler: createMachineSetReconciler({ preflightChecks: ['All'], hasTopologies: true }),
          ports: {},
        },
        toRef(object),
      );
      expect(defect).toBeUndefined();
    }
  }
  return recorded.writes;
}

/** The objects as text, without what changes with each write, by kind and name. */
export async function readAll(
  kubernetes: Kubernetes,
  objects: readonly GivenObject[],
): Promise<Readonly<Record<string, string>>> {
  const entries = objects.map(async object => {
    const answer = await kubernetes.get(toRef(object));
    const text = answer.ok ? toSortedJson(compared(answer.value)) : 'gone';
    return [`${object.kind} ${object.metadata.name}`, text] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

function compared({ metadata, ...object }: Unstructured) {
  const { resourceVersion: _, ...kept } = metadata;
  return { ...object, metadata: { ...kept, managedFields: undefined } };
}
