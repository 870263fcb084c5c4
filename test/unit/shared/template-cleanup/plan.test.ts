import { addFinalizerId, removeFinalizerId } from '@capi-serverless/reconciler';
import { expect, it } from 'vitest';
import { deleteId, plan } from '../../../../shared/template-cleanup/plan.ts';
import type { Dependent } from '../../../../shared/template-cleanup/seen.ts';
import { aMachineTemplate, anOwnedDeployment } from '../../../support/topology-workers.ts';

const finalizer = 'example.com/ours';
const theirs = 'example.com/theirs';
const object = anOwnedDeployment().atResourceVersion('7');

const ref = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineDeployment', namespace: 'ns', name: 'md1' };
const template: Dependent = { ref: { ...aMachineTemplate('md1-infra').build(), name: 'md1-infra' }, uid: 'u1' };
const check: Dependent = { ref: { ...ref, kind: 'MachineHealthCheck' }, uid: 'u2' };

const patched = (finalizers: readonly string[]) => ({
  onError: 'stop',
  do: 'patch',
  ref,
  body: { metadata: { finalizers } },
  resourceVersion: '7',
  allows: expect.any(Function),
});

const deleted = (dependent: Dependent) => ({
  id: deleteId(dependent),
  onError: 'stop',
  do: 'delete',
  ref: dependent.ref,
  uid: dependent.uid,
});

it.each([
  { present: [], finalizers: [finalizer], reason: 'without finalizers' },
  { present: [theirs], finalizers: [theirs, finalizer], reason: 'with the finalizer of another controller' },
])('adds the finalizer to an object $reason, locked on the version that was read', ({ present, finalizers }) => {
  const of = present.length === 0 ? object : object.withFinalizers(...present);
  expect(plan({ step: 'addFinalizer', object: of.build(), finalizer }).actions).toEqual([
    { id: addFinalizerId, ...patched(finalizers) },
  ]);
});

it('deletes the dependents in order and by uid, and removes the finalizer last', () => {
  const of = object.withFinalizers(theirs, finalizer, 'example.com/others').build();
  expect(
    plan({ step: 'cleanUp', object: of, finalizer, dependents: { ok: true, value: [template, check] } }).actions,
  ).toEqual([deleted(template), deleted(check), { id: removeFinalizerId, ...patched([theirs, 'example.com/others']) }]);
});

it('gives the deletions of two objects of one name different ids', () => {
  expect(deleteId(template)).not.toBe(deleteId({ ...template, uid: 'u3' }));
});

it('writes nothing while the dependents are unknown', () => {
  const of = object.withFinalizers(finalizer).build();
  expect(plan({ step: 'cleanUp', object: of, finalizer, dependents: { ok: false, error: 'boom' } }).actions).toEqual(
    [],
  );
});
