// Events of sources whose primaries read only a part of them.

import { type Unstructured, valueAt, withoutUndefined } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { SeenVersions } from '../../../../shared/event-source/seen-versions.ts';

const route = { reconciler: 'machine', versionOf: ({ spec }: Unstructured) => JSON.stringify(spec) };

function anObject(spec: unknown, uid = 'u1'): Unstructured {
  return {
    apiVersion: 'v1',
    kind: 'Widget',
    metadata: { name: 'w', uid, resourceVersion: '1' },
    spec: spec as Record<string, unknown>, // true: the tests write objects
  };
}

const modified = (object: Unstructured) => ({ type: 'MODIFIED', object }) as const;
const deleted = (object: Unstructured) => ({ type: 'DELETED', object }) as const;

/** Returns whether each event is news. */
function follow(versions: SeenVersions, ...events: readonly ReturnType<typeof modified | typeof deleted>[]) {
  return events.map(event => versions.isNews(route, event, false));
}

describe('an event of an object', () => {
  it('is news if the version changed', () => {
    const events = [1, 1, 2, 1].map(a => modified(anObject({ a })));
    expect(follow(new SeenVersions(), ...events)).toEqual([true, false, true, true]);
  });

  it('is news if it is a deletion, and if the object exists again', () => {
    const object = anObject({ a: 1 });
    const versions = new SeenVersions();
    expect(follow(versions, modified(object), deleted(object), deleted(object), modified(object))).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });

  it('is not news if it is of the first list, and its version is recorded', () => {
    const versions = new SeenVersions();
    expect(versions.isNews(route, modified(anObject({ a: 1 })), true)).toBe(false);
    expect(follow(versions, modified(anObject({ a: 1 })), modified(anObject({ a: 2 })))).toEqual([false, true]);
  });

  it('is news if a later list shows another version', () => {
    const versions = new SeenVersions();
    follow(versions, modified(anObject({ a: 1 })));
    expect(versions.isNews(route, modified(anObject({ a: 2 })), true)).toBe(true);
    expect(versions.isNews(route, modified(anObject({ a: 2 })), true)).toBe(false);
  });

  it('is compared for each reconciler and each object', () => {
    const versions = new SeenVersions();
    follow(versions, modified(anObject({ a: 1 })));
    expect(versions.isNews({ ...route, reconciler: 'other' }, modified(anObject({ a: 1 })), false)).toBe(true);
    expect(follow(versions, modified(anObject({ a: 1 }, 'u2')))).toEqual([true]);
  });

  it('is always news without a version, or without uid', () => {
    const versions = new SeenVersions();
    const { metadata, ...object } = anObject({ a: 1 });
    const { uid: _, ...nameless } = metadata;
    const event = modified({ ...object, metadata: nameless as Unstructured['metadata'] }); // true: a server may omit it
    expect([1, 2].map(() => versions.isNews(route, event, true))).toEqual([true, true]);
    const plain = { reconciler: 'machine' };
    expect([1, 2].map(() => versions.isNews(plain, modified(anObject({})), true))).toEqual([true, true]);
  });
});

