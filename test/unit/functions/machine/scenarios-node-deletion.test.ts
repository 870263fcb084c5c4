// Scenarios of the deletion of a Node that fails: attempts, their times, and the end (scenario 131).

import type { Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { timestamp } from '../../../support/object-builder.ts';
import { aDeletedMachine, changed, deletingWorld, reconcileOnce, type ScenarioWorld } from './machine-pass.ts';
import { aCapiCluster, controlPlaneMachine, nodeOk, now } from './scenario-objects.ts';

const annotation = 'capi-serverless.dev/probe-failing-since';
const withoutFinalizer = 'patch Machine ns/m1 {"metadata":{"finalizers":null}}';
const noted = aCapiCluster().annotated({ [annotation]: timestamp(now - 60_000) });
const world: ScenarioWorld = { ...deletingWorld, objects: [controlPlaneMachine], cluster: noted };
const down: ScenarioWorld = { ...world, isConnected: false };

const failingFor = (machine: Unstructured, ms: number) =>
  changed(machine, {
    metadata: { annotations: { [annotation]: JSON.stringify({ nodeDeletion: timestamp(now - ms) }) } },
  });
const memoryOf = ({ metadata }: Unstructured): unknown => JSON.parse(metadata.annotations?.[annotation] ?? '{}');
const retryOf = ({ report: { result } }: { readonly report: { readonly result: object } }): unknown =>
  'error' in result ? result.error : undefined;

describe('an attempt that fails', () => {
  it.each([
    { reason: 'without connection', failing: down },
    { reason: 'the Node cannot be read', failing: { ...world, workloadFaults: [{ at: 'get Node n1', message: 'x' }] } },
    { reason: 'the request is refused', failing: { ...world, failures: { 'delete:node': { message: 'x' } } } },
  ])('is remembered with its time: $reason', async ({ failing }) => {
    const pass = await reconcileOnce(await aDeletedMachine(), failing);
    expect(memoryOf(pass.machine)).toEqual({ nodeDeletion: timestamp(now) });
    expect(retryOf(pass)).toMatchObject({ retryAfterMs: 2_000, isExact: true });
    expect(pass.writes).not.toContain(withoutFinalizer);
    expect(pass.condition('Deleting')).toContain('True/DeletingNode');
  });

  it.each([
    { ms: 2_000, next: 4_000 },
    { ms: 6_000, next: 8_000 },
    { ms: 14_000, next: 16_000 },
    { ms: 58_000, next: 60_000 },
    { ms: 3_600_000, next: 60_000 },
    { ms: -5_000, next: 2_000 },
  ])('is repeated after $next ms, if the first one was $ms ms ago', async ({ ms, next }) => {
    const machine = changed(failingFor(await aDeletedMachine(), ms), { spec: { deletion: null } });
    expect(retryOf(await reconcileOnce(machine, down))).toMatchObject({ retryAfterMs: next });
  });

  it.each([
    { ms: 9_000, isLast: false },
    { ms: 10_000, isLast: true },
  ])('is the last one, $ms ms after the first failure: $isLast', async ({ ms, isLast }) => {
    for (const failing of [down, { ...world, failures: { 'delete:node': { message: 'x' } } }]) {
      const pass = await reconcileOnce(failingFor(await aDeletedMachine(), ms), failing);
      expect(pass.writes.includes(withoutFinalizer)).toBe(isLast);
      expect(pass.events).toHaveLength(1);
    }
  });

  it('is an Event when it is the first or the last one', async () => {
    const first = await reconcileOnce(await aDeletedMachine(), down);
    const event = expect.stringContaining(
      "Warning FailedDeleteNode error deleting Machine's Node: failed deleting Node",
    );
    expect(first.events).toEqual([event]);
    expect((await reconcileOnce(first.machine, down)).events).toEqual([]);
    expect((await reconcileOnce(failingFor(first.machine, 10_000), down)).events).toEqual([event]);
  });

  it('is not the last one before the timeout', async () => {
    const machine = changed(await aDeletedMachine(), { spec: { deletion: { nodeDeletionTimeoutSeconds: 61 } } });
    const pass = await reconcileOnce(failingFor(machine, 30_000), down);
    expect(pass.writes).not.toContain(withoutFinalizer);
  });
});

describe('an attempt that was not sent', () => {
  const workloadFaults = [{ at: 'get Node n1', message: 'no free connection', reason: 'TooManyRequests' as const }];

  it.each<ScenarioWorld & { readonly reason: string }>([
    { reason: 'the gate of the connection is closed', ...down, isGateClosed: true },
    { reason: 'no connection was free', ...world, workloadFaults },
    {
      reason: 'the gate has closed after the Node was read',
      ...world,
      failures: { 'delete:node': { message: 'down', reason: 'Unavailable', notSent: true } },
    },
  ])('is neither the first nor the last one: $reason', async ({ reason: _, ...unsent }) => {
    const first = await reconcileOnce(await aDeletedMachine(), unsent);
    expect(memoryOf(first.machine)).toEqual({});
    expect(retryOf(first)).toMatchObject({ retryAfterMs: 2_000 });
    const later = await reconcileOnce(failingFor(await aDeletedMachine(), 60_000), unsent);
    expect(later.writes).not.toContain(withoutFinalizer);
    expect(later.condition('Deleting')).toContain('True/DeletingNode');
  });
});

describe('the end of the deletion', () => {
  it('follows the first attempt that succeeds', async () => {
    const pass = await reconcileOnce(failingFor(await aDeletedMachine(), 1_000), { ...world, workload: [nodeOk()] });
    expect(pass.writes).toEqual(['delete Node n1', withoutFinalizer]);
  });

  it('needs an attempt: one that an earlier failure has prevented keeps the finalizer', async () => {
    const { actions } = await reconcileOnce(await aDeletedMachine(), { ...world, workload: [nodeOk()] });
    const removal = actions.find(({ id }) => id === 'finalizer:remove');
    expect(removal?.when?.(new Map([['delete:node', { state: 'skipped' }]]))).toBe(false);
    expect(removal?.when?.(new Map([['delete:node', { state: 'done' }]]))).toBe(true);
  });

  it('is not decided by a read that the time limit of the pass has ended', async () => {
    const workloadFaults = [{ at: 'get Node n1', message: 'aborted', reason: 'Aborted' as const }];
    const machine = failingFor(await aDeletedMachine(), 60_000);
    const pass = await reconcileOnce(machine, { ...world, workloadFaults, late: true });
    expect(pass.writes).toEqual([]);
    expect(pass.events).toEqual([]);
    expect(pass.result).toBe('[aborted, error deleting node n1: aborted]');
    expect(pass.v1beta1('NodeHealthy')).toBe('True');
  });

  it('is not reported if the memory of the failure could not be stored', async () => {
    const failures = { 'machine:first-failures': { message: 'no' } };
    const pass = await reconcileOnce(await aDeletedMachine(), { ...down, failures });
    expect(pass.result).toContain('failed to patch Machine ns/m1: no');
  });
});
