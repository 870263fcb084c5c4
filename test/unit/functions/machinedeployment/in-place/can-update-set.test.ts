import type { Unstructured } from '@capi-serverless/apimachinery';
import { answerQuestions } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { inPlaceAnswers } from '../../../../../functions/machinedeployment/observe/can-update-set.ts';
import { canUpdateSet, type SetPair } from '../../../../../functions/machinedeployment/plan/in-place/can-update-set.ts';
import type { SetObjects } from '../../../../../functions/machinedeployment/plan/in-place/set-objects.ts';
import { anExtensionConfig } from '../../../../support/extension-config.ts';
import { type FakeHandler, type FakeHooks, fakeHooks } from '../../../../support/fake-hooks.ts';
import { fakeReads, type ReadFault } from '../../../../support/fake-reads.ts';
import { ObjectBuilder, testStart } from '../../../../support/object-builder.ts';
import { aSetIntent, aTemplate, bootstrapGroup, infrastructureGroup, setObjects, specOf } from './set-objects.ts';

const hooksVersion = 'hooks.runtime.cluster.x-k8s.io/v1alpha1';
const url = 'https://ext1.example:8443';

function aDefinition(plural: string, group: string) {
  return new ObjectBuilder({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    name: `${plural}.${group}`,
  })
    .clusterScoped()
    .labelled({ 'cluster.x-k8s.io/v1beta2': 'v1beta2' });
}

const definitions = [
  aDefinition('foomachinetemplates', infrastructureGroup),
  aDefinition('fooconfigtemplates', bootstrapGroup),
];

function extension(...handlers: readonly string[]): Unstructured {
  return anExtensionConfig()
    .withCondition('Discovered', { observedGeneration: 1 })
    .withStatus({
      handlers: handlers.map(name => ({
        name,
        requestHook: { apiVersion: hooksVersion, hook: 'CanUpdateMachineSet' },
        timeoutSeconds: 5,
        failurePolicy: 'Fail',
      })),
    })
    .build();
}

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
const response = (fields: object): FakeHandler => ({
  body: { apiVersion: hooksVersion, kind: 'CanUpdateMachineSetResponse', status: 'Success', message: '', ...fields },
});

const setVersion = {
  machineSetPatch: {
    patchType: 'JSONPatch',
    patch: encoded([{ op: 'replace', path: '/spec/template/spec/version', value: 'v1.31.0' }]),
  },
};

const old = setObjects(1, { version: 'v1.30.0' });
const desired = setObjects(2);

interface World {
  readonly objects?: readonly Unstructured[];
  readonly handlers?: readonly string[];
  readonly answer?: FakeHandler;
  readonly hooks?: FakeHooks;
  readonly faults?: readonly ReadFault[];
}

const templates = [1, 2].flatMap(number => [
  aTemplate('FooMachineTemplate', `it${number}`, { hello: 'same' }),
  aTemplate('FooConfigTemplate', `bt${number}`, { hello: 'same' }),
]);

function questions({ objects = templates, handlers = ['can.ext1'], answer, hooks = fakeHooks(), faults }: World = {}) {
  hooks.answer(url, 'canupdatemachineset/can', answer ?? response(setVersion));
  const reads = fakeReads([...definitions, ...objects, extension(...handlers)], faults);
  const pass = { number: 1, now: testStart, signal: new AbortController().signal };
  const answers = inPlaceAnswers({ ...reads, hooks }, pass);
  return { reads, hooks, ask: (pair: SetPair) => answerQuestions(canUpdateSet(pair), answers) };
}

const about = (current: SetObjects, to: SetObjects = desired) => ({ current: current.set, desired: to.set });
const failed = (problem: string) => ({ state: 'failed', problem });

