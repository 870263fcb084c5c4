// Workload clusters that do not answer, or that answer half: no Machine may be remediated for it.

import { type FailureReason, refused } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { readNodes } from '../../../../functions/machinehealthcheck/observe/read-nodes.ts';
import { fakeReads, type ReadFault } from '../../../support/fake-reads.ts';
import { reconcileOnce } from './health-check-pass.ts';
import { aCheck, machine, node } from './scenario-objects.ts';

const down = 'error getting client: connection to the workload cluster is down';
const failed = 'failed to fetch targets from MachineHealthCheck: error getting node';
const numbers = Array.from({ length: 12 }, (_, index) => index + 1);
const names = numbers.map(number => `n${number}`);
const many = { machines: numbers.map(machine) };

const at = (line: string, message: string, more: Partial<ReadFault> = {}): ReadFault => ({
  at: line,
  message,
  ...more,
});

describe('a workload cluster', () => {
  it.each<{ fault: ReadFault; result: string; reason: string }>([
    { fault: at('get Node n2', 'boom'), result: `${failed}: boom`, reason: 'an error of the server' },
    {
      fault: at('get Node n2', 'get Node n2: the server answered 404 <html>', { reason: 'NotFound', notServed: true }),
      result: `${failed}: get Node n2: the server answered 404 <html>`,
      reason: 'the page of a load balancer',
    },
    {
      fault: at('get Node n2', 'pods "n2" not found', { reason: 'NotFound' }),
      result: `${failed}: pods "n2" not found`,
      reason: 'not found, for another resource',
    },
    {
      fault: at('get Node n2', 'nodes "n1" not found', { reason: 'NotFound' }),
      result: `${failed}: nodes "n1" not found`,
      reason: 'not found, for another name',
    },
    {
      fault: at('get Node n2', 'nodes "n2" not found', { reason: 'Forbidden' }),
      result: `${failed}: nodes "n2" not found`,
      reason: 'forbidden',
    },
    { fault: at('get Node n2', 'late', { reason: 'Unavailable' }), result: down, reason: 'no answer' },
    { fault: at('get Node n2', 'who', { reason: 'Unauthorized' }), result: down, reason: 'refused credentials' },
  ])('that answers with $reason judges no Machine', async ({ fault, result }) => {
    const pass = await reconcileOnce(aCheck(), { nodes: [node(1), node(3)], workloadFaults: [fault] });
    expect([pass.result, pass.writes, pass.status]).toEqual([result, [], undefined]);
  });

  it("without an object answers as an API server, or as upstream's in-memory backend", async () => {
    const workloadFaults = [at('get Node n2', 'Node "/n2" not found', { reason: 'NotFound' })];
    const pass = await reconcileOnce(aCheck(), { nodes: [node(1), node(3)], workloadFaults });
    expect(pass.of('m2', 'HealthCheckSucceeded')).toContain('False/NodeDeleted');
  });

  it('that stops to answer in the middle is not connected', async () => {
    const workloadFaults = [at('get Node n1', 'boom'), at('get Node n3', 'late', { reason: 'Unavailable' })];
    expect((await reconcileOnce(aCheck(), { workloadFaults })).result).toBe(down);
  });

  it('without kubeconfig is not connected', async () => {
    expect((await reconcileOnce(aCheck(), { kubeconfig: null })).result).toBe(down);
  });
});

describe('a list of Nodes', () => {
  it('replaces many reads', async () => {
    const pass = await reconcileOnce(aCheck(), { ...many, nodes: numbers.map(number => node(number)) });
    expect(pass.nodesAsked).toEqual(['list Node ']);
    expect(pass.status).toMatchObject({ currentHealthy: 12 });
  });

  it('shows a deleted Node, after the server has confirmed it', async () => {
    const pass = await reconcileOnce(aCheck(), { ...many, nodes: numbers.slice(1).map(number => node(number)) });
    expect(pass.nodesAsked).toEqual(['list Node ', 'get Node n1']);
    expect(pass.of('m1', 'HealthCheckSucceeded')).toContain('False/NodeDeleted');
    expect(pass.status).toMatchObject({ currentHealthy: 11 });
  });

  it('that is empty although Nodes exist judges no Machine', async () => {
    const reads = fakeReads(numbers.map(number => node(number)));
    const workload = {
      ...reads,
      list: async () => ({ ok: true, value: [] }) as const,
      nodes: async () => refused(gone),
      resources: async () => refused(gone),
    };
    expect(await readNodes(names, workload)).toEqual({
      ok: false,
      isDown: false,
      error: 'error getting node: the list of Nodes lacks "n1", which exists',
    });
    expect(reads.trips.flat()).toHaveLength(10);
  });

  it.each<{ reason: FailureReason; isDown: boolean }>([
    { reason: 'InternalError', isDown: false },
    { reason: 'Unavailable', isDown: true },
  ])('whose absent Nodes cannot be confirmed ($reason) judges no Machine', async ({ reason, isDown }) => {
    const reads = fakeReads([], [at('get Node n7', 'boom', { reason })]);
    expect(
      await readNodes(names, { ...reads, nodes: async () => refused(gone), resources: async () => refused(gone) }),
    ).toMatchObject({ ok: false, isDown });
  });

  it('that fails judges no Machine', async () => {
    const pass = await reconcileOnce(aCheck(), { ...many, workloadFaults: [at('list Node ', 'boom')] });
    expect([pass.result, pass.writes]).toEqual([`${failed}: boom`, []]);
  });
});

const gone = { reason: 'Gone', message: 'gone' } as const;
