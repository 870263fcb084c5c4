import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { followClusters } from '../../../../../infra/local/view/progress.ts';
import { answered } from '../../../../../shared/api/answer.ts';
import type { Watches } from '../../../../../shared/kubernetes/port.ts';
import { FakeWatches } from '../../../../support/fake-watches.ts';
import { SteppedClock, settled } from '../../../../support/stepped-clock.ts';

const clusterKind = { group: 'cluster.x-k8s.io', version: 'v1beta2', kind: 'Cluster', scope: 'Namespaced' } as const;
const filterLabel = 'cluster.x-k8s.io/watch-filter';
const provisioned = { status: { phase: 'Provisioned' } };

let api: FakeWatches;
let clock: SteppedClock;
let told: string[];
let stopping: AbortController;
let following: Promise<void>;

beforeEach(() => {
  api = new FakeWatches(clusterKind);
  clock = new SteppedClock();
  told = [];
  stopping = new AbortController();
});

afterEach(async () => {
  stopping.abort();
  await following;
});

function follow(watchFilter = ''): Promise<void> {
  following = followClusters({
    watches: api,
    clock,
    signal: stopping.signal,
    watchFilter,
    onChange: ({ name, view }) => told.push(`${name} ${view === undefined ? 'gone' : view.phase || 'new'}`),
    onListed: () => told.push('listed'),
  });
  return settled();
}

/** Changes the API and lets what follows happen; what was told meanwhile. */
async function toldAfter(change: () => unknown): Promise<readonly string[]> {
  const before = told.length;
  change();
  await settled();
  return told.slice(before);
}

function put(name: string, fields = {}, labels: Readonly<Record<string, string>> = {}): void {
  api.put(clusterKind, { name, namespace: 'ns', labels }, fields);
}

describe('following Clusters', () => {
  it('tells those that exist, and then that these are all', async () => {
    put('a', provisioned);
    put('b');
    await follow();
    expect(told).toEqual(['ns/a Provisioned', 'ns/b new', 'listed']);
  });

  it('reads every page before it says so', async () => {
    for (let number = 0; number < 501; number += 1) {
      put(`c${number}`);
    }
    await follow();
    expect(told).toHaveLength(502);
    expect(told.at(-1)).toBe('listed');
  });

  it('tells what a user would notice of a change, and nothing of others', async () => {
    await follow();
    expect(await toldAfter(() => put('a'))).toEqual(['ns/a new']);
    expect(await toldAfter(() => put('a', { spec: { paused: false } }))).toEqual([]);
    expect(await toldAfter(() => api.bookmark(clusterKind))).toEqual([]);
    expect(await toldAfter(() => put('a', provisioned))).toEqual(['ns/a Provisioned']);
    expect(await toldAfter(() => api.remove(clusterKind, { namespace: 'ns', name: 'a' }))).toEqual(['ns/a gone']);
  });

  it('leaves out what the watch filter leaves out, also when a label comes or goes', async () => {
    put('mine', {}, { [filterLabel]: 'blue' });
    put('theirs', {}, { [filterLabel]: 'red' });
    await follow('blue');
    expect(told).toEqual(['ns/mine new', 'listed']);
    expect(await toldAfter(() => put('mine', {}, { [filterLabel]: 'red' }))).toEqual(['ns/mine gone']);
    expect(await toldAfter(() => put('theirs', {}, { [filterLabel]: 'blue' }))).toEqual(['ns/theirs new']);
    expect(await toldAfter(() => api.remove(clusterKind, { namespace: 'ns', name: 'mine' }))).toEqual([]);
  });

  it('goes on with a new listing when a stream ends', async () => {
    put('a');
    put('b');
    await follow();
    const asked = api.asked.length;
    expect(await toldAfter(() => api.endStreams())).toEqual(['listed']);
    expect(api.asked.slice(asked)).toEqual(['list Cluster', 'watch Cluster']);
    expect(await toldAfter(() => put('a', provisioned))).toEqual(['ns/a Provisioned']);
  });

  it('finds out what went while nobody watched', async () => {
    put('a');
    put('b');
    await follow();
    api.fail(clusterKind, { reason: 'Unavailable', message: 'no answer' });
    await toldAfter(() => api.endStreams());
    api.remove(clusterKind, { namespace: 'ns', name: 'a' });
    api.fail(clusterKind, undefined);
    await clock.advance(1_000);
    expect(told.slice(-2)).toEqual(['ns/a gone', 'listed']);
  });

  it('asks a server that refuses once a second', async () => {
    api.fail(clusterKind, { reason: 'Forbidden', code: 403, message: 'no' });
    await follow();
    await clock.advance(2_999);
    expect(api.asked).toEqual(['list Cluster', 'list Cluster', 'list Cluster']);
  });

  it('waits a second after a watch that was refused, because the listing may work all the same', async () => {
    api.compact();
    const refusing: Watches = {
      page: async (query, options) => {
        const answer = await api.page(query, options);
        return answer.ok ? answered({ ...answer.value, resourceVersion: '1' }) : answer;
      },
      watch: (query, options) => api.watch(query, options),
    };
    following = followClusters({
      watches: refusing,
      clock,
      signal: stopping.signal,
      watchFilter: '',
      onChange: () => undefined,
      onListed: () => undefined,
    });
    await clock.advance(999);
    expect(api.asked).toEqual(['list Cluster', 'watch Cluster']);
    await clock.advance(1);
    expect(api.asked).toEqual(['list Cluster', 'watch Cluster', 'list Cluster', 'watch Cluster']);
  });

  it('ends when told to', async () => {
    await follow();
    stopping.abort();
    await expect(following).resolves.toBeUndefined();
    expect(api.open.size).toBe(0);
  });
});
