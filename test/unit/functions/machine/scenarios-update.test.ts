// Scenarios of in-place updates of a Machine.

import { type Unstructured, valid } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { planUpdate } from '../../../../functions/machine/phases/update/in-place-update.ts';
import { readWholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import { answerFrom } from '../../../support/answered-plan.ts';
import { anExtensionConfig } from '../../../support/extension-config.ts';
import { type FakeHandler, fakeHooks } from '../../../support/fake-hooks.ts';
import { fieldsOf, timestamp } from '../../../support/object-builder.ts';
import {
  aDeletedMachine,
  aRunningMachine,
  changed,
  deletingWorld,
  type PassResult,
  reconcileOnce,
  runningWorld,
  type ScenarioWorld,
} from './machine-pass.ts';
import { bootstrapOk, infraOk, now } from './scenario-objects.ts';

const mark = { 'in-place-updates.internal.cluster.x-k8s.io/update-in-progress': '' };
const pendingHook = { 'runtime.cluster.x-k8s.io/pending-hooks': 'UpdateMachine' };
const url = 'https://ext1.example:8443';
const settings = { updatesInPlace: true };
const marked = { ...runningWorld, settings, objects: [bootstrapOk().annotated(mark), infraOk().annotated(mark)] };
const removeMark = JSON.stringify({ metadata: { annotations: { [Object.keys(mark)[0] ?? '']: null } } });

const annotatedWith = (machine: Unstructured, annotations: object) => changed(machine, { metadata: { annotations } });

const anUpdatedMachine = async () => annotatedWith(await aRunningMachine(), { ...mark, ...pendingHook });

/** ExtensionConfigs with one handler each for the hook UpdateMachine. */
function extensions(...names: readonly string[]): readonly Unstructured[] {
  return names.map(name =>
    changed(anExtensionConfig().named(name).build(), {
      status: {
        conditions: [
          {
            type: 'Discovered',
            status: 'True',
            reason: 'Discovered',
            message: '',
            lastTransitionTime: timestamp(now),
            observedGeneration: 1,
          },
        ],
        handlers: [
          {
            name: `update.${name}`,
            requestHook: { apiVersion: 'hooks.runtime.cluster.x-k8s.io/v1alpha1', hook: 'UpdateMachine' },
            timeoutSeconds: 5,
            failurePolicy: 'Fail',
          },
        ],
      },
    }),
  );
}

interface Updating {
  readonly answer?: FakeHandler;
  readonly world?: ScenarioWorld;
  readonly names?: readonly string[];
}

async function update(
  machine: Unstructured,
  { answer, world = marked, names = ['ext1'] }: Updating,
): Promise<PassResult> {
  const hooks = fakeHooks();
  if (answer !== undefined) {
    hooks.answer(url, 'updatemachine/update', answer);
  }
  return reconcileOnce(machine, { ...world, objects: [...(world.objects ?? []), ...extensions(...names)], hooks });
}

const says = (retryAfterSeconds: number, message = ''): FakeHandler => ({
  body: {
    apiVersion: 'hooks.runtime.cluster.x-k8s.io/v1alpha1',
    kind: 'UpdateMachineResponse',
    status: 'Success',
    message,
    retryAfterSeconds,
  },
});

const progressing = 'True/InPlaceUpdating In-place update in progress';

describe('an in-place update', () => {
  it('waits for the mark of the owner, and is reported (scenario 110)', async () => {
    const pass = await update(annotatedWith(await aRunningMachine(), mark), { answer: says(30) });
    expect(pass.hooks.calls).toEqual([]);
    expect(pass.condition('Updating')).toBe(progressing);
    expect(pass.condition('UpToDate')).toBe('False/Updating * In-place update in progress');
    expect(pass.condition('Ready')).toBe('False/NotReady * Updating: In-place update in progress');
    expect(pass.condition('Available')).toBe('False/NotReady');
    expect(pass.status['phase']).toBe('Updating');
  });

  it('is asked again after the time of the answer (scenarios 111 and 112)', async () => {
    const pass = await update(await anUpdatedMachine(), { answer: says(30, 'step 1') });
    expect(pass.result).toBe('requeueAfter 30000');
    expect(pass.condition('Updating')).toBe(`${progressing}: step 1`);
    const [call] = pass.hooks.calls;
    expect(Object.keys(Object(call?.body['desired']))).toEqual(['machine', 'infrastructureMachine', 'bootstrapConfig']);
    expect(call?.body).toMatchObject({
      kind: 'UpdateMachineRequest',
      desired: {
        machine: { kind: 'Machine', metadata: { name: 'm1', namespace: 'ns' }, spec: { version: 'v1.31.0' } },
      },
    });
    expect(call?.body).not.toHaveProperty('desired.machine.status');
    expect(pass.writes).toHaveLength(1);
    expect(pass.versions.get('update:answer')).toBe((await anUpdatedMachine()).metadata.resourceVersion);
    const later = await update(pass.machine, { answer: says(30, 'step 2') });
    expect(later.hooks.calls).toEqual([]);
    expect(later.condition('Updating')).toBe(`${progressing}: step 1`);
    expect(later.result).toBe('requeueAfter 30000');
    expect(later.writes).toEqual([]);
  });

  it('cuts a long message before it is stored', async () => {
    const pass = await update(await anUpdatedMachine(), { answer: says(30, 'x'.repeat(5000)) });
    expect(pass.condition('Updating')).toHaveLength(progressing.length + 2 + 2048);
  });

  it('may have no message (scenario 113)', async () => {
    const pass = await update(await anUpdatedMachine(), { answer: says(15) });
    expect(pass.result).toBe('requeueAfter 15000');
    expect(pass.condition('Updating')).toBe(progressing);
  });

  it('ends in a fixed order of writes, and settles (scenario 114)', async () => {
    const pass = await update(await anUpdatedMachine(), { answer: says(0) });
    expect(pass.writes).toEqual([
      `patch Machine ns/m1 ${removeMark}`,
      `patch FooMachine ns/i1 ${removeMark}`,
      `patch FooConfig ns/b1 ${removeMark}`,
      'patch Machine ns/m1 {"metadata":{"annotations":{"runtime.cluster.x-k8s.io/pending-hooks":null}}}',
    ]);
    // The Machine is written twice, the second time on the version of the first write.
    const { resourceVersion } = (await anUpdatedMachine()).metadata;
    expect(pass.versions.get('update:hook-done')).toBe(`${resourceVersion}+`);
    expect(pass.condition('Updating')).toBe('False/NotUpdating');
    expect(pass.condition('UpToDate')).toBe('True/UpToDate');
    expect(pass.status['phase']).toBe('Running');
    const settled = await update(pass.machine, { world: { ...runningWorld, settings } });
    expect(settled.writes).toEqual([]);
    expect(settled.hooks.calls).toEqual([]);
  });

  it('also removes a stored answer', async () => {
    const waiting = await update(await anUpdatedMachine(), { answer: says(30, 'step 1') });
    const annotations = {
      'capi-serverless.dev/blocking-hooks': '{"UpdateMachine":{"until":"2026-01-01T00:00:00.000Z","message":""}}',
    };
    const pass = await update(annotatedWith(waiting.machine, annotations), { answer: says(0) });
    expect(pass.machine.metadata.annotations).toEqual({});
  });

  it.each([
    {
      id: 'update:unmark-machine',
      error:
        'failed to remove in-place-updates.internal.cluster.x-k8s.io/update-in-progress annotation from Machine ns/m1: boom',
    },
    {
      id: 'update:unmark-bootstrap',
      error:
        'failed to remove in-place-updates.internal.cluster.x-k8s.io/update-in-progress annotation from FooConfig ns/b1: boom',
    },
    { id: 'update:hook-done', error: 'failed to mark "UpdateMachine" hook as done: boom' },
  ])('a refused write of its end is an error: $id', async ({ id, error }) => {
    const hooks = fakeHooks();
    hooks.answer(url, 'updatemachine/update', says(0));
    const objects = [...(marked.objects ?? []), ...extensions('ext1')];
    const pass = await reconcileOnce(await anUpdatedMachine(), {
      ...marked,
      objects,
      hooks,
      failures: { [id]: { message: 'boom' } },
    });
    expect(pass.result).toBe(`failed to complete in-place update: ${error}`);
    expect(pass.condition('Updating')).toBe(progressing);
  });

  it('that was interrupted at its end is completed without a call (scenario 115)', async () => {
    const pass = await update(annotatedWith(await aRunningMachine(), pendingHook), { answer: says(30) });
    expect(pass.hooks.calls).toEqual([]);
    expect(pass.writes).toEqual([
      `patch FooMachine ns/i1 ${removeMark}`,
      `patch FooConfig ns/b1 ${removeMark}`,
      'patch Machine ns/m1 {"metadata":{"annotations":{"runtime.cluster.x-k8s.io/pending-hooks":null}}}',
    ]);
    expect(pass.condition('Updating')).toBe('False/NotUpdating');
  });

  it.each(['FooConfig ns/b1', 'FooMachine ns/i1'])(
    'that was interrupted at its end keeps its marks while %s cannot be read (scenario 134)',
    async name => {
      const readFaults = [{ at: `get ${name}`, message: 'boom' }];
      const machine = annotatedWith(await aRunningMachine(), pendingHook);
      const pass = await update(machine, { answer: says(30), world: { ...marked, readFaults } });
      expect(pass.result).toBe(`failed to retrieve ${name}: boom`);
      expect(pass.writes).toEqual([]);
      expect(pass.condition('Updating')).toBe('True/InPlaceUpdating In-place update in progress');
      const later = await update(pass.machine, { answer: says(30) });
      expect(later.condition('Updating')).toBe('False/NotUpdating');
    },
  );

  it('needs no annotation on its objects to be completed', async () => {
    const machine = annotatedWith(await aRunningMachine(), pendingHook);
    const pass = await update(machine, { world: { ...runningWorld, settings } });
    expect(pass.writes).toHaveLength(1);
    expect(pass.versions.get('update:hook-done')).toBe(machine.metadata.resourceVersion);
    const alone = await update(changed(machine, { spec: { bootstrap: { configRef: null } } }), {
      world: { ...runningWorld, settings, objects: [] },
    });
    expect(alone.writes).toHaveLength(1);
  });

  it('keeps other pending hooks', async () => {
    const hooks = { 'runtime.cluster.x-k8s.io/pending-hooks': 'Other,UpdateMachine' };
    const pass = await update(annotatedWith(await aRunningMachine(), hooks), { world: { ...runningWorld, settings } });
    expect(pass.machine.metadata.annotations).toEqual({ 'runtime.cluster.x-k8s.io/pending-hooks': 'Other' });
  });

  it.each([
    {
      bootstrap: bootstrapOk().annotated(mark),
      infrastructure: infraOk(),
      reason: 'the infrastructure machine (scenario 116)',
    },
    { bootstrap: bootstrapOk(), infrastructure: infraOk().annotated(mark), reason: 'the bootstrap config' },
  ])('waits for the mark of $reason', async ({ bootstrap, infrastructure }) => {
    const pass = await update(await anUpdatedMachine(), {
      answer: says(30),
      world: { ...marked, objects: [bootstrap, infrastructure] },
    });
    expect(pass.hooks.calls).toEqual([]);
    expect(pass.condition('Updating')).toBe(progressing);
    expect(pass.result).toBe('done');
  });

  it('is impossible without infrastructure machine (scenario 117)', async () => {
    const pass = await update(await anUpdatedMachine(), {
      world: { ...marked, objects: [bootstrapOk().annotated(mark)] },
    });
    expect(pass.result).toBe(
      '[could not find FooMachine ns/i1 for Machine ns/m1, in-place update failed: InfraMachine not found]',
    );
    expect(pass.condition('Updating')).toBe(
      'True/InPlaceUpdateFailed In-place update not possible: InfraMachine not found',
    );
  });

  it.each([
    { names: [], error: 'no extensions registered for UpdateMachine hook' },
    {
      names: ['e1', 'e2'],
      error: 'found multiple UpdateMachine hooks (update.e1,update.e2): only one hook is supported',
    },
  ])('needs exactly one extension: $error (scenario 118)', async ({ names, error }) => {
    const pass = await update(await anUpdatedMachine(), { names });
    expect(pass.result).toBe(`in-place update failed: ${error}`);
    expect(pass.condition('Updating')).toBe(
      'True/InPlaceUpdateFailed UpdateMachine hook failed: please check controller logs for errors',
    );
  });

  it('a failure of the extension is in the error only (scenario 119)', async () => {
    const pass = await update(await anUpdatedMachine(), { answer: { status: 500, text: 'secret detail' } });
    expect(pass.result).toMatch(/^in-place update failed: /);
    expect(pass.condition('Updating')).toBe(
      'True/InPlaceUpdateFailed UpdateMachine hook failed: please check controller logs for errors',
    );
  });

  it('extensions that cannot be listed are an error', async () => {
    const readFaults = [{ at: 'list ExtensionConfig ', message: 'boom' }];
    const pass = await reconcileOnce(await anUpdatedMachine(), { ...marked, readFaults });
    expect(pass.result).toBe('in-place update failed: failed to list ExtensionConfigs: boom');
  });

  it.each([
    { status: { nodeRef: null }, reason: 'without Node (scenario 120)' },
    { status: { initialization: { bootstrapDataSecretCreated: null } }, reason: 'without bootstrap data' },
    { status: { initialization: { infrastructureProvisioned: null } }, reason: 'without infrastructure' },
  ])('does not start $reason', async ({ status }) => {
    const machine = changed(await anUpdatedMachine(), { status });
    const pass = await update(machine, { answer: says(30), world: { ...marked, workload: [] } });
    expect(pass.hooks.calls).toEqual([]);
    expect(pass.condition('Updating')).toBe(progressing);
  });

  it('does not go on while the Machine is being deleted (scenario 121)', async () => {
    const machine = annotatedWith(await aDeletedMachine(), { ...mark, ...pendingHook });
    const world = { ...marked, workload: deletingWorld.workload ?? [] };
    const pass = await update(machine, { answer: says(30), world });
    expect(pass.hooks.calls).toEqual([]);
    expect(pass.writes).toEqual(['delete FooMachine ns/i1']);
    expect(pass.condition('Ready')).toBe(
      'False/NotReady * Deleting: Machine deletion in progress, stage: WaitingForInfrastructureDeletion\n' +
        '* Updating: In-place update in progress',
    );
    expect(pass.status['phase']).toBe('Deleting');
  });

  it('is not called while the bootstrap config cannot be read (scenario 122)', async () => {
    const readFaults = [{ at: 'get FooConfig ns/b1', message: 'boom' }];
    const pass = await update(await anUpdatedMachine(), { answer: says(30), world: { ...marked, readFaults } });
    expect(pass.hooks.calls).toEqual([]);
    expect(pass.result).toBe('failed to retrieve FooConfig ns/b1: boom');
  });

  it('needs the feature gate', async () => {
    const world = { ...marked, settings: { updatesInPlace: false } };
    const pass = await update(await anUpdatedMachine(), { answer: says(30), world });
    expect(pass.hooks.calls).toEqual([]);
    expect(pass.condition('Updating')).toBe(progressing);
  });

  it('sends no bootstrap config if the Machine has none', async () => {
    const machine = readWholeMachine(await anUpdatedMachine());
    const object = infraOk().annotated(mark).build();
    const infrastructure = {
      state: 'inScope',
      object,
      ref: machine.spec.infrastructureRef,
      contract: 'v1beta2',
    } as const;
    const scope = { machine, infrastructure, bootstrap: { state: 'undefined' } as const, settings, now };
    const { asked } = answerFrom(planUpdate(scope), {
      updateHandlers: () => valid(['update.ext1']),
      updateMachine: () => valid({ status: 'Success', message: '', retryAfterSeconds: 0 }),
    });
    expect(asked.map(({ ask }) => ask)).toEqual(['updateHandlers', 'updateMachine']);
    expect(Object.keys(Object(fieldsOf(asked[1]?.about)['desired']))).toEqual(['machine', 'infrastructureMachine']);
  });
});
