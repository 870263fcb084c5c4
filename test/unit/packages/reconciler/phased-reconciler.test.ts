import { describe, expect, it } from 'vitest';
import { blocked, type EarlyEnd } from '../../../../packages/reconciler/early-end.ts';
import { noOutcomes } from '../../../../packages/reconciler/outcomes.ts';
import { phasedReconciler } from '../../../../packages/reconciler/phased-reconciler.ts';
import type { Action, Stop } from '../../../../packages/reconciler/types.ts';
import { fakeReads } from '../../../support/fake-reads.ts';
import { aDeclaration, aWidget } from '../../../support/kernel.ts';

const now = Date.parse('2026-01-01T01:00:00Z');
const write: Action = { id: 'paint', onError: 'stop', do: 'run', label: 'paint', run: async () => undefined };

const declaration = aDeclaration();

interface Wanted {
  readonly colour: string;
}

function reconcilerOf(seen: Wanted | EarlyEnd | Stop) {
  return phasedReconciler({
    declaration,
    reportsLateReads: true,
    observe: async () => seen,
    plan: ({ colour }: Wanted, pass) => ({ actions: [write], text: `${colour} at ${pass.now}` }),
    report: ({ text }, outcomes, at) => ({
      status: { status: { text, outcomes: outcomes.size, at } },
      events: [],
      result: { kind: 'done' },
    }),
  });
}

const parts = {
  declaration,
  observe: async () => ({ colour: 'red' }),
  plan: () => ({ actions: [write] }),
  report: () => ({ events: [], result: { kind: 'done' } as const }),
};

const observed = (seen: Wanted | EarlyEnd | Stop) =>
  reconcilerOf(seen).observe(aWidget({}), fakeReads([]), { number: 1, now, signal: new AbortController().signal });

describe('a reconciler with phases', () => {
  it('keeps what is declared', () => {
    expect(reconcilerOf({ stop: 's' })).toMatchObject({ declaration, reportsLateReads: true });
  });

  it('keeps how another process gets its own', () => {
    const other = phasedReconciler(parts);
    expect(phasedReconciler({ ...parts, forNewProcess: () => other }).forNewProcess?.()).toBe(other);
    expect(other.forNewProcess).toBeUndefined();
  });

  it.each([{ stop: 'paused' }, blocked('no Cluster')])('plans nothing if the pass ends early', async seen => {
    expect(await observed(seen)).toBe(seen);
  });

  it('decides the writes of its plan, and reports with the same plan', async () => {
    const seen = await observed({ colour: 'red' });
    const plan = { actions: [write], text: `red at ${now}` };
    expect(seen).toEqual(plan);
    const reconciler = reconcilerOf({ colour: 'red' });
    expect(reconciler.decide(plan, now)).toEqual([write]);
    expect(reconciler.report(plan, noOutcomes, 5)).toEqual({
      status: { status: { text: plan.text, outcomes: 0, at: 5 } },
      events: [],
      result: { kind: 'done' },
    });
  });

  it('reports an early end without the reconciler', () => {
    const early = blocked('no Cluster');
    const reconciler = reconcilerOf(early);
    expect(reconciler.decide(early, now)).toEqual([]);
    expect(reconciler.report(early, noOutcomes, now)).toEqual({
      events: [],
      result: { kind: 'failed', error: new Error('no Cluster'), terminal: false },
    });
  });
});
