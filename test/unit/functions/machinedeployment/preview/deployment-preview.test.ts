// The rollout of a MachineDeployment as `plan machinedeployment` shows it, over the in-memory API.
import { describe, expect, it } from 'vitest';
import { toPlannable } from '../../../../../cli/plan/plan.ts';
import { toPlanReport } from '../../../../../cli/plan/report.ts';
import { whyOfMachineDeployment } from '../../../../../functions/machinedeployment/explain.ts';
import { previewOfMachineDeployment } from '../../../../../functions/machinedeployment/preview/observe-preview.ts';
import { createMachineDeploymentReconciler } from '../../../../../functions/machinedeployment/reconciler.ts';
import { waitOfMachineDeployment } from '../../../../../functions/machinedeployment/why/waits.ts';
import { anExtensionConfig } from '../../../../support/extension-config.ts';
import { fakeHooks } from '../../../../support/fake-hooks.ts';
import { testStart, timestamp } from '../../../../support/object-builder.ts';
import {
  aCluster,
  aDeployment,
  aMachineTemplate,
  aSet,
  aWorld,
  DeploymentTestObject,
  deploymentSpec,
  machineSpec,
  rolling,
  type World,
} from '../deployment-with-sets.ts';

async function previewOf(world: World, { hooks = fakeHooks(), updatesInPlace = true } = {}) {
  const plannable = toPlannable({
    reconciler: createMachineDeploymentReconciler({ updatesInPlace }),
    ports: { hooks: () => hooks },
    whyOf: whyOfMachineDeployment,
    preview: previewOfMachineDeployment,
    waitOf: waitOfMachineDeployment,
  });
  const plan = await plannable.plan({
    reads: world.api.others,
    ref: world.ref,
    now: world.api.clock.now(),
    callHooks: false,
    probeWorkloads: false,
  });
  expect(plan.defect).toBeUndefined();
  const { preview } = toPlanReport(plan, { source: 'here', notes: [] });
  return { ...preview, lines: preview?.lines.map(line => line.replace(/md1-[a-z0-9]{5}\b/g, 'md1-xxxxx')) };
}

const controlPlaneRef = { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'FooControlPlane', name: 'cp1' };
const cluster = aCluster.withSpec({ controlPlaneRef });
const stale = (number: number, spec: number) => aSet(number, { spec, isStale: true });
const byVersion = '  replaces Machines of MachineSet ms1: Version v1.30.0, v1.31.0 required';

