// Scenarios of a Machine in deletion whose Node is not known yet, or whose look-up fails.

import type { Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { timestamp } from '../../../support/object-builder.ts';
import { changed, reconcileOnce, type ScenarioWorld } from './machine-pass.ts';
import {
  aCapiCluster,
  aMachine,
  bootstrapOk,
  controlPlaneMachine,
  infraAdopted,
  infraOk,
  nodeOk,
  now,
  TestObject,
} from './scenario-objects.ts';

const annotation = 'capi-serverless.dev/probe-failing-since';
const pod = new TestObject({ apiVersion: 'v1', kind: 'Pod', name: 'p1' })
  .in('app')
  .withUid('p1-uid')
  .withSpec({ nodeName: 'n1' })
  .withStatus({ phase: 'Running' });
const cordoned = nodeOk().withSpec({ unschedulable: true });
const deletesInfra = 'delete FooMachine ns/i1';
const withoutId = () => aMachine().deleting(now - 60_000);
/** A Machine in deletion with a providerID and without nodeRef. */
const withoutRef = () => changed(withoutId().build(), { spec: { providerID: 'foo://1' } });
const objects = [bootstrapOk(), infraOk(), controlPlaneMachine];
const memoryOf = ({ metadata }: Unstructured): unknown => JSON.parse(metadata.annotations?.[annotation] ?? '{}');
const remembering = (machine: Unstructured, ms: number) =>
  changed(machine, {
    metadata: { annotations: { [annotation]: JSON.stringify({ nodeLookup: timestamp(now - ms) }) } },
  });

describe('the Node of a Machine without providerID (scenario 128)', () => {
  const notProvisioned = infraAdopted().withSpec({ providerID: 'foo://1' });
  const world = (infra: TestObject, ...workload: readonly TestObject[]): ScenarioWorld => ({
    objects: [bootstrapOk(), infra, controlPlaneMachine],
    workload,
  });

  it('is found by the providerID of the infrastructure machine, drained, and deleted', async () => {
    const first = await reconcileOnce(withoutId(), world(notProvisioned, nodeOk(), pod));
    expect(first.status['nodeRef']).toEqual({ name: 'n1' });
    expect(first.writes).toContain('patch Node n1 {"spec":{"unschedulable":true}}');
    expect(first.writes).not.toContain(deletesInfra);
    const second = await reconcileOnce(first.machine, world(notProvisioned, cordoned, pod));
    expect(second.writes).toEqual(['evict Pod app/p1']);
    const third = await reconcileOnce(second.machine, world(notProvisioned, cordoned));
    expect(third.writes).toEqual([deletesInfra]);
    const last = await reconcileOnce(third.machine, { objects: [controlPlaneMachine], workload: [cordoned] });
    expect(last.writes).toEqual(['delete Node n1', 'patch Machine ns/m1 {"metadata":{"finalizers":null}}']);
  });

  it('is deleted with an infrastructure machine that is being deleted, without a drain', async () => {
    const deleting = infraOk()
      .deleting(now - 1000)
      .withFinalizers('x');
    const first = await reconcileOnce(withoutId(), world(deleting, nodeOk(), pod));
    expect(first.status['nodeRef']).toEqual({ name: 'n1' });
    const last = await reconcileOnce(first.machine, { objects: [controlPlaneMachine], workload: [nodeOk()] });
    expect(last.writes).toContain('delete Node n1');
  });

  it('stays if it has another providerID than the infrastructure machine', async () => {
    const { machine } = await reconcileOnce(withoutId(), world(notProvisioned, nodeOk()));
    const other = nodeOk().withSpec({ providerID: 'foo://2' });
    const pass = await reconcileOnce(machine, world(notProvisioned, other, pod));
    expect(pass.writes).toEqual([deletesInfra]);
  });

  it.each([
    { reason: 'the Machine is not in deletion', machine: aMachine(), infra: notProvisioned },
    { reason: 'the infrastructure machine has none', machine: withoutId(), infra: infraAdopted() },
    {
      reason: 'that of the infrastructure machine has a wrong type',
      machine: withoutId(),
      infra: infraAdopted().withSpec({ providerID: 1 }),
    },
  ])('is not looked up: $reason', async ({ machine, infra }) => {
    const pass = await reconcileOnce(machine, world(infra, nodeOk()));
    expect(pass.asked).toEqual([]);
    expect(pass.ask.trips.flat()).not.toContain('get Secret ns/c1-kubeconfig');
  });
});

describe('a failed look-up of the Node of a Machine in deletion (scenario 129)', () => {
  const workload = [nodeOk(), pod];
  const holding: readonly (ScenarioWorld & { readonly reason: string })[] = [
    { reason: 'a Node cannot be read', workloadFaults: [{ at: 'get Node m1', message: 'boom' }] },
    { reason: 'Nodes cannot be listed', workloadFaults: [{ at: 'list Node ', message: 'etcdserver: timed out' }] },
    { reason: 'two Nodes have the providerID', workload: [nodeOk(), nodeOk('n2')] },
    { reason: 'the cluster does not answer', isConnected: false },
  ];

  it.each(holding)('holds the deletion, and sets a timer: $reason', async ({ reason: _, ...world }) => {
    const pass = await reconcileOnce(withoutRef(), { objects, workload, ...world });
    expect(pass.writes).not.toContain(deletesInfra);
    expect(pass.condition('Deleting')).toBe(
      world.isConnected === false
        ? 'True/InternalError Waiting for the look-up of the Node of the Machine: connection to the workload cluster is down'
        : 'True/InternalError Failed to look up the Node of the Machine, please check controller logs for errors',
    );
    expect(memoryOf(pass.machine)).toEqual({ nodeLookup: timestamp(now) });
    const { result } = pass.report;
    expect(result.kind === 'failed' ? result.error : { retryAfterMs: 'ms' in result && result.ms }).toMatchObject({
      retryAfterMs: 15_000,
    });
  });

  it('that the cluster has answered holds it as long as it fails, and the attempts become rare', async () => {
    const workloadFaults = [{ at: 'list Node ', message: 'boom' }];
    const pass = await reconcileOnce(remembering(withoutRef(), 1_800_000), { objects, workload, workloadFaults });
    expect(pass.writes).not.toContain(deletesInfra);
    expect(pass.result).toBe('boom');
    expect(pass.report.result).toMatchObject({ error: { retryAfterMs: 60_000, isExact: true } });
  });

  it.each([
    { at: 'get Node i1', reason: 'a Node' },
    { at: 'list Node ', reason: 'the list' },
  ])('that the time limit of the pass has ended decides nothing: $reason', async ({ at }) => {
    const workloadFaults = [{ at, message: 'aborted', reason: 'Aborted' as const }];
    const pass = await reconcileOnce(remembering(withoutRef(), 600_000), {
      objects,
      workload,
      workloadFaults,
      late: true,
      cluster: aDeadCluster(),
    });
    expect(pass.writes).not.toContain(deletesInfra);
    expect(memoryOf(pass.machine)).toEqual({ nodeLookup: timestamp(now - 600_000) });
    expect(pass.result).toBe('aborted');
    expect(pass.events).toEqual([]);
    expect(pass.condition('NodeReady')).toBeUndefined();
  });

  const failed = { status: 'False', message: 'Remote connection probe failed' } as const;
  const aFailingCluster = (ms: number) => aCapiCluster().annotated({ [annotation]: timestamp(now - ms) });
  const aDeadCluster = () => aFailingCluster(600_000).withCondition('RemoteConnectionProbe', failed);

  it.each([
    { reason: 'both failed for 50 s', lookupMs: 50_000, cluster: aFailingCluster(50_000), goesOn: true },
    { reason: 'the look-up failed for less', lookupMs: 49_000, cluster: aDeadCluster(), goesOn: false },
    { reason: 'the connection failed for less', lookupMs: 600_000, cluster: aFailingCluster(49_000), goesOn: false },
    { reason: 'the Cluster reports a connection', lookupMs: 600_000, cluster: aCapiCluster(), goesOn: false },
    {
      reason: 'there never was a connection',
      lookupMs: 50_000,
      cluster: aCapiCluster().withCondition('RemoteConnectionProbe', {
        status: 'False',
        message: 'Remote connection not established yet',
      }),
      goesOn: true,
    },
  ])('ends the wait with a dead connection: $reason', async ({ lookupMs, cluster, goesOn }) => {
    const machine = remembering(withoutRef(), lookupMs);
    const pass = await reconcileOnce(machine, { objects, cluster, isConnected: false });
    expect(pass.writes.includes(deletesInfra)).toBe(goesOn);
    expect(memoryOf(pass.machine)).toEqual({ nodeLookup: timestamp(now - lookupMs) });
  });

  it('does not concern a Machine whose providerID nothing knows', async () => {
    const cluster = aCapiCluster().withCondition('RemoteConnectionProbe', failed);
    const pass = await reconcileOnce(withoutId(), { objects: [bootstrapOk(), infraAdopted()], cluster });
    expect(pass.writes).toContain(deletesInfra);
  });

  it('is forgotten with the first success', async () => {
    const machine = remembering(withoutRef(), 60_000);
    const found = await reconcileOnce(machine, { objects, workload });
    expect(found.machine.metadata.annotations).not.toHaveProperty([annotation]);
    expect(found.writes).toContain('patch Node n1 {"spec":{"unschedulable":true}}');
    const missing = await reconcileOnce(machine, { objects, workload: [] });
    expect(missing.machine.metadata.annotations).not.toHaveProperty([annotation]);
    expect(missing.writes).toContain(deletesInfra);
  });

  it('holds nothing while the Cluster is being deleted', async () => {
    const cluster = aCapiCluster().deleting();
    const pass = await reconcileOnce(withoutRef(), { objects, cluster, isConnected: false });
    expect(pass.writes).toContain(deletesInfra);
  });
});

describe('a Node that another one has replaced', () => {
  it('is reported and labelled also for a Machine in deletion; the old name is kept', async () => {
    const machine = changed(withoutRef(), { status: { nodeRef: { name: 'n1' } } });
    const replacing = nodeOk('n2').withCondition('Ready', { status: 'False', message: 'down' });
    const pass = await reconcileOnce(machine, { objects, workload: [replacing] });
    expect(pass.condition('NodeReady')).toBe('False/NodeNotReady * Node.Ready: down');
    expect(pass.status['nodeRef']).toEqual({ name: 'n1' });
    expect(pass.writes).toContain(deletesInfra);
  });

  it('is believed only after it was read: the list may be older', async () => {
    const machine = changed(aMachine().build(), { spec: { providerID: 'foo://1' } });
    const renewed = nodeOk('n9').withSpec({ providerID: 'foo://9' });
    const listed = nodeOk('n9');
    const pass = await reconcileOnce(machine, { objects, workload: [renewed], listedNodes: [listed] });
    expect(pass.asked.at(-1)).toBe('get Node n9');
    expect(pass.status['nodeRef']).toBeUndefined();
    expect(pass.writes.filter(line => line.startsWith('patch Node'))).toEqual([]);
  });

  it('is found by the addresses that this pass has read', async () => {
    const addresses = [
      { type: 'InternalIP', address: '10.0.0.1' },
      { type: 'InternalDNS', address: 'n1' },
    ];
    const infra = infraOk().withStatus({ initialization: { provisioned: true }, addresses });
    const pass = await reconcileOnce(aMachine(), { objects: [bootstrapOk(), infra], workload: [nodeOk()] });
    expect(pass.asked).toEqual(['get Node n1']);
    expect(pass.status['nodeRef']).toEqual({ name: 'n1' });
  });
});
