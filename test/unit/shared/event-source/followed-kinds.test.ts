// The provider kinds that the forwarders follow: those that Clusters reference, at most one hundred.

import {
  type ApiFailure,
  answered,
  type ListedPage,
  refused,
  type Unstructured,
  type Watches,
} from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { kindsOfCluster } from '../../../../shared/api/cluster/reader.ts';
import { FollowedKinds } from '../../../../shared/event-source/followed-kinds.ts';
import { mostKindsOfNamespace, mostReferencedKinds } from '../../../../shared/event-source/referenced-kinds.ts';
import { aRecordingLog } from '../../../support/kernel.ts';
import { clusterKind } from '../../functions/watch-forwarder/stepped-forwarder.ts';

const group = 'infrastructure.cluster.x-k8s.io';
const { signal } = new AbortController();
const kindNames = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `Kind${from + index}`);

/** Clusters with numbered kinds share a namespace by twenty. */
function aCluster(kind: string, labels = {}): Unstructured {
  const number = /^Kind(\d+)$/.exec(kind)?.[1];
  const namespace = number === undefined ? 'default' : `tenant-${Math.floor(Number(number) / mostKindsOfNamespace)}`;
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: { namespace, name: kind.toLowerCase(), labels, uid: kind, resourceVersion: '1' },
    spec: { infrastructureRef: { apiGroup: group, kind, name: 'one' } },
  };
}

function aWorld({ known = [] as readonly string[], watchFilter = '' } = {}) {
  const clusters = new Map<string, Unstructured>();
  const log = aRecordingLog();
  const world = { lists: 0, isDown: false, whileListing: () => {} };
  const watches: Pick<Watches, 'page'> = {
    page: async () => {
      world.lists += 1;
      const page: ListedPage = { items: [...clusters.values()], resourceVersion: '1' };
      world.whileListing();
      return world.isDown ? refused({ reason: 'Unavailable', message: 'no route to host' }) : answered(page);
    },
  };
  const kinds = new FollowedKinds({
    referrer: { kind: clusterKind, kindsOf: kindsOfCluster },
    watches,
    watchFilter,
    log,
    known: known.map(kind => ({ group, kind })),
  });
  return {
    world,
    log,
    kinds,
    followed: () => [...kinds.all.values()].map(({ kind }) => kind),
    create(...names: readonly string[]) {
      for (const name of names) {
        clusters.set(name, aCluster(name));
        kinds.see({ type: 'ADDED', object: aCluster(name) }, 'event');
      }
    },
    remove(...names: readonly string[]) {
      for (const name of names) {
        clusters.delete(name);
        kinds.see({ type: 'DELETED', object: aCluster(name) }, 'event');
      }
    },
    /** The answers for followed kinds. Without a reason, a provider defines them. */
    locate(names: readonly string[], reason?: ApiFailure['reason']) {
      for (const kind of names) {
        kinds.located({ group, kind }, reason === undefined ? answered({}) : refused({ reason, message: 'no CRD' }));
      }
    },
    tidy: (isComplete = false) => kinds.tidy({ isComplete, signal }),
    put: (name: string, labels = {}) => clusters.set(name, aCluster(name, labels)),
  };
}

