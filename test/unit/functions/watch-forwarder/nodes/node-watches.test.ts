// Nodes of workload clusters as a source of the forwarder.

import { refused, type Watches } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { sourceFailures } from '../../../../../shared/event-source/source-metrics.ts';
import { clusterKind } from '../stepped-forwarder.ts';
import { NodesWorld, nodeKind } from './scripted-workload-nodes.ts';

/** After this time, a change of an idle key is sent at once. */
const quietMs = 60_000;

/** Starts a forwarder, and drops the requests for all existing objects. */
async function started(world: NodesWorld) {
  const running = await world.forwarder.start();
  await world.clock.advance(quietMs);
  world.takeRequests();
  return running;
}

async function requestsAfter(world: NodesWorld, ms = 2_000): Promise<readonly string[]> {
  await world.clock.advance(ms);
  return world.takeRequests();
}

describe('a change of a Node', () => {
  it('enqueues the Machine whose Node it is, in the Cluster of the event', async () => {
    const world = new NodesWorld();
    const server = world.addCluster('c1');
    world.addCluster('c2');
    world.putMachine('m1', { node: 'n1' });
    world.putMachine('m2', { node: 'n2' });
    world.putMachine('other', { cluster: 'c2', node: 'n1' });
    server.put(nodeKind, { name: 'n1' });
    server.put(nodeKind, { name: 'n2' });
    await started(world);
    server.put(nodeKind, { name: 'n1' });
    expect(await requestsAfter(world)).toEqual(['m1 event']);
    server.remove(nodeKind, { name: 'n1' });
    expect(await requestsAfter(world)).toEqual(['m1 event']);
  });

  it('enqueues the Machines that wait for a Node if no Machine has it', async () => {
    const world = new NodesWorld();
    const server = world.addCluster('c1');
    world.putMachine('running', { node: 'n1' });
    world.putMachine('waiting');
    world.putMachine('early', { providerID: '' });
    await started(world);
    server.put(nodeKind, { name: 'n2' });
    expect(await requestsAfter(world)).toEqual(['waiting event']);
    world.putMachine('waiting', { node: 'n2' });
    await requestsAfter(world, quietMs);
    server.put(nodeKind, { name: 'n3' });
    expect(await requestsAfter(world)).toEqual([]);
  });
});

describe('the watch of a workload cluster', () => {
  it('begins when the control plane is initialized and a Machine expects a Node, and reads metadata only', async () => {
    const world = new NodesWorld();
    const server = world.addCluster('c1');
    world.putCluster('c1', 'False');
    const { forwarder } = await started(world);
    world.putCluster('c1');
    await world.clock.advance(1_000);
    expect(forwarder.workloadClusters).toBe(0);
    world.putMachine('m1');
    await world.clock.advance(1_000);
    expect(forwarder.workloadClusters).toBe(1);
    expect([...server.open]).toEqual([{ apiVersion: 'v1', kind: 'Node', as: 'metadata' }]);
    expect(world.read).toEqual(['c1-kubeconfig']);
  });

  it.each([
    { reason: 'the last Machine', end: (world: NodesWorld) => world.removeMachine('m1') },
    {
      reason: 'the Cluster',
      end: (world: NodesWorld) => world.forwarder.api.remove(clusterKind, { namespace: 'default', name: 'c1' }),
    },
  ])('ends with $reason', async ({ end }) => {
    const world = new NodesWorld();
    const server = world.addCluster('c1');
    world.putMachine('m1', { node: 'n1' });
    const { forwarder } = await started(world);
    expect(server.open.size).toBe(1);
    end(world);
    await world.clock.advance(1_000);
    expect(server.open.size).toBe(0);
    expect(forwarder.workloadClusters).toBe(0);
  });

  it('ends with objects that were deleted while nothing was watched', async () => {
    const world = new NodesWorld();
    const server = world.addCluster('c1');
    const other = world.addCluster('c2');
    world.putMachine('m1', { node: 'n1' });
    world.putMachine('m2', { cluster: 'c2', node: 'n1' });
    await started(world);
    const { api } = world.forwarder;
    api.stall();
    api.remove(clusterKind, { namespace: 'default', name: 'c1' });
    world.removeMachine('m2');
    api.compact();
    api.endStreams();
    await world.clock.advance(10_000);
    expect([server.open.size, other.open.size]).toEqual([0, 0]);
  });

  it('begins again for another Cluster with the same name', async () => {
    const world = new NodesWorld();
    world.addCluster('c1');
    world.putMachine('m1', { node: 'n1' });
    await started(world);
    world.putCluster('c1', 'True', 'uid-other');
    await world.clock.advance(1_000);
    expect(world.connected).toEqual(['c1@1', 'c1@1']);
  });

  it('is one of a limited number', async () => {
    const world = new NodesWorld(1);
    const [first, second] = [world.addCluster('c1'), world.addCluster('c2')];
    world.putMachine('m1', { node: 'n1' });
    world.putMachine('m2', { cluster: 'c2', node: 'n1' });
    await started(world);
    expect([first.open.size, second.open.size]).toEqual([1, 0]);
    world.removeMachine('m1');
    await world.clock.advance(1_000);
    expect([first.open.size, second.open.size]).toEqual([0, 1]);
  });

  it('ends when the forwarder stops', async () => {
    const world = new NodesWorld();
    const server = world.addCluster('c1');
    world.putMachine('m1', { node: 'n1' });
    const { stop } = await started(world);
    await stop();
    expect(server.open.size).toBe(0);
  });
});

