import { expect, it } from 'vitest';
import { planPasted } from '../../../../cli/ui/plan-text.ts';

it.each([
  { text: 'a: [', message: /pasted\.yaml/, reason: 'no YAML' },
  { text: '', message: /./, reason: 'nothing' },
])('a plan of $reason is an error in words, without a path of this machine', async ({ text, message }) => {
  const printed = await planPasted({ text, reconciler: 'topology' }, '/nowhere/kubeconfig');
  expect(printed).toMatch(message);
  expect(printed).not.toContain('capi-plan-');
});
