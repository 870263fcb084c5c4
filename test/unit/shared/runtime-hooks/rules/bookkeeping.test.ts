import { describe, expect, it } from 'vitest';
import { noChange, withChange } from '../../../../../shared/runtime-hooks/rules/annotations.ts';
import {
  isOkToDelete,
  markOkToDelete,
  okToDeleteAnnotation,
} from '../../../../../shared/runtime-hooks/rules/ok-to-delete.ts';
import {
  isPending,
  markDone,
  markPending,
  pendingHooksAnnotation,
} from '../../../../../shared/runtime-hooks/rules/pending-hooks.ts';

const named = (...names: readonly string[]) => names.map(name => ({ name }));
const pending = (value: string) => ({ [pendingHooksAnnotation]: value });

it('annotations have the names that clusterctl and admission webhooks read', () => {
  expect([pendingHooksAnnotation, okToDeleteAnnotation]).toEqual([
    'runtime.cluster.x-k8s.io/pending-hooks',
    'runtime.cluster.x-k8s.io/ok-to-delete',
  ]);
});

describe('pending hooks', () => {
  it('are marked in the order of their names, in addition to those that are already marked', () => {
    const hooks = named('AfterControlPlaneUpgrade', 'BeforeWorkersUpgrade');
    expect(markPending(pending('AfterClusterUpgrade'), hooks)).toEqual(
      pending('AfterClusterUpgrade,AfterControlPlaneUpgrade,BeforeWorkersUpgrade'),
    );
  });

  it('leave no annotation behind, and are not unmarked twice', () => {
    const change = markDone(pending('AfterClusterUpgrade'), { name: 'AfterClusterUpgrade' });
    expect(change).toEqual({ [pendingHooksAnnotation]: null });
    const after = withChange({ ...pending('AfterClusterUpgrade'), other: 'x' }, change);
    expect(after).toEqual({ other: 'x' });
    expect(markDone(after, { name: 'AfterClusterUpgrade' })).toEqual(noChange);
  });

  it.each([
    { before: '', marked: named('B'), after: 'B', reason: 'the first' },
    { before: 'Z,unknown', marked: named('A'), after: 'A,Z,unknown', reason: 'unknown names are kept' },
    { before: 'A,A', marked: named('B'), after: 'A,B', reason: 'none twice' },
    { before: 'A, B', marked: named('B'), after: ' B,A,B', reason: 'nothing is trimmed' },
    { before: 'a', marked: named('B'), after: 'B,a', reason: 'by bytes' },
  ])('$before with more is $after ($reason)', ({ before, marked, after }) => {
    expect(markPending(pending(before), marked)).toEqual(pending(after));
  });

  it('cause no write if they are already marked', () => {
    expect(markPending(pending('B,A'), named('A', 'B'))).toEqual(noChange);
    expect(markPending({}, [])).toEqual(noChange);
  });

  it('remain when another one is done', () => {
    expect(markDone(pending('A,B,C'), { name: 'B' })).toEqual(pending('A,C'));
  });

  it.each([
    { value: 'A,B', hook: 'B', is: true },
    { value: 'A, B', hook: 'B', is: false },
    { value: 'AB', hook: 'A', is: false },
    { value: '', hook: '', is: false },
  ])('are matched by their whole name: $hook in "$value" is $is', ({ value, hook, is }) => {
    expect(isPending(pending(value), { name: hook })).toBe(is);
  });
});

describe('a Cluster that may be deleted', () => {
  it('may be deleted with any value of the annotation', () => {
    expect(['', 'false', 'true'].map(value => isOkToDelete({ [okToDeleteAnnotation]: value }))).toEqual([
      true,
      true,
      true,
    ]);
    expect(isOkToDelete({})).toBe(false);
  });

  it('is marked once', () => {
    expect(markOkToDelete({})).toEqual({ [okToDeleteAnnotation]: '' });
    expect(markOkToDelete({ [okToDeleteAnnotation]: 'false' })).toEqual(noChange);
  });
});