describe('the followed kinds', () => {
  it('hold every kind that a Cluster references, once', () => {
    const { create, followed, kinds } = aWorld();
    create('Metal', 'Cloud', 'Metal');
    expect(followed()).toEqual(['Metal', 'Cloud']);
    expect([...kinds.all.keys()]).toEqual([`Metal.${group}`, `Cloud.${group}`]);
  });

  it('do not come from deleted Clusters', () => {
    const { remove, followed } = aWorld();
    remove('Metal');
    expect(followed()).toEqual([]);
  });

  it('keep a kind that another Cluster references, and drop the others', async () => {
    const { create, remove, put, tidy, followed, log } = aWorld();
    create('Metal', 'Cloud');
    put('Second', {});
    remove('Metal');
    await tidy();
    expect(followed()).toEqual(['Cloud', 'Second']);
    expect(log.lines).toMatchObject([{ level: 'info', source: `Metal.${group}` }]);
  });

  it('drop a kind that was referenced and deleted since the last call', async () => {
    const { create, remove, tidy, followed } = aWorld({ known: ['Cloud'] });
    create('Metal', 'Cloud');
    remove('Metal');
    await tidy();
    expect(followed()).toEqual(['Cloud']);
  });

  it('cost no list while no Cluster was deleted, or while they are empty', async () => {
    const { create, remove, tidy, world } = aWorld();
    remove('Metal');
    await tidy();
    expect(world.lists).toBe(0);
    const other = aWorld();
    create('Metal');
    other.create('Metal');
    await other.tidy();
    expect(other.world.lists).toBe(0);
  });

  it('list Clusters after a list, because it may hide deletions', async () => {
    const { kinds, tidy, followed, world } = aWorld({ known: ['Cloud'] });
    kinds.see({ type: 'ADDED', object: aCluster('Metal') }, 'list');
    await tidy();
    expect(world.lists).toBe(1);
    expect(followed()).toEqual([]);
    await tidy();
    expect(world.lists).toBe(1);
  });

  it('cost no list if every Cluster was seen', async () => {
    const { create, tidy, followed, world } = aWorld({ known: ['Metal', 'Cloud'] });
    create('Cloud', 'Third');
    await tidy(true);
    expect(followed()).toEqual(['Cloud', 'Third']);
    expect(world.lists).toBe(0);
  });

  it('keep everything while Clusters cannot be listed, and list them again next time', async () => {
    const { create, remove, tidy, followed, world, log } = aWorld();
    create('Metal');
    remove('Metal');
    world.isDown = true;
    await tidy();
    expect(followed()).toEqual(['Metal']);
    expect(log.lines).toMatchObject([{ level: 'info', answer: 'no route to host' }]);
    world.isDown = false;
    await tidy();
    expect(followed()).toEqual([]);
  });

  it('keep a kind that a Cluster references while Clusters are listed', async () => {
    const { create, remove, tidy, followed, world } = aWorld();
    create('Metal');
    remove('Metal');
    world.whileListing = () => create('Metal');
    await tidy();
    expect(followed()).toEqual(['Metal']);
  });

  it('ignore listed Clusters of another watch filter', async () => {
    const { put, remove, tidy, followed } = aWorld({ known: ['Blue', 'Green'], watchFilter: 'blue' });
    put('Blue', { 'cluster.x-k8s.io/watch-filter': 'blue' });
    put('Green', {});
    remove('Red');
    await tidy();
    expect(followed()).toEqual(['Blue']);
  });
});

describe('the maximum of followed kinds', () => {
  it('counts known kinds', async () => {
    const all = kindNames(0, mostReferencedKinds);
    const { create, put, tidy, followed, log } = aWorld({ known: all });
    for (const name of all) {
      put(name);
    }
    create('Metal');
    await tidy();
    expect(followed()).toHaveLength(mostReferencedKinds);
    expect(log.lines).toMatchObject([{ level: 'error', source: `Metal.${group}`, most: mostReferencedKinds }]);
  });

  it('does not drop a followed kind in favour of a new one', async () => {
    const all = kindNames(0, mostReferencedKinds);
    const { create, put, remove, tidy, followed } = aWorld({ known: all });
    put('Metal', {});
    create(...all);
    remove('Cloud');
    await tidy();
    expect(followed()).toEqual(all);
  });

  it('accepts refused kinds once other kinds are dropped', async () => {
    const { create, remove, tidy, followed } = aWorld();
    create(...kindNames(0, mostReferencedKinds + 2));
    remove('Kind0');
    await tidy();
    expect(followed()).toEqual(kindNames(1, mostReferencedKinds + 1));
  });

  it('forgets a refused kind that the listed Clusters do not reference', async () => {
    const { create, remove, tidy, followed } = aWorld();
    create(...kindNames(0, mostReferencedKinds), 'Refused');
    remove('Refused', 'Kind0');
    await tidy();
    expect(followed()).toEqual(kindNames(1, mostReferencedKinds));
  });

  it('replaces all kinds at once if every Cluster was seen', async () => {
    const others = kindNames(mostReferencedKinds, 2 * mostReferencedKinds + 5);
    const { create, tidy, followed } = aWorld({ known: kindNames(0, mostReferencedKinds) });
    create(...others);
    await tidy(true);
    expect(followed()).toHaveLength(mostReferencedKinds);
    expect(others).toEqual(expect.arrayContaining(followed()));
  });
});