describe('the preview of a rollout', () => {
  it('by replacement has its cause, the Machines of its surge, and each step', async () => {
    const preview = await previewOf(await aWorld({ sets: [stale(1, 2)], deployment: aDeployment({ replicas: 2 }) }));
    expect(preview.title).toBe('The rollout of MachineDeployment ns/md1');
    expect(preview.lines).toEqual([
      byVersion,
      '  creates 2 Machines, deletes 2 Machines, in 4 steps',
      '  at most 3 Machines exist, 1 more than 2 replicas; at least 2 stay available',
      '  1. md1-xxxxx 0 -> 1 (3 Machines, 2 available)',
      '  2. ms1 2 -> 1 (3 Machines, 2 available)',
      '  3. md1-xxxxx 1 -> 2 (3 Machines, 2 available)',
      '  4. ms1 1 -> 0 (3 Machines, 2 available)',
    ]);
    expect(preview.data).toMatchObject({
      rollout: {
        ...{ created: 2, deleted: 2, updated: 0, surgeMachines: 1, mostMachines: 3, end: 'complete', paused: false },
        replaced: [{ set: 'ms1', replicas: 2, how: 'replacement', because: ['Version v1.30.0, v1.31.0 required'] }],
        blockedBy: [],
        defaults: [],
      },
    });
  });

  it('is absent if nothing changes, or if the pass plans nothing', async () => {
    expect((await previewOf(await aWorld({ sets: [aSet(1, { spec: 3 })] }))).lines).toBeUndefined();
    expect((await previewOf(await aWorld({ cluster: null }))).lines).toBeUndefined();
    const failing = await aWorld({ templates: [], sets: [stale(1, 3)] });
    expect((await previewOf(failing)).lines).toBeUndefined();
    const invalid = aDeployment(rolling('5', 1));
    expect((await previewOf(await aWorld({ deployment: invalid, sets: [stale(1, 3)] }))).lines).toBeUndefined();
  });

  it('is absent while a surge is invalid during a pause', async () => {
    const paused = aDeployment({ paused: true, ...rolling('5', 1) });
    expect((await previewOf(await aWorld({ deployment: paused, sets: [stale(1, 3)] }))).lines).toBeUndefined();
  });

  it('names MachineSets that are being deleted, and those whose last Machines are', async () => {
    const deleting = aSet(1, { spec: 1 }, set => set.withFinalizers('held.example.com').deleting());
    const emptied = aSet(2, { spec: 0, status: 1, isStale: true });
    const preview = await previewOf(
      await aWorld({ sets: [deleting, emptied], deployment: aDeployment({ replicas: 1 }) }),
    );
    expect(preview.lines?.slice(0, 2)).toEqual([
      '  replaces Machines of MachineSet ms1: it is being deleted',
      '  replaces Machines of MachineSet ms2: Version v1.30.0, v1.31.0 required',
    ]);
  });

  it('in place names the MachineSets whose Machines the extension updates', async () => {
    const world = await aWorld({ sets: [stale(1, 2)], deployment: aDeployment({ replicas: 2 }) });
    const requestHook = { apiVersion: 'hooks.runtime.cluster.x-k8s.io/v1alpha1', hook: 'CanUpdateMachineSet' };
    const handler = { name: 'can.ext1', requestHook, timeoutSeconds: 5, failurePolicy: 'Fail' };
    world.api.given(
      anExtensionConfig()
        .withCondition('Discovered', { observedGeneration: 1 })
        .withStatus({ handlers: [handler] }),
    );
    const hooks = fakeHooks();
    const operations = [{ op: 'replace', path: '/spec/template/spec/version', value: 'v1.31.0' }];
    const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
    const body = {
      ...{ apiVersion: requestHook.apiVersion, kind: 'CanUpdateMachineSetResponse', status: 'Success', message: '' },
      machineSetPatch: { patchType: 'JSONPatch', patch },
    };
    hooks.answer('https://ext1.example:8443', 'canupdatemachineset/can', { body });
    const { lines, data } = await previewOf(world, { hooks });
    expect(lines?.slice(0, 2)).toEqual([
      '  updates Machines in place of MachineSet ms1: Version v1.30.0, v1.31.0 required',
      '  creates 1 Machine, updates 1 Machine in place, deletes 1 Machine, in 3 steps',
    ]);
    expect(data).toMatchObject({ rollout: { replaced: [{ set: 'ms1', how: 'inPlace' }], updated: 1 } });
  });

  it('shows the defaults that no webhook has set', async () => {
    const bare = aDeployment({ replicas: undefined, rollout: undefined, selector: {} });
    expect((await previewOf(await aWorld({ deployment: bare }))).lines).toEqual([
      '  spec.replicas is not set: 1 is assumed',
      '  spec.rollout.strategy.type is not set: RollingUpdate is assumed',
      '  spec.rollout.strategy.rollingUpdate.maxSurge is not set: 1 is assumed',
      '  spec.rollout.strategy.rollingUpdate.maxUnavailable is not set: 0 is assumed',
      '  spec.selector is empty: the label cluster.x-k8s.io/deployment-name=md1 is assumed, also in the template',
      '  creates 1 Machine, in 1 step',
      '  at most 1 Machines exist, 0 more than 1 replicas; at least 0 stay available',
      '  1. md1-xxxxx 0 -> 1 (1 Machine, 0 available)',
    ]);
  });

  it('of a paused MachineDeployment follows the pause', async () => {
    const paused = aDeployment({ replicas: 1, paused: true });
    expect((await previewOf(await aWorld({ deployment: paused, sets: [stale(1, 1)] }))).lines).toEqual([
      '  spec.paused is true: the steps follow after the pause',
      byVersion,
      '  creates 1 Machine, deletes 1 Machine, in 2 steps',
      '  at most 2 Machines exist, 1 more than 1 replicas; at least 1 stay available',
      '  1. the new MachineSet 0 -> 1 (2 Machines, 1 available)',
      '  2. ms1 1 -> 0 (2 Machines, 1 available)',
    ]);
  });

  it('with OnDelete waits for the user', async () => {
    const onDelete = aDeployment({ replicas: 1, rollout: { strategy: { type: 'OnDelete' } } });
    expect((await previewOf(await aWorld({ deployment: onDelete, sets: [stale(1, 1)] }))).lines).toEqual([
      byVersion,
      '  no Machine is replaced until a user deletes one',
    ]);
  });

  it('names a restart, and a second MachineSet with the same template', async () => {
    const after = timestamp(testStart + 2000);
    const restarted = aDeployment({ replicas: 1, rollout: { ...deploymentSpec.rollout, after } });
    const sets = [1, 2, 3].map(number => aSet(number, { spec: 1 }));
    const preview = await previewOf(await aWorld({ deployment: restarted, sets }));
    expect(preview.lines?.slice(0, 2)).toEqual([
      `  replaces Machines of MachineSet ms1: it is older than spec.rollout.after ${after}`,
      '  replaces Machines of MachineSet ms3: another MachineSet has the same template',
    ]);
  });

  it.each([
    {
      reason: 'the control plane is upgrading',
      spec: { version: 'v1.31.0' },
      status: { version: 'v1.30.0' },
      line: 'FooControlPlane ns/cp1 is upgrading ("ControlPlaneIsStable" preflight check failed)',
    },
    {
      reason: 'the version of the new Machines is too high',
      spec: { version: 'v1.30.0' },
      status: { version: 'v1.30.0' },
      line: 'MachineSet version (1.31.0) and ControlPlane version (1.30.0) do not conform to the kubernetes version skew policy as MachineSet version is higher than ControlPlane version ("KubernetesVersionSkew" preflight check failed)',
    },
    { reason: 'all checks pass', spec: { version: 'v1.31.0' }, status: { version: 'v1.31.0' }, line: undefined },
    { reason: 'the control plane is missing', spec: undefined, line: 'FooControlPlane cp1 cannot be read' },
  ])('names the checks that would block new Machines: $reason', async ({ spec, status, line }) => {
    const world = await aWorld({ cluster, sets: [stale(1, 1)], deployment: aDeployment({ replicas: 1 }) });
    if (spec !== undefined) {
      const object = { apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2', kind: 'FooControlPlane', name: 'cp1' };
      world.api.given(new DeploymentTestObject(object).withSpec(spec).withStatus(status ?? {}));
    }
    const { lines } = await previewOf(world);
    expect(lines?.filter(each => each.includes('blocked'))).toEqual(
      line === undefined ? [] : [`  new Machines are blocked: ${line}`],
    );
  });

  it('names a bootstrap template that is missing, and reads no object that is no template', async () => {
    const sets = [stale(1, 3), aSet(2, { spec: 0 })];
    const world = await aWorld({ cluster, templates: [aMachineTemplate], sets });
    const missing = await previewOf(world, { updatesInPlace: false });
    expect(missing.lines?.find(line => line.includes('blocked'))).toContain('FooConfigTemplate bt1 does not exist');
    const configRef = { ...machineSpec.bootstrap.configRef, kind: 'FooConfig' };
    const spec = { ...machineSpec, bootstrap: { configRef } };
    const deployment = aDeployment({ replicas: 1, template: { ...deploymentSpec.template, spec } });
    const other = await previewOf(await aWorld({ cluster, deployment }));
    expect(other.lines?.find(line => line.includes('blocked'))).toContain('FooControlPlane cp1 cannot be read');
  });

  it('names the check that blocks the current MachineSet', async () => {
    const message = 'Scaling up from 0 to 1 replicas is blocked because:\n* control plane is upgrading';
    const blocked = aSet(2, { spec: 1, status: 0 }, set =>
      set.withCondition('ScalingUp', { status: 'True', reason: 'ScalingUp', message }),
    );
    const preview = await previewOf(await aWorld({ sets: [stale(1, 3), blocked] }));
    expect(preview.lines?.find(line => line.includes('blocked'))).toContain('control plane is upgrading');
  });
});
