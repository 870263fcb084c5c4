import { describe, expect, it } from 'vitest';
import { decideInPlace } from '../../../../../functions/machinedeployment/plan/in-place/can-update.ts';
import { toRequest } from '../../../../../functions/machinedeployment/plan/in-place/set-objects.ts';
import { setObjects } from './set-objects.ts';

const none = { patchType: '', patch: '' };
const toNew = (field: string, value = 'new') => ({
  patchType: 'JSONPatch',
  patch: JSON.stringify([{ op: 'replace', path: `/spec/template/spec/${field}`, value }]),
});
const old = { version: 'v1.30.0', hello: 'old' };
const wanted = { version: 'v1.31.0', hello: 'new' };
const failed = 'failed to apply patches from extension a.x to the CanUpdateMachineSet request';

const path = (field: string) => `spec.template.spec.${field}`;
const refusal = (kind: string, fields: string) => `${kind} cannot be updated in-place: ${fields} would differ`;

interface Case {
  readonly reason: string;
  readonly old?: Parameters<typeof setObjects>[1];
  readonly wanted?: Parameters<typeof setObjects>[1];
  readonly set?: typeof none;
  readonly bootstrap?: typeof none;
  readonly infrastructure?: typeof none;
  readonly answer: object;
}

const cases: readonly Case[] = [
  {
    reason: 'all three patches make the objects equal',
    old,
    wanted,
    set: toNew('version', 'v1.31.0'),
    bootstrap: toNew('hello'),
    infrastructure: toNew('hello'),
    answer: { state: 'yes' },
  },
  {
    reason: 'the infrastructure template alone is patched',
    old,
    wanted,
    infrastructure: toNew('hello'),
    answer: {
      state: 'no',
      reasons: [refusal('MachineSet', path('version')), refusal('FooConfigTemplate', path('hello'))],
    },
  },
  {
    reason: 'only names, labels and taints differ',
    set: { patchType: 'JSONPatch', patch: '[]' },
    bootstrap: { patchType: 'JSONMergePatch', patch: '' },
    infrastructure: { patchType: 'JSONMergePatch', patch: '{}' },
    answer: { state: 'yes' },
  },
  {
    reason: 'a patch changes other fields than the template',
    set: { patchType: 'JSONMergePatch', patch: '{"status":{"replicas":1},"spec":{"replicas":9}}' },
    answer: { state: 'yes' },
  },
  {
    reason: 'a patch has no type',
    set: { patchType: '', patch: '[]' },
    answer: { state: 'failed', problem: `${failed}: failed to apply patch: patchType is not set` },
  },
  {
    reason: 'several patches fail: the MachineSet is first, then bootstrap',
    bootstrap: { patchType: 'b', patch: '' },
    infrastructure: { patchType: 'i', patch: '' },
    answer: { state: 'failed', problem: `${failed}: failed to apply patch: unknown patchType b` },
  },
  {
    reason: 'there is no bootstrap template, and the answer patches one',
    old: { hasBootstrap: false },
    wanted: { hasBootstrap: false },
    bootstrap: { patchType: 'b', patch: '' },
    answer: { state: 'yes' },
  },
  {
    reason: 'the failure domain differs',
    wanted: { failureDomain: 'b' },
    answer: { state: 'no', reasons: [refusal('MachineSet', path('failureDomain'))] },
  },
  {
    reason: 'a template gets two other fields',
    infrastructure: { patchType: 'JSONMergePatch', patch: '{"spec":{"template":{"spec":{"b":1,"a":1}}}}' },
    answer: { state: 'no', reasons: [refusal('FooMachineTemplate', `${path('a')}, ${path('b')}`)] },
  },
  {
    reason: 'a template loses a field',
    infrastructure: { patchType: 'JSONMergePatch', patch: '{"spec":{"template":{"spec":{"hello":null}}}}' },
    answer: { state: 'no', reasons: [refusal('FooMachineTemplate', path('hello'))] },
  },
];

describe('the answer of an extension about an update in place', () => {
  it.each(cases)('is $answer if $reason', given => {
    const request = toRequest({ current: setObjects(1, given.old), desired: setObjects(2, given.wanted) });
    const response = {
      machineSetPatch: given.set ?? none,
      bootstrapConfigTemplatePatch: given.bootstrap ?? none,
      infrastructureMachineTemplatePatch: given.infrastructure ?? none,
    };
    expect(decideInPlace({ request, response, handler: 'a.x' })).toEqual(given.answer);
  });

  it('is no if a template has another form', () => {
    const patch = JSON.stringify([{ op: 'replace', path: '/spec/template/spec', value: 'text' }]);
    const desired = setObjects(2);
    const { infrastructure } = desired;
    const request = toRequest({
      current: setObjects(1),
      desired: { ...desired, infrastructure: { ...infrastructure, spec: { template: { spec: {} } } } },
    });
    const response = {
      machineSetPatch: none,
      bootstrapConfigTemplatePatch: none,
      infrastructureMachineTemplatePatch: { patchType: 'JSONPatch', patch },
    };
    expect(decideInPlace({ request, response, handler: 'a.x' })).toEqual({
      state: 'no',
      reasons: [refusal('FooMachineTemplate', 'spec.template.spec')],
    });
  });
});
