import type { Result } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import type { PlannedPass, PlannedReconcile } from '../../../../cli/plan/plan.ts';
import { toPlanReport, toPlanText, wouldSucceed } from '../../../../cli/plan/report.ts';
import { aCluster } from '../../../support/builders.ts';
import { aDeclaration } from '../../../support/kernel.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const ref = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace: 'ns', name: 'c1' };
const before = aCluster().build();
const settled: PlannedReconcile = {
  declaration: aDeclaration({ name: 'cluster' }),
  ref,
  now,
  passes: [],
  stop: undefined,
  result: { kind: 'done' },
  defect: undefined,
  wait: undefined,
  preview: undefined,
  questions: [],
  notes: [],
};
const pass: PlannedPass = {
  number: 1,
  actions: [],
  status: undefined,
  events: [],
  conclusions: [],
  laterReplaced: [],
  result: { kind: 'done' },
};
const from = { source: 'https://127.0.0.1:6443', notes: [] };

const body = { metadata: { finalizers: ['f'] } };
const after = aCluster()
  .withStatus({ phase: 'Pending' })
  .withCondition('Available', { status: 'False', reason: 'NotAvailable', message: '* a: b\n* c: d' })
  .build();

/** Adds the finalizer, then writes a status and an event. */
const twoPasses: PlannedReconcile = {
  ...settled,
  passes: [
    {
      ...pass,
      actions: [
        {
          action: { id: 'finalizer:add', onError: 'stop', do: 'patch', ref, body, resourceVersion: '7' },
          why: 'it is missing',
          write: { verb: 'patch', ref, body, before, after: before },
        },
      ],
      result: { kind: 'again' },
    },
    {
      ...pass,
      number: 2,
      status: {
        verb: 'patch',
        ref,
        subresource: 'status',
        body: {},
        before: aCluster().withStatus({ phase: 'Provisioning' }).build(),
        after,
      },
      events: [{ type: 'Normal', reason: 'Pending', message: 'Cluster c1 is Pending' }],
    },
  ],
  result: { kind: 'requeueAfter', ms: 30_000 },
  wait: { until: 'InfrastructureReady', condition: undefined },
  questions: ['BeforeClusterCreate'],
};

function toText(plan: PlannedReconcile): string {
  return toPlanText(toPlanReport(plan, from));
}

describe('a plan as text', () => {
  it('prints actions with reason and body, the status as a diff, events, and the next reconcile', () => {
    const text = toText(twoPasses);
    expect(text.split('\n')).toEqual([
      'Plan of reconciler cluster for Cluster ns/c1, read from https://127.0.0.1:6443; nothing was written',
      '',
      'Pass 1, followed by another pass at once',
      '  1. patch Cluster ns/c1 (finalizer:add)',
      '     because it is missing',
      '     only if it is still at version 7',
      '       metadata:',
      '         finalizers:',
      '           - f',
      '',
      'Pass 2',
      '  status of the object would change:',
      '    status.phase',
      '      - "Provisioning"',
      '      + "Pending"',
      '    status.conditions[Available]',
      '      + False (NotAvailable): a: b; c: d',
      '  event Normal Pending: Cluster c1 is Pending',
      '',
      'It would make 3 writes in 2 passes.',
      'Would call BeforeClusterCreate',
      'The object would wait for InfrastructureReady',
      'Next reconcile: in 30 s to 45 s',
      '',
    ]);
  });

  it('names no version that the API server has yet to give', () => {
    const action = {
      id: 'endpoint',
      onError: 'stop',
      do: 'patch',
      ref,
      body: {},
      resourceVersion: 'planned-1',
    } as const;
    const write = { verb: 'patch', ref, body: {}, before, after: before } as const;
    const text = toText({ ...settled, passes: [{ ...pass, actions: [{ action, why: 'so', write }] }] });
    expect(text).toContain('\n     only if it is still as the write before left it\n');
  });

  it('reports for a settled object that nothing would be written', () => {
    expect(
      toText({ ...settled, passes: [pass] })
        .split('\n')
        .slice(1),
    ).toEqual(['', 'It would write nothing.', 'Next reconcile: with the next event or resync', '']);
  });

  it('omits times that only change with the status', () => {
    const withReady = (status: 'True' | 'False', lastTransitionTime: string) =>
      aCluster().withCondition('Ready', { status, lastTransitionTime }).build();
    const text = toText({
      ...settled,
      passes: [
        {
          ...pass,
          status: {
            verb: 'patch',
            ref,
            subresource: 'status',
            body: {},
            before: withReady('False', '2026-01-01T00:00:00Z'),
            after: withReady('True', '2026-01-02T00:00:00Z'),
          },
        },
      ],
    });
    expect(text).toContain(
      '    status.conditions[Ready].status\n      - "False"\n      + "True"\n\nIt would make 1 write',
    );
    expect(text).not.toContain('2026-01-02');
  });

  it('removes control characters of objects', () => {
    const message = 'red \u001b[31malert\u0007';
    expect(
      toText({ ...settled, passes: [{ ...pass, events: [{ type: 'Normal', reason: 'R', message }] }] }),
    ).not.toMatch(
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
      /[\u0007\u001b]/,
    );
  });
});

describe('when the object is reconciled again', () => {
  const failed = (terminal: boolean): Result => ({ kind: 'failed', error: new Error('broken'), terminal });

  it.each([
    { result: { kind: 'done' } as const, next: 'with the next event or resync' },
    { result: { kind: 'again' } as const, next: 'at once, in another invocation' },
    { result: { kind: 'requeueAfter', ms: 5000 } as const, next: 'in 5 s to 8 s' },
    { result: failed(false), next: 'in 1 s, then with back-off' },
    { result: failed(true), next: 'with the next event or resync: no retry would fix this' },
  ])('$next', ({ result, next }) => {
    const report = toPlanReport({ ...settled, result }, from);
    expect(report.next).toBe(next);
    expect(wouldSucceed(report)).toBe(result.kind !== 'failed');
    expect(toPlanText(report).includes('It would fail: broken')).toBe(result.kind === 'failed');
  });
});