describe('a workload cluster', () => {
  it('that does not answer is tried at most every five minutes, and delays no other cluster', async () => {
    const world = new NodesWorld();
    const server = world.addCluster('c1');
    const dead = world.addCluster('dead');
    dead.fail(nodeKind, { reason: 'Unavailable', message: 'connection refused' });
    world.putMachine('m1', { node: 'n1' });
    world.putMachine('m2', { cluster: 'dead', node: 'n1' });
    const { forwarder } = await started(world);
    await world.clock.advance(3_600_000);
    world.takeRequests();
    expect(dead.asked.length).toBeLessThan(25);
    expect(world.forwarder.counted(sourceFailures, { source: 'Node' })).toBeGreaterThan(10);
    expect(forwarder.sources.map(({ name }) => name)).not.toContain('Node');
    server.put(nodeKind, { name: 'n1' });
    expect(await requestsAfter(world)).toEqual(['m1 event']);
    dead.fail(nodeKind, undefined);
    expect(await requestsAfter(world, 300_000)).toEqual(['m2 deletion']);
  });

  it('that never answers delays no other cluster', async () => {
    const world = new NodesWorld();
    const hanging: Watches = {
      page: (_, { signal }) =>
        new Promise(resolve => {
          signal.addEventListener('abort', () => resolve(refused({ reason: 'Aborted', message: 'aborted' })));
        }),
      watch: () => {
        throw new Error('nothing was listed');
      },
    };
    world.addCluster('hanging');
    world.servers.set('hanging@1', hanging);
    const server = world.addCluster('c1');
    world.putMachine('m1', { node: 'n1' });
    world.putMachine('m2', { cluster: 'hanging', node: 'n1' });
    const { stop } = await started(world);
    server.put(nodeKind, { name: 'n1' });
    expect(await requestsAfter(world)).toEqual(['m1 event']);
    await stop();
  });

  it('is followed with its new kubeconfig after the old one was refused', async () => {
    const world = new NodesWorld();
    const server = world.addCluster('c1');
    world.putMachine('m1', { node: 'n1' });
    await started(world);
    server.fail(nodeKind, { reason: 'Unauthorized', code: 401, message: 'Unauthorized' });
    server.endStreams();
    await world.clock.advance(10_000);
    expect(world.connected).toEqual(['c1@1']);
    world.servers.set('c1@2', server);
    world.putSecret('c1', 'c1@2');
    server.fail(nodeKind, undefined);
    await world.clock.advance(20_000);
    expect(world.connected).toEqual(['c1@1', 'c1@2']);
    world.takeRequests();
    server.put(nodeKind, { name: 'n1' });
    expect(await requestsAfter(world)).toEqual(['m1 event']);
  });

  it.each([
    { reason: 'there is no Secret', kubeconfig: undefined },
    { reason: 'the kubeconfig is not usable', kubeconfig: 'other' },
    { reason: 'the kubeconfig is too large', kubeconfig: 'x'.repeat(70_000) },
  ])('is not connected while $reason', async ({ kubeconfig }) => {
    const world = new NodesWorld();
    const server = world.addCluster('c1');
    world.putCluster('c2');
    world.servers.set('c2@2', server);
    world.putMachine('m2', { cluster: 'c2', node: 'n1' });
    if (kubeconfig !== undefined) {
      world.putSecret('c2', kubeconfig);
    }
    await started(world);
    expect(server.asked).toEqual([]);
    world.putSecret('c2', 'c2@2');
    await world.clock.advance(300_000);
    expect(server.asked.slice(0, 2)).toEqual(['list Node', 'watch Node']);
  });

  it('that sends too many events is watched again a minute later, and enqueues its Machine once', async () => {
    const world = new NodesWorld();
    const server = world.addCluster('c1');
    world.putMachine('m1', { node: 'n1' });
    const node = server.put(nodeKind, { name: 'n1' });
    let streams = 0;
    world.servers.set('c1@1', {
      page: (...of) => server.page(...of),
      async *watch() {
        streams += 1;
        while (true) {
          yield { type: 'MODIFIED', object: node };
        }
      },
    });
    await world.forwarder.start();
    expect(await requestsAfter(world, 50_000)).toEqual(['m1 list']);
    expect(streams).toBe(1);
    expect(world.forwarder.counted(sourceFailures, { source: 'Node', reason: 'TooManyRequests' })).toBe(1);
    await world.clock.advance(20_000);
    expect(streams).toBe(2);
  });

  it('enqueues the Machines of Nodes that were deleted before a version had expired', async () => {
    const world = new NodesWorld();
    const server = world.addCluster('c1');
    for (const number of [1, 2]) {
      world.putMachine(`m${number}`, { node: `n${number}` });
      server.put(nodeKind, { name: `n${number}` });
    }
    await started(world);
    server.stall();
    server.remove(nodeKind, { name: 'n2' });
    server.compact();
    server.endStreams();
    expect(await requestsAfter(world, 10_000)).toEqual(expect.arrayContaining(['m2 deletion', 'm1 list']));
  });
});
