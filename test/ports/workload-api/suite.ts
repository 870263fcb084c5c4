// The conformance suite of the clients of workload clusters: reads, writes, and one bounded wait per cluster.

import { toRef } from '@capi-serverless/apimachinery';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { WorkloadFault } from '../../../shared/kubernetes/memory/memory-workload.ts';
import { isConnectionDown, wasSent } from '../../../shared/workload/api.ts';
import { expectFailure, expectValue, freshName } from '../answers.ts';
import {
  aNode,
  aPod,
  clusterOf,
  type FaultySetup,
  type FaultySubject,
  given,
  type HealthySetup,
  nodeRef,
  run,
  signal,
} from './workload-subject.ts';

/** Declares the cases of a cluster that answers. */
export function workloadApiConformance(name: string, setup: HealthySetup): void {
  describe(`clients of workload clusters: ${name}`, () => {
    afterAll(() => setup.close());
    describe('reads', () => describeReads(setup));
    describe('the scan of all Nodes', () => describeScans(setup));
    describe('the kinds of a version', () => describeResources(setup));
    describe('manifests', () => describeManifests(setup));
    describe('writes', () => describeWrites(setup));
    describe('evictions', () => describeEvictions(setup));
  });
}

/** Declares the cases of a cluster that does not answer. */
export function workloadFaultConformance(name: string, setup: FaultySetup): void {
  describe(`faults of workload clusters: ${name}`, () => {
    afterAll(() => setup.close());
    describe.each<WorkloadFault>(['down', 'hanging', 'unauthorized'])('a cluster that is %s', fault =>
      describeFault(setup, fault),
    );
    describe('the probe', () => describeProbe(setup));
  });
}

function describeReads(setup: HealthySetup): void {
  it('get an object, also through a parser', async () => {
    const world = await setup.openHealthy();
    const node = await given(world, aNode(freshName(), 'foo://1'));
    const reads = world.api.reads(world.target, signal);
    expect(expectValue(await reads.get(toRef(node)))).toEqual(node);
    expect(expectValue(await reads.get(toRef(node), () => 'parsed'))).toBe('parsed');
  });

  it('report an object that does not exist', async () => {
    const world = await setup.openHealthy();
    const answer = await world.api.reads(world.target, signal).get(nodeRef('absent'));
    expect(answer).toMatchObject({ ok: false, missing: true, failure: { reason: 'NotFound', code: 404 } });
    expect(isConnectionDown(expectFailure(answer))).toBe(false);
  });

  it('list the Pods of one Node', async () => {
    const world = await setup.openHealthy();
    const nodeName = freshName();
    const pod = await given(world, aPod(freshName(), nodeName));
    await given(world, aPod(freshName(), 'another'));
    const query = { apiVersion: 'v1', kind: 'Pod', fields: { 'spec.nodeName': nodeName } };
    const reads = world.api.reads(world.target, signal);
    expect(expectValue(await reads.list(query))).toEqual([pod]);
    expect(expectValue(await reads.list(query, () => 'parsed'))).toEqual(['parsed']);
  });

  it('fail with Aborted after their signal', async () => {
    const world = await setup.openHealthy();
    const reads = world.api.reads(world.target, AbortSignal.abort());
    for (const answer of [await reads.get(nodeRef('n1')), await reads.nodes()]) {
      expect(expectFailure(answer).reason).toBe('Aborted');
      expect(isConnectionDown(expectFailure(answer))).toBe(false);
    }
    expect(world.sent()).toBe(0);
  });
}

function describeResources(setup: HealthySetup): void {
  it('are those that the server serves, without subresources', async () => {
    const world = await setup.openHealthy();
    const resources = expectValue(await world.api.reads(world.target, signal).resources('v1'));
    expect(resources).toContainEqual({ kind: 'ConfigMap', plural: 'configmaps', isNamespaced: true });
    expect(resources).toContainEqual({ kind: 'Namespace', plural: 'namespaces', isNamespaced: false });
    expect(resources.filter(({ kind }) => kind === 'Pod')).toHaveLength(1);
  });

  it.each(['example.com/v1', 'policy/v0'])('are none if the server does not serve %s', async apiVersion => {
    const world = await setup.openHealthy();
    expect(expectValue(await world.api.reads(world.target, signal).resources(apiVersion))).toEqual([]);
  });
}

