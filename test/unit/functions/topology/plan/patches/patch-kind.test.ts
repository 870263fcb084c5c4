// The kind of a patch, and the handler that validates its result.
import { expect, it } from 'vitest';
import {
  type PatchKind,
  patchProblems,
  toPatchKind,
  validatorOf,
} from '../../../../../../functions/topology/plan/patches/patch-kind.ts';
import { readClassSpec } from '../../../../../../shared/api/cluster-class/class-spec.ts';

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
