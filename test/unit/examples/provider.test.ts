// Unit tests of the two functions of the example provider, with an in-memory cloud.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Terminal } from '@capi-serverless/provider-sdk';
import { expect, test } from 'vitest';
import {
  type Cloud,
  createCloudInMemory,
  Duplicate,
  NetworkRefused,
  rangeOf,
} from '../../../examples/provider/cloud.ts';
import { reconcileDelete, reconcileNormal } from '../../../examples/provider/provider.ts';
import { projectRoot } from '../../../infra/bundles/bundle.ts';
import { checkFiles } from '../../../local/contract-check/check-contract.ts';

function objectOf(uid: string) {
  const metadata = { name: `harbour-${uid}`, namespace: 'default', uid, resourceVersion: '1' };
  return { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', kind: 'HarbourCluster', metadata };
}
const object = objectOf('0123');
const berths = [
  { name: 'quay-1', attributes: { quay: 'east' }, controlPlane: true },
  { name: 'dock', attributes: {}, controlPlane: false },
];
const spec = { region: 'north', network: { cidr: '10.1.0.0/16' }, berths };

const rest = { record: () => {}, now: 1_000_000, status: {} };

async function untilReady(cloud: Cloud, of = object, wanted = spec) {
  for (let step = 0; step < 50; step += 1) {
    const result = await reconcileNormal({ object: of, spec: wanted, ...rest }, cloud).catch(error => {
      if (error instanceof Crash) {
        return { ready: false as const };
      }
      throw error;
    });
    if (result.ready) {
      return result;
    }
  }
  throw new Error('not ready after 50 steps');
}
async function untilGone(cloud: Cloud, of = object) {
  const messages: (string | undefined)[] = [];
  for (let step = 0; step < 50; step += 1) {
    try {
      const result = await reconcileDelete({ object: of }, cloud);
      if (result.done) {
        return messages;
      }
      messages.push(result.message);
    } catch (error) {
      if (!(error instanceof Crash)) {
        throw error;
      }
    }
  }
  throw new Error('not gone after 50 steps');
}

class Crash extends Error {}
/** The process crashes immediately before or after call n. */
function crashing(cloud: Cloud, at: number, when: 'before' | 'after') {
  let count = 0;
  let crashed = false;
  const proxy = new Proxy(cloud, {
    get(target, key) {
      const method = Reflect.get(target, key) as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]) => {
        count += 1;
        const isHere = count === at;
        crashed ||= isHere;
        if (isHere && when === 'before') {
          throw new Crash();
        }
        const result = await method.apply(target, args);
        if (isHere) {
          throw new Crash();
        }
        return result;
      };
    },
  });
  return { proxy, hasCrashed: () => crashed };
}

test('becomes ready step by step, and stays ready', async () => {
  const cloud = createCloudInMemory();
  const seen: unknown[] = [];
  for (let step = 0; step < 9; step += 1) {
    const result = await reconcileNormal({ object, spec, ...rest }, cloud);
    const state = (name: string) => result.conditions?.find(({ type }) => type === name)?.status;
    seen.push([result.ready, state('NetworkReady'), state('GatewayReady')]);
  }
  expect(seen).toStrictEqual([
    [false, 'False', 'False'],
    [false, 'False', 'False'],
    [false, 'False', 'False'],
    [false, 'False', 'False'],
    [false, 'True', 'False'],
    [false, 'True', 'False'],
    [false, 'True', 'False'],
    [false, 'True', 'True'],
    [false, 'True', 'True'],
  ]);
  const result = await untilReady(cloud);
  expect(result.endpoint).toStrictEqual({ host: 'lb-0123.harbour.example', port: 6443 });
  expect(result.failureDomains).toStrictEqual([
    { name: 'quay-1', controlPlane: true, attributes: { quay: 'east' } },
    { name: 'dock', controlPlane: false, attributes: {} },
  ]);
  const calls = [...cloud.calls];
  expect(await reconcileNormal({ object, spec, ...rest }, cloud)).toStrictEqual(result);
  expect(cloud.calls).toStrictEqual(calls);
});

test('removes in reverse order', async () => {
  const cloud = createCloudInMemory();
  await untilReady(cloud);
  const made = cloud.calls.length;
  await untilGone(cloud);
  expect(cloud.calls.slice(made).map(call => call.replace('delete', 'create'))).toStrictEqual(
    cloud.calls.slice(0, made).toReversed(),
  );
  expect(cloud.names()).toStrictEqual([]);
});

test('removes partial creations after any number of steps', async () => {
  for (let steps = 0; steps < 12; steps += 1) {
    const cloud = createCloudInMemory();
    for (let step = 0; step < steps; step += 1) {
      await reconcileNormal({ object, spec, ...rest }, cloud);
    }
    await untilGone(cloud);
    expect(cloud.names()).toStrictEqual([]);
  }
});