function describeManifests(setup: HealthySetup): void {
  const configMap = (name: string, more: object = {}) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default' },
    data: { k: 'v' },
    ...more,
  });
  const place = (name: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    plural: 'configmaps',
    namespace: 'default',
    name,
  });

  it('are created once', async () => {
    const world = await setup.openHealthy();
    const reads = world.api.reads(world.target, signal);
    const writes = world.writers(clusterOf(world));
    const name = freshName();
    expectValue(await writes.createManifest(configMap(name), place(name)));
    expect(expectValue(await reads.get(place(name)))).toMatchObject({ data: { k: 'v' } });
    expect(expectFailure(await writes.createManifest(configMap(name), place(name)))).toMatchObject({
      reason: 'AlreadyExists',
      code: 409,
    });
  });

  it('get a name from the server if they have none', async () => {
    const world = await setup.openHealthy();
    world.api.reads(world.target, signal);
    const generateName = `${freshName()}-`;
    const object = configMap('', { metadata: { generateName, namespace: 'default' } });
    const made = expectValue(await world.writers(clusterOf(world)).createManifest(object, place('')));
    expect(made.metadata.name.startsWith(generateName)).toBe(true);
  });

  it('lose their namespace if the kind has none', async () => {
    const world = await setup.openHealthy();
    world.api.reads(world.target, signal);
    const name = freshName();
    const ref = { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces', name };
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, namespace: 'default' } };
    expectValue(await world.writers(clusterOf(world)).createManifest(object, ref));
    expect((await world.api.reads(world.target, signal).get(ref)).ok).toBe(true);
  });

  it('are refused in a namespace that does not exist', async () => {
    const world = await setup.openHealthy();
    world.api.reads(world.target, signal);
    const object = configMap('a', { metadata: { name: 'a', namespace: 'absent' } });
    const answer = await world.writers(clusterOf(world)).createManifest(object, { ...place('a'), namespace: 'absent' });
    expect(expectFailure(answer)).toMatchObject({ reason: 'NotFound', message: 'namespaces "absent" not found' });
  });
}

function describeScans(setup: HealthySetup): void {
  it('returns name and providerID, and nothing else', async () => {
    const world = await setup.openHealthy();
    const [known, unknown] = [freshName(), freshName()];
    await given(world, aNode(known, 'foo://1'));
    await given(world, aNode(unknown));
    const nodes = expectValue(await world.api.reads(world.target, signal).nodes());
    expect(nodes.filter(({ name }) => name === known)).toEqual([{ name: known, providerID: 'foo://1' }]);
    expect(nodes.filter(({ name }) => name === unknown)).toEqual([{ name: unknown, providerID: '' }]);
  });

  it('serves all Machines of a batch for 10 s', async () => {
    const world = await setup.openHealthy();
    const scan = async () => expectValue(await world.api.reads(world.target, signal).nodes());
    const [before, ...others] = await Promise.all([scan(), scan(), scan()]);
    expect(others).toEqual([before, before]);
    const node = await given(world, aNode(freshName()));
    await world.clock.advance(9_999);
    expect(await scan()).toEqual(before);
    expect(world.sent()).toBe(1);
    await world.clock.advance(1);
    expect(await scan()).toContainEqual({ name: node.metadata.name, providerID: '' });
    expect(world.sent()).toBe(2);
  });
}

