// The patches of a class, with the answers of extensions from a table.
import { type Checked, invalid, WorkMeter } from '@capi-serverless/apimachinery';
import { expect, it } from 'vitest';
import { computeDesired } from '../../../../../../functions/topology/plan/desired/compute.ts';
import { patchDesired } from '../../../../../../functions/topology/plan/patches/class-patches.ts';
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
