// The patches of a class, with the answers of extensions from a table.
import { type Checked, invalid, WorkMeter } from '@capi-serverless/apimachinery';
import { expect, it } from 'vitest';
import { computeDesired } from '../../../../../../functions/topology/plan/desired/compute.ts';
import {
  type PatchKind,
  patchDesired,
  patchProblems,
  toPatchKind,
  validatorOf,
} from '../../../../../../functions/topology/plan/patches/class-patches.ts';
import { readClassSpec } from '../../../../../../shared/api/cluster-class/class-spec.ts';
import { answerFrom } from '../../../../../support/answered-plan.ts';
import { aDesiredInput } from '../desired/desired-input.ts';

const { blueprint, ...input } = aDesiredInput({
  ofClass: {
    spec: { patches: [{ name: 'p1', external: { generatePatchesExtension: 'h.ext1', settings: { a: 'b' } } }] },
  },
});
const desired = computeDesired({ blueprint, ...input });

function patch(answer: Checked<never>, meter?: WorkMeter) {
  if (!desired.ok) {
    throw new Error(desired.error);
  }
  const patching = { blueprint, desired: desired.value, runtimeSdk: true };
  const { result, asked } = answerFrom(patchDesired(patching, meter), { generatePatches: () => answer });
  return { result, asked: asked.map(({ ask, about: { handler, settings } }) => ({ ask, handler, settings })) };
}

it('are asked from the handler of the patch, with its settings', () => {
  expect(patch(invalid('down'))).toEqual({
    result: invalid(expect.stringMatching(/p1.*: down$/)),
    asked: [{ ask: 'generatePatches', handler: 'h.ext1', settings: { a: 'b' } }],
  });
});

it('are not asked if the templates exceed the limit of work', () => {
  const meter = new WorkMeter({ units: 1, what: 'templates', remedy: 'use fewer' });
  expect(patch(invalid('down'), meter)).toEqual({
    result: invalid(expect.stringMatching(/^failed to generate patch request: /)),
    asked: [],
  });
});

const definitions = [{ selector: { apiVersion: 'v1', kind: 'K', matchResources: {} }, jsonPatches: [] }];
const generator = { generatePatchesExtension: 'generate.ext' };
const validator = { validateTopologyExtension: 'validate.ext' };

function aPatch(fields: Readonly<Record<string, unknown>>) {
  const [patch] = readClassSpec({ patches: [{ name: 'p', ...fields }] }).patches;
  if (patch === undefined) {
    throw new Error('Expected a patch');
  }
  return patch;
}

const disabled = 'can not use external patch "p" if RuntimeSDK feature flag is disabled';
const both = { ...generator, ...validator };

it.each<{ reason: string; fields: Readonly<Record<string, unknown>>; on: PatchKind; off: PatchKind }>([
  {
    reason: 'nothing',
    fields: {},
    on: { kind: 'refused', problem: 'failed to create patch generator for patch "p"' },
    off: { kind: 'refused', problem: 'failed to create patch generator for patch "p"' },
  },
  { reason: 'definitions', fields: { definitions }, on: { kind: 'inline' }, off: { kind: 'inline' } },
  {
    reason: 'a generator',
    fields: { external: generator },
    on: { kind: 'external', handler: 'generate.ext' },
    off: { kind: 'refused', problem: disabled },
  },
  {
    reason: 'a validator',
    fields: { external: validator },
    on: { kind: 'none' },
    off: { kind: 'refused', problem: disabled },
  },
  {
    reason: 'both',
    fields: { external: both },
    on: { kind: 'external', handler: 'generate.ext' },
    off: { kind: 'refused', problem: disabled },
  },
  {
    reason: 'definitions before a generator',
    fields: { definitions, external: generator },
    on: { kind: 'inline' },
    off: { kind: 'inline' },
  },
  {
    reason: 'definitions and a validator',
    fields: { definitions, external: validator },
    on: { kind: 'inline' },
    off: { kind: 'refused', problem: disabled },
  },
])('derives the kind of a patch from its fields: $reason', ({ fields, on, off }) => {
  expect(toPatchKind(aPatch(fields), true)).toEqual(on);
  expect(toPatchKind(aPatch(fields), false)).toEqual(off);
});

it('finds the validator of a patch', () => {
  expect(validatorOf(aPatch({ external: validator }))).toBe('validate.ext');
  expect(validatorOf(aPatch({ external: generator }))).toBeUndefined();
  expect(validatorOf(aPatch({ definitions }))).toBeUndefined();
});

it('words failures as Cluster API does', () => {
  const patch = aPatch({ definitions });
  expect(patchProblems.generate(patch, 'x')).toBe('failed to generate patches for patch "p": x');
  expect(patchProblems.apply(patch, 'x')).toBe('failed to apply patches for patch "p": x');
  expect(patchProblems.validate(patch, 'x')).toBe('validation of patch "p" failed: x');
});
