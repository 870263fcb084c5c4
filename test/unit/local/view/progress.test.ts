import { answered, type Watches } from '@capi-serverless/apimachinery';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { followClusters } from '../../../../local/view/progress.ts';
import { FakeWatches } from '../../../support/fake-watches.ts';
import { SteppedClock, settled } from '../../../support/stepped-clock.ts';

const clusterKind = { group: 'cluster.x-k8s.io', version: 'v1beta2', kind: 'Cluster', scope: 'Namespaced' } as const;
const filterLabel = 'cluster.x-k8s.io/watch-filter';
const provisioned = { status: { phase: 'Provisioned' } };

let api: FakeWatches;
let clock: SteppedClock;
let reported: string[];
let stopping: AbortController;
let following: Promise<void>;

beforeEach(() => {
  api = new FakeWatches(clusterKind);
  clock = new SteppedClock();
  reported = [];
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
    onChange: ({ name, view }) => reported.push(`${name} ${view === undefined ? 'gone' : view.phase || 'new'}`),
    onListed: () => reported.push('listed'),
  });
  return settled();
}

/** Changes the API and waits for the effects. Returns the reports of this time. */
async function reportedAfter(change: () => unknown): Promise<readonly string[]> {
  const before = reported.length;
  change();
  await settled();
  return reported.slice(before);
}

function put(name: string, fields = {}, labels: Readonly<Record<string, string>> = {}): void {
  api.put(clusterKind, { name, namespace: 'ns', labels }, fields);
}

describe('following Clusters', () => {
  it('reports those that exist, and then that these are all', async () => {
    put('a', provisioned);
    put('b');
    await follow();
    expect(reported).toEqual(['ns/a Provisioned', 'ns/b new', 'listed']);
  });

  it('reads every page before it reports that', async () => {
    for (let number = 0; number < 501; number += 1) {
      put(`c${number}`);
    }
    await follow();
    expect(reported).toHaveLength(502);
    expect(reported.at(-1)).toBe('listed');
  });

  it('reports visible changes only', async () => {
    await follow();
    expect(await reportedAfter(() => put('a'))).toEqual(['ns/a new']);
    expect(await reportedAfter(() => put('a', { spec: { paused: false } }))).toEqual([]);
    expect(await reportedAfter(() => api.bookmark(clusterKind))).toEqual([]);
    expect(await reportedAfter(() => put('a', provisioned))).toEqual(['ns/a Provisioned']);
    expect(await reportedAfter(() => api.remove(clusterKind, { namespace: 'ns', name: 'a' }))).toEqual(['ns/a gone']);
  });

  it('omits objects that the watch filter omits, also if a label is added or removed', async () => {
    put('mine', {}, { [filterLabel]: 'blue' });
    put('theirs', {}, { [filterLabel]: 'red' });
    await follow('blue');
    expect(reported).toEqual(['ns/mine new', 'listed']);
    expect(await reportedAfter(() => put('mine', {}, { [filterLabel]: 'red' }))).toEqual(['ns/mine gone']);
    expect(await reportedAfter(() => put('theirs', {}, { [filterLabel]: 'blue' }))).toEqual(['ns/theirs new']);
    expect(await reportedAfter(() => api.remove(clusterKind, { namespace: 'ns', name: 'mine' }))).toEqual([]);
  });

  it('continues with a new list when a stream ends', async () => {
    put('a');
    put('b');
    await follow();
    const asked = api.asked.length;
    expect(await reportedAfter(() => api.endStreams())).toEqual(['listed']);
    expect(api.asked.slice(asked)).toEqual(['list Cluster', 'watch Cluster']);
    expect(await reportedAfter(() => put('a', provisioned))).toEqual(['ns/a Provisioned']);
  });

  it('detects objects that were deleted between two watches', async () => {
    put('a');
    put('b');
    await follow();
    api.fail(clusterKind, { reason: 'Unavailable', message: 'no answer' });
    await reportedAfter(() => api.endStreams());
    api.remove(clusterKind, { namespace: 'ns', name: 'a' });
    api.fail(clusterKind, undefined);
    await clock.advance(1_000);
    expect(reported.slice(-2)).toEqual(['ns/a gone', 'listed']);
  });

  it('retries a server that refuses once a second', async () => {
    api.fail(clusterKind, { reason: 'Forbidden', code: 403, message: 'no' });
    await follow();
    await clock.advance(2_999);
    expect(api.asked).toEqual(['list Cluster', 'list Cluster', 'list Cluster']);
  });

  it('waits a second after a watch that was refused, because the listing may still succeed', async () => {
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

  it('ends at the abort', async () => {
    await follow();
    stopping.abort();
    await expect(following).resolves.toBeUndefined();
    expect(api.open.size).toBe(0);
  });
});
