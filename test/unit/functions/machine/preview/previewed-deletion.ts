// The deletion of a Machine as `plan machine` shows it, over fake clusters.

import { toRef, type Unstructured } from '@capi-serverless/apimachinery';
import { expect } from 'vitest';
import { toPlannable } from '../../../../../cli/plan/plan.ts';
import { toPlanReport } from '../../../../../cli/plan/report.ts';
import { whyOfMachine } from '../../../../../functions/machine/explain.ts';
import { previewOfMachine } from '../../../../../functions/machine/preview/observe-preview.ts';
import { createMachineReconciler } from '../../../../../functions/machine/reconciler.ts';
import { defaultSettings } from '../../../../../functions/machine/settings.ts';
import { waitOfMachine } from '../../../../../functions/machine/why/explain.ts';
import { fakeHooks } from '../../../../support/fake-hooks.ts';
import { fakeReads } from '../../../../support/fake-reads.ts';
import { deletingWorld, fakeWorkload, managementObjects, type ScenarioWorld } from '../machine-pass.ts';
import { nodeOk, now, TestObject } from '../scenario-objects.ts';

export async function planOf(machine: Unstructured, world: ScenarioWorld) {
  const workload = fakeWorkload(world);
  const plannable = toPlannable({
    reconciler: createMachineReconciler(defaultSettings),
    ports: { hooks: () => fakeHooks(), workloadApi: () => workload.api },
    whyOf: whyOfMachine,
    preview: previewOfMachine,
    waitOf: waitOfMachine,
  });
  const plan = await plannable.plan({
    reads: fakeReads([machine, ...managementObjects(world)], world.readFaults),
    ref: toRef(machine),
    now,
    callHooks: false,
    probeWorkloads: true,
  });
  expect(plan.defect).toBeUndefined();
  return { report: toPlanReport(plan, { source: 'here', notes: [] }), asked: workload.reads.trips.flat() };
}

export async function linesOf(machine: Unstructured, world: ScenarioWorld): Promise<readonly string[]> {
  const { report } = await planOf(machine, world);
  return report.preview?.lines ?? [];
}

export function aPod(name: string, namespace = 'app'): TestObject {
  return new TestObject({ apiVersion: 'v1', kind: 'Pod', name })
    .in(namespace)
    .withUid(`${name}-uid`)
    .withSpec({ nodeName: 'n1' })
    .withStatus({ phase: 'Running' })
    .withCondition('Ready');
}

export const budget = new TestObject({ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', name: 'web' })
  .in('app')
  .withSpec({ selector: { matchLabels: { app: 'web' } } })
  .withStatus({ disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, observedGeneration: 1 });

const lateRule = new TestObject({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineDrainRule',
  name: 'late',
}).withSpec({ drain: { behavior: 'Drain', order: 10 }, pods: [{ selector: { matchLabels: { app: 'late' } } }] });

export const daemonSet = new TestObject({ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'ds' }).in('app');

export const pods = [
  aPod('web-1').labelled({ app: 'web' }),
  aPod('late-1').labelled({ app: 'late' }),
  aPod('ds-1').owners({ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'ds', uid: 'd', controller: true }),
  aPod('static').annotated({ 'kubernetes.io/config.mirror': '' }),
  aPod('job-1').labelled({ 'cluster.x-k8s.io/drain': 'wait-completed' }),
  aPod('ending').deleting(now - 1000),
];

export const world = (...workload: readonly TestObject[]): ScenarioWorld => ({
  ...deletingWorld,
  objects: [...(deletingWorld.objects ?? []), lateRule],
  workload: [nodeOk(), daemonSet, ...workload],
});

export const hooked = {
  metadata: {
    annotations: {
      'pre-drain.delete.hook.machine.cluster.x-k8s.io/backup': 'backup-controller',
      'pre-terminate.delete.hook.machine.cluster.x-k8s.io/etcd': '',
    },
  },
  spec: { deletion: { nodeDrainTimeoutSeconds: 600 } },
};