test('reaches the same end state with a crash before or after any call', async () => {
  for (const when of ['before', 'after'] as const) {
    let at = 1;
    for (; at < 200; at += 1) {
      const cloud = createCloudInMemory();
      const { proxy, hasCrashed } = crashing(cloud, at, when);
      await untilReady(proxy);
      expect(cloud.names().length).toBe(5);
      await untilGone(proxy);
      expect(cloud.names()).toStrictEqual([]);
      const creations = cloud.calls.filter(call => call.startsWith('create'));
      expect(new Set(creations).size).toBe(creations.length);
      if (!hasCrashed()) {
        break;
      }
    }
    expect(at).toBeGreaterThan(20);
    expect(at).toBeLessThan(200);
  }
});

test('reports an overlapping network, and continues once the other one is removed', async () => {
  const cloud = createCloudInMemory();
  await untilReady(cloud);
  const other = objectOf('4567');
  const overlapping = { ...spec, network: { cidr: '10.1.128.0/20' } };
  const result = await reconcileNormal({ object: other, spec: overlapping, ...rest }, cloud);
  expect(result.ready).toBe(false);
  expect(result.requeueAfter).toBe(60);
  expect(result.conditions?.map(({ type, reason }) => [type, reason])).toStrictEqual([
    ['Ready', 'NetworkOverlap'],
    ['NetworkReady', 'NetworkOverlap'],
    ['GatewayReady', 'WaitingForNetwork'],
  ]);
  await untilReady(cloud, objectOf('89ab'), { ...overlapping, region: 'south' });
  await untilGone(cloud);
  await untilReady(cloud, other, overlapping);
});

test('retries after exactly the time that the cloud names when a quota is exceeded', async () => {
  const cloud = createCloudInMemory({ quotas: { north: 1 }, retryAfter: 17 });
  await untilReady(cloud);
  const other = { ...rest, object: objectOf('4567'), spec: { ...spec, network: { cidr: '10.2.0.0/16' } } };
  const result = await reconcileNormal(other, cloud);
  expect(result.requeueAfter).toBe(17);
  expect(result.conditions?.[0]?.reason).toBe('QuotaExceeded');

  const calls = cloud.calls.length;
  const status = { quota: result.status?.quota ?? { retryAt: 0, message: '' } };
  const earlier = await reconcileNormal({ ...other, status, now: rest.now + 10_500 }, cloud);
  expect(earlier.requeueAfter).toBe(7);
  expect([earlier.conditions, earlier.status]).toStrictEqual([result.conditions, result.status]);
  expect(cloud.calls.length).toBe(calls);

  await untilGone(cloud);
  const later = await reconcileNormal({ ...other, status, now: rest.now + 17_000 }, cloud);
  expect(later.conditions?.[0]?.reason).toBe('CreatingNetwork');
  expect(later.status?.quota).toBe(undefined);
});

test('fails terminally on a network that the cloud rejects, and on an immutable change', async () => {
  const cloud = createCloudInMemory();
  const refused = { ...spec, network: { cidr: '8.8.8.0/24' } };
  await expect(reconcileNormal({ object, spec: refused, ...rest }, cloud)).rejects.toThrow(Terminal);
  await untilReady(cloud);
  await expect(reconcileNormal({ object, spec: refused, ...rest }, cloud)).rejects.toThrow(Terminal);
});

test('is not ready while its gateway is detached', async () => {
  const cloud = createCloudInMemory();
  await untilReady(cloud);
  cloud.detachGateways();
  const result = await reconcileNormal({ object, spec, ...rest }, cloud);
  expect(result.ready).toBe(false);
  expect(result.conditions?.[2]?.reason).toBe('AttachingGateway');
  await untilReady(cloud);
});

test('throws while the cloud does not answer', async () => {
  const cloud = createCloudInMemory();
  await untilReady(cloud);
  cloud.setUnreachable(true);
  await expect(reconcileNormal({ object, spec, ...rest }, cloud)).rejects.toThrow(/does not answer/);
  await expect(reconcileDelete({ object }, cloud)).rejects.toThrow(/does not answer/);
  cloud.setUnreachable(false);
  await untilGone(cloud);
});

test('the cloud refuses duplicates', async () => {
  const cloud = createCloudInMemory();
  const network = { name: 'net', region: 'north', cidr: '10.1.0.0/16' };
  await cloud.createNetwork(network);
  await expect(cloud.createNetwork(network)).rejects.toThrow(Duplicate);
});

test('knows networks', () => {
  expect(rangeOf('10.0.1.7/24')).toStrictEqual([0x0a000100, 0x0a0001ff]);
  for (const cidr of ['10.0.0.0/7', '10.0.0.256/24', '10.0.0.0/29', '1.1.1.0/24', 'ten', '172.32.0.0/16']) {
    expect(() => rangeOf(cidr)).toThrow(NetworkRefused);
  }
});

test('defines its kinds by the provider contract', () => {
  const name = 'examples/provider/crds.yaml';
  const text = readFileSync(path.join(projectRoot, name), 'utf8');
  expect(checkFiles([{ name, text }])).toEqual({ objects: 2, findings: [], notes: [] });
});