describe('the question whether a MachineSet can be updated in place', () => {
  it('is answered by the extension', async () => {
    const { ask, hooks } = questions();
    expect(await ask(about(old))).toEqual({ state: 'yes' });
    expect(hooks.calls.map(({ hook }) => hook)).toEqual(['CanUpdateMachineSet']);
    expect(hooks.calls[0]?.body).toMatchObject({
      current: { machineSet: { metadata: { name: 'ms1' } }, bootstrapConfigTemplate: { metadata: { name: 'bt1' } } },
      desired: {
        machineSet: { metadata: { name: 'ms2' } },
        infrastructureMachineTemplate: { kind: 'FooMachineTemplate' },
      },
    });
  });

  it('is answered with no if the patches do not suffice', async () => {
    expect(await questions({ answer: response({}) }).ask(about(old))).toEqual({
      state: 'no',
      reasons: ['MachineSet cannot be updated in-place: spec.template.spec.version would differ'],
    });
  });

  it('is asked once in ten minutes', async () => {
    const hooks = fakeHooks();
    await questions({ hooks }).ask(about(old));
    expect(await questions({ hooks }).ask(about(old))).toEqual({ state: 'yes' });
    expect(hooks.calls).toHaveLength(1);
    await questions({ hooks }).ask(about(old, { ...desired, set: aSetIntent('ms9', specOf(desired.set)) }));
    expect(hooks.calls).toHaveLength(2);
  });

  it('is asked again after a failure', async () => {
    const hooks = fakeHooks();
    const answer = { status: 500, text: 'boom' };
    const problem = `got response with status code 500 != 200: response : "boom"`;
    expect(await questions({ hooks, answer }).ask(about(old))).toEqual(
      failed(`failed to call extension handler "can.ext1": http call failed: ${problem}`),
    );
    expect(await questions({ hooks }).ask(about(old))).toEqual({ state: 'yes' });
  });

  it('reads each template once', async () => {
    const { ask, reads } = questions();
    await Promise.all([ask(about(old)), ask(about({ ...old, set: aSetIntent('ms3', specOf(old.set)) }))]);
    const gets = reads.trips.flat().filter(line => line.startsWith('get '));
    expect(gets.toSorted()).toEqual([
      'get FooConfigTemplate ns/bt1',
      'get FooConfigTemplate ns/bt2',
      'get FooMachineTemplate ns/it1',
      'get FooMachineTemplate ns/it2',
    ]);
  });

  it('is not asked without extension', async () => {
    expect(await questions({ handlers: [] }).ask(about(old))).toEqual({
      state: 'no',
      reasons: ['no extension has the hook CanUpdateMachineSet'],
    });
  });

  it.each([
    { reason: 'the desired one', current: setObjects(1, { hasBootstrap: false }), to: desired },
    { reason: 'the old one', current: old, to: setObjects(2, { hasBootstrap: false }) },
  ])('is not asked if only $reason has a bootstrap template', async ({ current, to }) => {
    const { ask, hooks } = questions({ handlers: ['a.x', 'b.x'] });
    expect(await ask(about(current, to))).toEqual({
      state: 'no',
      reasons: ['only one of the MachineSets has a bootstrap template'],
    });
    expect(hooks.calls).toEqual([]);
  });

  it('works without bootstrap templates', async () => {
    const from = setObjects(1, { version: 'v1.30.0', hasBootstrap: false });
    const answer = await questions().ask(about(from, setObjects(2, { hasBootstrap: false })));
    expect(answer).toEqual({ state: 'yes' });
  });

  it.each([
    {
      reason: 'two extensions match',
      world: { handlers: ['a.x', 'b.x'] },
      problem: 'found multiple CanUpdateMachineSet hooks (a.x,b.x): only one hook is supported',
    },
    {
      reason: 'ExtensionConfigs cannot be read',
      world: { faults: [{ at: 'list ExtensionConfig ', message: 'boom' }] },
      problem: 'failed to list ExtensionConfigs: boom',
    },
    {
      reason: 'the old infrastructure template is missing',
      world: { objects: templates.filter(({ metadata }) => metadata.name !== 'it1') },
      problem:
        'failed to get FooMachineTemplate from MachineSet ms1: failed to retrieve FooMachineTemplate ns/it1: foomachinetemplates.infrastructure.cluster.x-k8s.io "it1" not found',
    },
    {
      reason: 'several templates are missing, infrastructure is first',
      world: { objects: templates.filter(({ metadata }) => metadata.name === 'it1') },
      problem:
        'failed to get FooMachineTemplate from MachineSet ms2: failed to retrieve FooMachineTemplate ns/it2: foomachinetemplates.infrastructure.cluster.x-k8s.io "it2" not found',
    },
    {
      reason: 'a bootstrap template cannot be read',
      world: { faults: [{ at: 'get FooConfigTemplate ns/bt1', message: 'boom' }] },
      problem: 'failed to get FooConfigTemplate from MachineSet ms1: failed to retrieve FooConfigTemplate ns/bt1: boom',
    },
  ])('fails if $reason', async ({ world, problem }) => {
    expect(await questions(world).ask(about(old))).toEqual(failed(problem));
  });

  it('fails if a MachineSet has no infrastructure template', async () => {
    const { ask } = questions();
    expect(await ask({ current: aSetIntent('ms1', {}), desired: desired.set })).toEqual(
      failed(
        'failed to get InfrastructureMachineTemplate from MachineSet ms1: cannot get object - object reference not set',
      ),
    );
  });

  it('fails if the bootstrap template has no kind', async () => {
    const { ask } = questions();
    const bootstrap = { configRef: { apiGroup: bootstrapGroup, name: 'bt1' } };
    const answer = await ask({ ...about(old), current: aSetIntent('ms1', { ...specOf(old.set), bootstrap }) });
    expect(answer).toMatchObject({
      state: 'failed',
      problem: expect.stringContaining('failed to get BootstrapConfigTemplate from MachineSet ms1: '),
    });
  });
});
