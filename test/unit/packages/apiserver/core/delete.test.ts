import { describe, expect, it } from 'vitest';
import { at, aWidget, aWorld, namespace, refusalOf } from './core-with-widgets.ts';

describe('deleting an object', () => {
  it('removes it at once without finalizers, and uses a resourceVersion', () => {
    const { core, widgets } = aWorld();
    const created = core.create(widgets, namespace, aWidget('w'));
    const before = core.resourceVersion();
    expect(core.delete(at(widgets, 'w'))).toEqual({ gone: true, object: created });
    expect(Number(core.resourceVersion())).toBe(Number(before) + 1);
    expect(refusalOf(() => core.delete(at(widgets, 'w'))).code).toBe(404);
  });

  it('marks it once when it has a finalizer', () => {
    const { core, widgets, clock } = aWorld();
    core.create(widgets, namespace, aWidget('w', { metadata: { finalizers: ['a.b/c'] } }));
    const first = core.delete(at(widgets, 'w'));
    expect(first).toMatchObject({
      gone: false,
      object: { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0, generation: 2 } },
    });
    void clock.advance(5000);
    expect(core.delete(at(widgets, 'w')).object).toBe(first.object);
  });

  it.each([
    { reason: 'uid', options: { uid: 'other' }, message: /UID in the precondition \(other\)/ },
    { reason: 'version', options: { resourceVersion: '1' }, message: /ResourceVersion in the precondition \(1\)/ },
  ])('does not change an object of another $reason', ({ options, message }) => {
    const { core, widgets } = aWorld();
    const created = core.create(widgets, namespace, aWidget('w'));
    expect(refusalOf(() => core.delete(at(widgets, 'w'), options))).toMatchObject({
      code: 409,
      message: expect.stringMatching(message),
      details: { kind: 'Widget' },
    });
    expect(core.get(at(widgets, 'w'))).toBe(created);
  });

  it.each([
    { had: 'orphan', propagationPolicy: 'Foreground', kept: ['foregroundDeletion'] },
    { had: 'orphan', propagationPolicy: 'Orphan', kept: ['orphan'] },
    { had: 'orphan', propagationPolicy: 'Background', kept: [] },
    { had: 'orphan', propagationPolicy: undefined, kept: ['orphan'] },
    { had: 'foregroundDeletion', propagationPolicy: 'Foreground', kept: ['foregroundDeletion'] },
    { had: 'foregroundDeletion', propagationPolicy: 'Orphan', kept: ['orphan'] },
    { had: 'foregroundDeletion', propagationPolicy: 'Background', kept: [] },
    { had: 'foregroundDeletion', propagationPolicy: undefined, kept: ['foregroundDeletion'] },
  ] as const)(
    'replaces finalizer $had as the policy $propagationPolicy requires',
    ({ had, propagationPolicy, kept }) => {
      const { core, widgets } = aWorld();
      core.create(widgets, namespace, aWidget('w', { metadata: { finalizers: ['a.b/c', had] } }));
      const options = propagationPolicy === undefined ? {} : { propagationPolicy };
      expect(core.delete(at(widgets, 'w'), options).object.metadata.finalizers).toEqual(['a.b/c', ...kept]);
    },
  );
});