describe('the share of a namespace', () => {
  const hostile = Array.from({ length: 50 }, (_, index) => `Hostile${index}`);

  it('leaves places to others', () => {
    const { create, followed, log } = aWorld();
    create(...hostile, 'Kind0');
    expect(followed()).toEqual([...hostile.slice(0, mostKindsOfNamespace), 'Kind0']);
    expect(log.lines[0]).toMatchObject({ level: 'error', namespace: 'default', most: mostKindsOfNamespace });
  });

  it('counts the kinds of earlier runs, whose namespaces a list shows', async () => {
    const known = hostile.slice(0, mostKindsOfNamespace);
    const { create, put, tidy, followed, world } = aWorld({ known });
    for (const name of known) {
      put(name);
    }
    create(...hostile.slice(mostKindsOfNamespace), 'Kind0');
    expect(followed()).toEqual(known);
    await tidy();
    expect(world.lists).toBe(1);
    expect(followed()).toEqual([...known, 'Kind0']);
  });

  it('does not count while Clusters cannot be listed, so that no kind is missed', async () => {
    const { create, tidy, followed, world } = aWorld({ known: ['Known'] });
    create('Cloud');
    world.isDown = true;
    await tidy();
    expect(followed()).toEqual(['Known', 'Cloud']);
  });

  it('is free again when a kind is not referenced any more', async () => {
    const { create, remove, tidy, followed } = aWorld();
    create(...hostile.slice(0, mostKindsOfNamespace), 'Refused');
    remove('Hostile0');
    await tidy();
    expect(followed()).toEqual([...hostile.slice(1, mostKindsOfNamespace), 'Refused']);
  });

  it('keeps places among the refused kinds for others', async () => {
    const all = kindNames(0, mostReferencedKinds);
    const { create, remove, tidy, followed } = aWorld();
    create(...all, ...hostile, 'Kind200');
    remove(...all);
    await tidy();
    expect(followed()).toContain('Kind200');
  });
});

describe('a kind without a definition', () => {
  const tenants = kindNames(0, mostReferencedKinds);

  it.each([
    { reason: 'NotFound', reads: 'no CRD' },
    { reason: 'Invalid', reads: 'a CRD of no provider' },
  ] as const)('takes no place of a defined kind: $reads', ({ reason }) => {
    const { create, locate, followed } = aWorld();
    create(...tenants, 'Metal');
    expect(followed()).toEqual(tenants);
    locate(['Kind0'], reason);
    expect(followed()).toEqual([...tenants, 'Metal']);
  });

  it('takes its place while nothing shows that it has no definition', () => {
    const { create, locate, followed } = aWorld();
    create(...tenants, 'Metal');
    locate(['Kind0'], 'Unavailable');
    locate(['Kind1']);
    expect(followed()).toEqual(tenants);
  });

  it('takes no share of its namespace', () => {
    const { create, locate, followed } = aWorld();
    const own = Array.from({ length: mostKindsOfNamespace }, (_, index) => `Own${index}`);
    create(...own, 'Metal');
    locate(own, 'NotFound');
    expect(followed()).toEqual([...own, 'Metal']);
  });

  it('is followed as long as its namespace has few of them, and takes a place again once it is defined', () => {
    const { create, locate, followed } = aWorld();
    create(...tenants);
    locate(['Kind0', 'Kind0'], 'NotFound');
    locate(['Kind0']);
    create('Metal');
    expect(followed()).toEqual(tenants);
  });

  it('is dropped beyond the share of its namespace, and tried again by tidying only', async () => {
    const { create, locate, followed, tidy } = aWorld();
    const own = Array.from({ length: mostKindsOfNamespace }, (_, index) => `Own${index}`);
    create(...own, 'One');
    locate([...own, 'One'], 'NotFound');
    expect(followed()).toEqual(own);
    create('One', 'Metal');
    locate(['Metal']);
    expect(followed()).toEqual([...own, 'Metal']);
    await tidy();
    expect(followed()).toEqual([...own, 'Metal', 'One']);
  });

  it('of a hostile namespace is dropped before those of others if all have too many', () => {
    const { create, locate, followed } = aWorld();
    create(...tenants);
    locate(tenants, 'NotFound');
    create('Metal');
    locate(['Metal'], 'NotFound');
    expect(followed()).toEqual([...tenants.filter(kind => kind !== 'Kind19'), 'Metal']);
  });

  it('is not followed any more if no object references it, and has its place again later', async () => {
    const { create, remove, locate, followed, tidy } = aWorld();
    create('One', 'Metal');
    locate(['One'], 'NotFound');
    remove('One');
    await tidy();
    expect(followed()).toEqual(['Metal']);
    locate(['One'], 'NotFound');
    expect(followed()).toEqual(['Metal']);
  });

  it('of an earlier run stays until the namespaces are known', async () => {
    const known = kindNames(0, mostReferencedKinds);
    const { create, put, locate, followed, tidy } = aWorld({ known });
    for (const name of known) {
      put(name);
    }
    locate(known, 'NotFound');
    create('Metal');
    expect(followed()).toEqual(known);
    await tidy();
    expect(followed()).toEqual([...known, 'Metal']);
  });

  it('leaves places to another namespace however many namespaces name such kinds', () => {
    const { create, locate, followed } = aWorld();
    const hostile = kindNames(0, 4 * mostReferencedKinds);
    create(...hostile, 'Metal');
    for (let names = followed(); !names.includes('Metal') && names.length > 0; ) {
      locate(names, 'NotFound');
      names = followed().filter(name => !names.includes(name));
    }
    expect(followed()).toContain('Metal');
  });
});