function describeWrites(setup: HealthySetup): void {
  it('are refused without reads of the Cluster before', async () => {
    const world = await setup.openHealthy();
    const ref = toRef(await given(world, aNode(freshName())));
    const writes = world.writers(clusterOf(world));
    const failure = { reason: 'Unavailable', message: 'connection to the workload cluster is down' };
    const answers = await Promise.all([
      writes.mergePatch(ref, {}),
      writes.delete(ref),
      writes.metadata(ref),
      writes.evict({ apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'p1' }, { uid: 'u' }),
      writes.createManifest({}, ref),
    ]);
    expect(answers).toEqual(answers.map(() => ({ ok: false, missing: false, failure })));
    expect(world.sent()).toBe(0);
  });

  it('patch an object with its resourceVersion, and conflict with another one', async () => {
    const world = await setup.openHealthy();
    const node = await given(world, aNode(freshName()));
    const ref = toRef(node);
    world.api.reads(world.target, signal);
    const writes = world.writers(clusterOf(world));
    const { resourceVersion } = node.metadata;
    const body = { spec: { unschedulable: true } };
    expect(expectValue(await writes.mergePatch(ref, body, { resourceVersion }))).toMatchObject(body);
    const again = await writes.mergePatch(ref, { spec: {} }, { resourceVersion });
    expect(expectFailure(again)).toMatchObject({ reason: 'Conflict', code: 409 });
    expect(expectValue(await writes.metadata(ref)).resourceVersion).not.toBe(resourceVersion);
  });

  it('delete only the object with the given uid', async () => {
    const world = await setup.openHealthy();
    const node = await given(world, aNode(freshName()));
    const reads = world.api.reads(world.target, signal);
    const writes = world.writers(clusterOf(world));
    expect(expectFailure(await writes.delete(toRef(node), { uid: 'another' })).reason).toBe('Conflict');
    expect(expectValue(await writes.delete(toRef(node), { uid: node.metadata.uid }))).toBeUndefined();
    expect((await reads.get(toRef(node))).ok).toBe(false);
  });
}

function describeEvictions(setup: HealthySetup): void {
  it('remove only the Pod with the given uid', async () => {
    const world = await setup.openHealthy();
    const pod = await given(world, aPod(freshName(), 'n1'));
    await run(world, pod);
    const { uid } = pod.metadata;
    const reads = world.api.reads(world.target, signal);
    const writes = world.writers(clusterOf(world));
    const other = expectFailure(await writes.evict(toRef(pod), { uid: 'another' }));
    expect(other).toMatchObject({ reason: 'Conflict', code: 409 });
    expect((await reads.get(toRef(pod))).ok).toBe(true);
    expect(await writes.evict(toRef(pod), { uid, gracePeriodSeconds: 0 })).toEqual({ ok: true, value: undefined });
    expect(await reads.get(toRef(pod))).toMatchObject({ ok: false, missing: true });
    expect(await writes.evict(toRef(pod), { uid })).toMatchObject({ ok: false, missing: true, failure: { code: 404 } });
  });

  it('that a disruption budget refuses have its message and its causes', async () => {
    const world = await setup.openHealthy();
    const app = freshName();
    const intent = aPod(freshName(), 'n1');
    const labelled = { ...intent, metadata: { ...intent.metadata, labels: { app } } };
    const pod = await given(world, labelled);
    await run(world, pod);
    await given(world, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: app, namespace: 'default' },
      spec: { minAvailable: 1, selector: { matchLabels: { app } } },
    });
    world.api.reads(world.target, signal);
    const writes = world.writers(clusterOf(world));
    const failure = expectFailure(await writes.evict(toRef(pod), { uid: pod.metadata.uid }));
    expect(failure).toMatchObject({ reason: 'TooManyRequests', code: 429 });
    expect(failure.message).toBe("Cannot evict pod as it would violate the pod's disruption budget.");
    expect(failure.causes).toEqual([`The disruption budget ${app} is still being processed by the server.`]);
    expect(world.sent()).toBe(1);
  });
}

/** Returns the answers. If there are none, steps the time after `sent` requests were received. */
async function settleAll<T>(
  world: FaultySubject,
  { fault, sent = 1 }: { readonly fault: WorkloadFault; readonly sent?: number },
  answers: readonly Promise<T>[],
): Promise<readonly T[]> {
  if (fault === 'hanging') {
    await vi.waitFor(() => expect(world.sent()).toBe(sent), { timeout: 300_000 });
    await world.clock.advance(5_000);
  }
  return Promise.all(answers);
}

