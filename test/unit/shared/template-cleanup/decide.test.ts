import { expect, it } from 'vitest';
import { decide, deleteId, holdId, releaseId } from '../../../../shared/template-cleanup/decide.ts';
import type { Doomed } from '../../../../shared/template-cleanup/seen.ts';
import { aMachineTemplate, anOwnedDeployment } from '../../../support/topology-workers.ts';

const finalizer = 'example.com/ours';
const theirs = 'example.com/theirs';
const object = anOwnedDeployment().atResourceVersion('7');

const ref = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineDeployment', namespace: 'ns', name: 'md1' };
const template: Doomed = { ref: { ...aMachineTemplate('md1-infra').build(), name: 'md1-infra' }, uid: 'u1' };
const check: Doomed = { ref: { ...ref, kind: 'MachineHealthCheck' }, uid: 'u2' };

const patched = (finalizers: readonly string[]) => ({
  onError: 'stop',
  do: 'patch',
  ref,
  body: { metadata: { finalizers } },
  resourceVersion: '7',
});

const deleted = (doomed: Doomed) => ({
  id: deleteId(doomed),
  onError: 'stop',
  do: 'delete',
  ref: doomed.ref,
  uid: doomed.uid,
});

it.each([
  { held: [], finalizers: [finalizer], reason: 'by nobody yet' },
  { held: [theirs], finalizers: [theirs, finalizer], reason: 'by somebody else' },
])('holds an object that is held $reason, on the version that was read', ({ held, finalizers }) => {
  const of = held.length === 0 ? object : object.withFinalizers(...held);
  expect(decide({ step: 'hold', object: of.build(), finalizer })).toEqual([{ id: holdId, ...patched(finalizers) }]);
});

it('deletes what goes with it, in order and by uid, and lets go last', () => {
  const of = object.withFinalizers(theirs, finalizer, 'example.com/others').build();
  expect(decide({ step: 'release', object: of, finalizer, doomed: { ok: true, value: [template, check] } })).toEqual([
    deleted(template),
    deleted(check),
    { id: releaseId, ...patched([theirs, 'example.com/others']) },
  ]);
});

it('tells the deletions of two objects of one name apart', () => {
  expect(deleteId(template)).not.toBe(deleteId({ ...template, uid: 'u3' }));
});

it('does nothing while it is not known what goes with it', () => {
  const of = object.withFinalizers(finalizer).build();
  expect(decide({ step: 'release', object: of, finalizer, doomed: { ok: false, error: 'boom' } })).toEqual([]);
});