describe('an event of another generation', () => {
  /** Primaries read only `template`. */
  const scaled = {
    reconciler: 'machine',
    versionOf: ({ metadata }: Unstructured) => JSON.stringify([metadata.generation]),
    contentOf: ({ spec }: Unstructured) => JSON.stringify([valueAt(spec, 'template')]),
  };
  const at = (generation: number | undefined, spec: unknown) => {
    const { metadata, ...object } = anObject(spec);
    return modified({ ...object, metadata: { ...metadata, ...withoutUndefined({ generation }) } });
  };

  it.each([
    {
      reason: 'no news if only another part changed',
      events: [at(1, { replicas: 1 }), at(2, { replicas: 2 })],
      isNews: false,
    },
    { reason: 'news if the content changed', events: [at(1, { template: 1 }), at(2, { template: 2 })], isNews: true },
    {
      reason: 'news after a generation that was not seen',
      events: [at(1, { template: 1 }), at(3, { template: 1 })],
      isNews: true,
    },
    {
      reason: 'news if it is of an earlier generation',
      events: [at(2, { template: 1 }), at(1, { template: 1 })],
      isNews: true,
    },
    {
      reason: 'news if the object had no generation',
      events: [at(undefined, { template: 1 }), at(1, { template: 1 })],
      isNews: true,
    },
    {
      reason: 'news if the object has no generation',
      events: [at(1, { template: 1 }), at(undefined, { template: 1 })],
      isNews: true,
    },
    {
      reason: 'news if the object was deleted',
      events: [at(1, { template: 1 }), deleted(anObject({ template: 1 }))],
      isNews: true,
    },
  ])('is $reason', ({ events, isNews }) => {
    const versions = new SeenVersions();
    expect(events.map(event => versions.isNews(scaled, event, false))).toEqual([true, isNews]);
  });

  it('is compared with the generation before it, also if that was no news', () => {
    const versions = new SeenVersions();
    const events = [at(1, { template: 1 }), at(2, { template: 1 }), at(3, { template: 1 }), at(4, { template: 2 })];
    expect(events.map(event => versions.isNews(scaled, event, false))).toEqual([true, false, false, true]);
  });
});

describe('an event of a source whose value may return', () => {
  const whole = { reconciler: 'topology', contentOf: ({ spec }: Unstructured) => JSON.stringify(spec) };
  const events = ['a', 'a', 'b', 'a'].map(value => modified(anObject({ value })));

  it('is no news to a source that receives every change, if the one before was the same', () => {
    const versions = new SeenVersions(undefined, { isOrdered: true });
    expect(events.map(event => versions.isNews(whole, event, false))).toEqual([true, false, true, true]);
    expect(versions.isNews(whole, deleted(anObject({ value: 'a' })), false)).toBe(true);
  });

  it('is news after a list, because changes may have been missed', () => {
    const versions = new SeenVersions(undefined, { isOrdered: true });
    const event = modified(anObject({ value: 'a' }));
    expect([true, true, false].map(isListed => versions.isNews(whole, event, isListed))).toEqual([true, true, false]);
  });

  it('is always news to other sources', () => {
    const versions = new SeenVersions();
    expect(events.map(event => versions.isNews(whole, event, false))).toEqual([true, true, true, true]);
  });
});

describe('versions of a window', () => {
  it('are known to later windows only after a commit', () => {
    const known = new SeenVersions();
    const failed = new SeenVersions(known);
    expect(follow(failed, modified(anObject({ a: 1 })), modified(anObject({ a: 1 })))).toEqual([true, false]);
    const retried = new SeenVersions(known);
    expect(follow(retried, modified(anObject({ a: 1 })))).toEqual([true]);
    retried.commit();
    expect(follow(new SeenVersions(known), modified(anObject({ a: 1 })), modified(anObject({ a: 2 })))).toEqual([
      false,
      true,
    ]);
    expect(follow(known, modified(anObject({ a: 1 })))).toEqual([false]);
  });

  it('need no commit without other versions', () => {
    const versions = new SeenVersions();
    follow(versions, modified(anObject({ a: 1 })));
    versions.commit();
    expect(follow(versions, modified(anObject({ a: 1 })))).toEqual([true]);
  });
});

describe('the capacity', () => {
  it('drops the object whose last event is the oldest', () => {
    const versions = new SeenVersions();
    const object = (index: number) => modified(anObject({}, `u${index}`));
    for (let index = 0; index < 50_000; index += 1) {
      follow(versions, object(index));
    }
    // The event makes object 0 the newest, so object 1 is dropped.
    expect(follow(versions, object(0), object(50_000), object(0), object(1))).toEqual([false, true, false, true]);
  });
});