function describeFault(setup: FaultySetup, fault: WorkloadFault): void {
  it('is waited for once, by all reads together, at most 5 s', async () => {
    const world = await setup.openFaulty(fault);
    const startedAt = world.clock.now();
    const reads = Array.from({ length: 10 }, (_, index) =>
      world.api.reads(world.target, signal).get(nodeRef(`n${index}`)),
    );
    const failures = (await settleAll(world, { fault }, reads)).map(expectFailure);
    expect(failures.every(isConnectionDown)).toBe(true);
    expect(new Set(failures.map(({ message }) => message)).size).toBe(1);
    expect(world.sent()).toBe(1);
    expect(world.clock.now() - startedAt).toBeLessThanOrEqual(5_000);
  });

  it('gets no further request for 10 s, and then a new probe', async () => {
    const world = await setup.openFaulty(fault);
    const reads = world.api.reads(world.target, signal);
    await settleAll(world, { fault }, [reads.get(nodeRef('n1'))]);
    world.set(undefined);
    await world.clock.advance(9_999);
    const writes = world.writers(clusterOf(world));
    const later = [
      await reads.nodes(),
      await reads.list({ apiVersion: 'v1', kind: 'Node' }),
      await writes.delete(nodeRef('n1')),
    ];
    expect(later.map(expectFailure).every(isConnectionDown)).toBe(true);
    expect(later.map(expectFailure).some(wasSent)).toBe(false);
    expect(world.sent()).toBe(1);
    await world.clock.advance(1);
    expect(expectValue(await reads.list({ apiVersion: 'v1', kind: 'Node' }))).toEqual([]);
    expect(world.sent()).toBe(2);
  });

  it('is probed again if its last answer is 10 s old', async () => {
    const world = await setup.openFaulty(fault);
    world.set(undefined);
    const reads = world.api.reads(world.target, signal);
    const query = { apiVersion: 'v1', kind: 'Node' };
    expect(expectValue(await reads.list(query))).toEqual([]);
    await world.clock.advance(10_000);
    world.set(fault);
    const answers = await settleAll(
      world,
      { fault, sent: 2 },
      [1, 2, 3, 4].map(() => reads.list(query)),
    );
    expect(answers.map(expectFailure).every(isConnectionDown)).toBe(true);
    // A read on a connection that the server has closed is sent twice.
    expect(world.sent()).toBeLessThanOrEqual(3);
  });

  // A request that hangs after an answer ends with the time limit of the client.
  if (fault === 'hanging') {
    return;
  }
  it('closes the open gate with its first failure', async () => {
    const world = await setup.openFaulty(fault);
    world.set(undefined);
    const reads = world.api.reads(world.target, signal);
    const query = { apiVersion: 'v1', kind: 'Node' };
    expect(expectValue(await reads.list(query))).toEqual([]);
    world.set(fault);
    const failures = [expectFailure(await reads.list(query)), expectFailure(await reads.list(query))];
    expect(failures.every(isConnectionDown)).toBe(true);
    expect(new Set(failures.map(({ message }) => message)).size).toBe(1);
  });
}

function describeProbe(setup: FaultySetup): void {
  it('that its caller aborts is followed by the probe of another read', async () => {
    const world = await setup.openFaulty('hanging');
    const early = new AbortController();
    const first = world.api.reads(world.target, early.signal).get(nodeRef('n1'));
    const second = world.api.reads(world.target, signal).list({ apiVersion: 'v1', kind: 'Node' });
    await vi.waitFor(() => expect(world.sent()).toBe(1), { timeout: 300_000 });
    world.set(undefined);
    early.abort();
    expect(expectFailure(await first).reason).toBe('Aborted');
    expect(expectValue(await second)).toEqual([]);
  });

  it('that is aborted does not keep its scan for others', async () => {
    const world = await setup.openFaulty('hanging');
    const early = new AbortController();
    const first = world.api.reads(world.target, early.signal).nodes();
    const second = world.api.reads(world.target, signal).nodes();
    await vi.waitFor(() => expect(world.sent()).toBe(1), { timeout: 300_000 });
    world.set(undefined);
    early.abort();
    expect(expectFailure(await first).reason).toBe('Aborted');
    expect(expectValue(await second)).toEqual([]);
  });

  it('does not stop a read that waits for it after the signal of this read', async () => {
    const world = await setup.openFaulty('hanging');
    const early = new AbortController();
    void world.api.reads(world.target, signal).get(nodeRef('n1'));
    const waiting = world.api.reads(world.target, early.signal).get(nodeRef('n1'));
    early.abort();
    expect(expectFailure(await waiting).reason).toBe('Aborted');
    await vi.waitFor(() => expect(world.sent()).toBe(1), { timeout: 300_000 });
    await world.clock.advance(5_000);
  });

  it('is sent again for another version of the kubeconfig', async () => {
    const world = await setup.openFaulty('down');
    expect((await world.api.reads(world.target, signal).nodes()).ok).toBe(false);
    world.set(undefined);
    const renewed = { ...world.target, version: '2' };
    expect(expectValue(await world.api.reads(renewed, signal).nodes())).toEqual([]);
  });
}
