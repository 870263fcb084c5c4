import { toRef } from '@capi-serverless/apimachinery';
import { type Action, addFinalizerId, blocked, removeFinalizerId } from '@capi-serverless/reconciler';
import { expect, it } from 'vitest';
import { plan } from '../../../../shared/template-cleanup/plan.ts';
import { whyOfCleanup } from '../../../../shared/template-cleanup/plan-reasons.ts';
import { aMachineSet } from '../../../support/builders.ts';

const object = aMachineSet().build();
const ref = toRef(object);
const patch = { onError: 'stop', do: 'patch', ref, body: {} } as const;

const cases: readonly { readonly action: Action; readonly why: string | undefined }[] = [
  {
    action: { id: addFinalizerId, ...patch },
    why: 'the finalizer f is missing: without it, the MachineSet could be deleted before its templates',
  },
  {
    action: { id: removeFinalizerId, ...patch },
    why: 'it is being deleted, and its dependent objects are deleted',
  },
  {
    action: { id: 'delete', onError: 'stop', do: 'delete', ref, uid: 'u' },
    why: 'the MachineSet is being deleted, and no other object uses it',
  },
  { action: { id: 'unknown', ...patch }, why: undefined },
];

it.each(cases)('explains the action $action.id: $why', ({ action, why }) => {
  const seen = plan({ step: 'addFinalizer', object, finalizer: 'f' });
  expect(whyOfCleanup({ action, write: undefined, changedPaths: [], seen })).toBe(why);
});

it('explains nothing in a pass that ends early', () => {
  const action: Action = { id: removeFinalizerId, onError: 'stop', do: 'patch', ref, body: {} };
  expect(whyOfCleanup({ action, write: undefined, changedPaths: [], seen: blocked('e') })).toBeUndefined();
});
