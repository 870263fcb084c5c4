import { describe, expect, it } from 'vitest';
import { Inventory, mostRows } from '../../../../functions/resync/inventory.ts';
import { parseLastRun, toData } from '../../../../functions/resync/stored-fingerprints.ts';

const source = { apiVersion: 'v1', kind: 'Policy' };

function toKey(name: string, namespace = 'ns') {
  return { managementCluster: 'mgmt', group: 'g', kind: 'Widget', namespace, name };
}

type Widgets = Readonly<Record<string, readonly string[]>>;

/** An inventory of widgets. Each widget has the objects `uid@resourceVersion`. */
function toInventory(widgets: Widgets, namespaceOf = (_name: string): string => 'ns'): Inventory {
  const inventory = new Inventory();
  for (const [name, objects] of Object.entries(widgets)) {
    for (const object of objects) {
      const [uid = '', resourceVersion = ''] = object.split('@');
      const target = { reconciler: 'widget', key: toKey(name, namespaceOf(name)) };
      inventory.work({ key: name, target, cause: 'list', source: { uid, resourceVersion } });
    }
  }
  return inventory;
}

/** Widgets with one object each. */
function many(count: number, prefix: string, version = 1): Widgets {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`${prefix}${index}`, [`${prefix}${index}@${version}`]]),
  );
}

function changedNames(before: Inventory, after: Inventory): readonly string[] {
  return after.compare(before.fingerprints()).changed.work.map(({ key }) => key.name);
}

describe('the comparison of two inventories', () => {
  const before = { a: ['1@1', '2@1'], b: ['3@1'] };

  it.each([
    { after: before, changed: [], reason: 'nothing changed' },
    { after: { b: ['3@1'], a: ['2@1', '1@1'] }, changed: [], reason: 'the order of a list has no meaning' },
    { after: { ...before, a: ['1@1', '2@2'] }, changed: ['a'], reason: 'an object changed' },
    { after: { ...before, a: ['1@1'] }, changed: ['a'], reason: 'an object is gone' },
    { after: { ...before, a: ['1@1', '2@1', '4@1'] }, changed: ['a'], reason: 'an object is new' },
    { after: { a: ['1@1'], b: ['3@1', '2@1'] }, changed: ['a', 'b'], reason: 'an object has another owner' },
    { after: { ...before, a: ['1@2', '2@0'] }, changed: ['a'], reason: 'two changes do not cancel each other' },
    { after: { ...before, c: ['5@1'] }, changed: ['c'], reason: 'a target is new' },
    { after: { a: before.a }, changed: [], reason: 'a target is gone' },
  ])('finds $changed: $reason', ({ after, changed }) => {
    expect(changedNames(toInventory(before), toInventory(after))).toEqual(changed);
  });

  it('treats an object without a version as unchanged', () => {
    const inventory = new Inventory();
    inventory.work({ key: 'a', target: { reconciler: 'widget', key: toKey('a') }, cause: 'list', source: undefined });
    expect(changedNames(new Inventory(), inventory)).toEqual([]);
  });

  it('adds the parts of several lists', () => {
    const merged = toInventory({ a: ['1@1'] });
    merged.merge(toInventory({ a: ['2@1'], b: ['3@1'] }));
    expect(merged.fingerprints()).toEqual(toInventory(before).fingerprints());
  });

  it('finds that the last source of a kind is gone', () => {
    const [before, after] = [new Inventory(), new Inventory()];
    const target = { reconciler: 'widget', source: { ...source, name: 'one' } };
    for (const inventory of [before, after]) {
      inventory.expandKind('Policy', { reconciler: 'widget', source });
    }
    before.expand({ key: JSON.stringify(target), target, cause: 'list', source: { uid: '1', resourceVersion: '1' } });
    expect(after.compare(before.fingerprints()).changed).toEqual({
      work: [],
      expansions: [{ reconciler: 'widget', source }],
    });
  });
});

it('objects in another version have another fingerprint, because they may say something else', () => {
  const [before, after] = [new Inventory('v1beta1'), new Inventory('v1beta2')];
  for (const inventory of [before, after]) {
    const target = { reconciler: 'widget', key: toKey('a') };
    inventory.work({ key: 'a', target, cause: 'list', source: { uid: '1', resourceVersion: '1' } });
  }
  expect(changedNames(before, after)).toEqual(['a']);
});

describe('fingerprints of a run that goes on', () => {
  it('let the next run enqueue what is left, and nothing else', () => {
    const inventory = toInventory({ a: ['1@1'], b: ['2@1'] });
    const all = inventory.fingerprints();
    const left = inventory.due(({ key }) => key.name === 'b');
    expect(inventory.compare(inventory.settled(all, new Set())).changed.work).toEqual([]);
    expect(inventory.compare(inventory.settled(all, new Set(left))).changed.work).toEqual(left);
  });

  it('let the next run expand a kind whose last object is gone', () => {
    const inventory = new Inventory();
    const left = { reconciler: 'widget', source };
    inventory.expandKind('Policy', left);
    const all = inventory.fingerprints();
    expect(inventory.compare(inventory.settled(all, new Set())).changed.expansions).toEqual([]);
    expect(inventory.compare(inventory.settled(all, new Set([left]))).changed.expansions).toEqual([left]);
  });
});

describe('targets with unknown objects', () => {
  const always = () => true;
  const named = (name: string) => (target: { readonly key: { readonly name: string } }) => target.key.name === name;
  const before = toInventory({ a: ['1@1', '2@1'], b: ['3@1'], gone: ['4@1'] }).fingerprints();
  const now = toInventory({ a: ['1@2'], b: ['3@2'] });

  it('are not compared, and keep their rows', () => {
    const { changed, overdue, fingerprints } = now.compare(before, { now: named('a'), again: named('x') });
    expect(changed.work.map(({ key }) => key.name)).toEqual(['b']);
    expect(overdue.work).toEqual([]);
    expect(fingerprints).toEqual(toInventory({ a: ['1@1', '2@1'], b: ['3@2'], gone: ['4@1'] }).fingerprints());
  });

  it('are overdue after a second run', () => {
    const { changed, overdue } = now.compare(before, { now: named('a'), again: named('a') });
    expect(changed.work.map(({ key }) => key.name)).toEqual(['b']);
    expect(overdue.work.map(({ key }) => key.name)).toEqual(['a']);
  });

  it('make the others of their row unknown', () => {
    const shared = { rows: new Map<number, number>(), rowsPerNamespace: 1 };
    const { fingerprints } = now.compare(shared, { now: () => false, again: () => false });
    expect(fingerprints.rows.size).toBe(1);
    const later = toInventory({ a: ['1@3'], b: ['3@3'] });
    const { changed, overdue, ...kept } = later.compare(fingerprints, { now: named('a'), again: named('a') });
    expect(changed.work).toEqual([]);
    expect(overdue.work.map(({ key }) => key.name)).toEqual(['a', 'b']);
    expect(kept.fingerprints).toEqual(fingerprints);
  });

  it('do not keep more rows than there may be', () => {
    const rows = new Map(Array.from({ length: mostRows }, (_, row) => [row, 1]));
    const { fingerprints } = now.compare({ rows, rowsPerNamespace: undefined }, { now: () => false, again: always });
    expect(fingerprints).toEqual(now.fingerprints());
  });
});

it('more targets than rows share rows, so that the result fits into a ConfigMap and no change is missed', () => {
  const widgets = many(mostRows + 1, 'w');
  const before = toInventory(widgets).fingerprints();
  expect(before.rows.size).toBeLessThanOrEqual(mostRows);
  const data = toData({ run: 1, settings: 'same', fingerprints: before, unknown: new Set(), losses: {} });
  expect(JSON.stringify(data).length).toBeLessThan(1_048_576 * 0.9);
  const after = toInventory({ ...widgets, w7: ['w7@2'] });
  const changed = after.compare(before).changed.work.map(({ key }) => key.name);
  expect(changed).toContain('w7');
  expect(changed.length).toBeLessThan(12);
});

describe('targets that begin or end to share rows', () => {
  const widgets = many(mostRows, 'w');
  const [own, shared] = [toInventory(widgets), toInventory({ ...widgets, another: ['another@1'] })];

  it.each([
    { before: own, after: shared, what: 'one target more' },
    { before: shared, after: own, what: 'one target less' },
  ])('are compared all the same: $what', ({ before, after }) => {
    expect(changedNames(before, after).length).toBeLessThan(12);
  });

  it('include the new one', () => {
    expect(changedNames(own, shared)).toContain('another');
  });
});

describe('one namespace with more targets than there are rows', () => {
  // Names of widgets of this namespace begin with "l".
  const namespaceOf = (name: string): string => (name.startsWith('l') ? 'large' : `small-${name.slice(1, 2)}`);
  const large = many(mostRows + 5000, 'l');
  const small = many(1000, 's');
  const before = toInventory({ ...large, ...small }, namespaceOf);

  const changedBy = (change: Widgets): readonly string[] =>
    changedNames(before, toInventory({ ...large, ...small, ...change }, namespaceOf));

  it('has the rows that the others leave', () => {
    const { rows, rowsPerNamespace = 0 } = before.fingerprints();
    // Of 64,536 rows, two thirds belong to one target or more: the hash distributes targets as it happens.
    expect(rowsPerNamespace).toBe(mostRows - 1000);
    expect(rows.size).toBeLessThanOrEqual(mostRows);
    expect(rows.size).toBeGreaterThan(0.6 * mostRows);
  });

  it('enqueues no target of another namespace by its changes', () => {
    const changed = changedBy(many(5000, 'l', 2));
    expect(changed.filter(name => name.startsWith('s'))).toEqual([]);
    expect(changed.length).toBeGreaterThanOrEqual(5000);
  });

  it('is not enqueued by a change of another namespace', () => {
    const changed = changedBy({ s7: ['s7@2'] });
    expect(changed).toContain('s7');
    expect(changed.filter(name => namespaceOf(name) !== 'small-7')).toEqual([]);
    expect(changed.length).toBeLessThan(3);
  });

  it('enqueues no target of another namespace when it grows to this size', () => {
    const few = toInventory({ ...many(100, 'l'), ...small }, namespaceOf);
    const changed = changedNames(few, before);
    expect(changed.filter(name => name.startsWith('s'))).toEqual([]);
    expect(changed.length).toBe(mostRows + 5000 - 100);
    expect(changedNames(before, few).filter(name => name.startsWith('s'))).toEqual([]);
  });
});

it('more namespaces than rows share rows, and no change is missed', () => {
  const widgets = many(mostRows + 1, 'n');
  const toSelf = (name: string): string => name;
  const before = toInventory(widgets, toSelf).fingerprints();
  expect(before.rowsPerNamespace).toBe(0);
  expect(before.rows.size).toBeLessThanOrEqual(mostRows);
  const after = toInventory({ ...widgets, n7: ['n7@2'] }, toSelf);
  const changed = after.compare(before).changed.work.map(({ key }) => key.name);
  expect(changed).toContain('n7');
  expect(changed.length).toBeLessThan(12);
});

describe('the stored result', () => {
  const last = {
    run: 7,
    settings: 'abc',
    fingerprints: toInventory({ a: ['1@1'], b: ['2@1'] }).fingerprints(),
    unknown: new Set<string>(),
    losses: {},
  };

  it('is read as it was written', () => {
    expect(parseLastRun(toData(last))).toEqual(last);
  });

  it('is read as it was written if targets share rows', () => {
    const shared = { ...last, fingerprints: { ...last.fingerprints, rowsPerNamespace: 5 } };
    expect(parseLastRun(toData(shared))).toEqual(shared);
  });

  it('contains the kinds that could not be listed, in any order', () => {
    const unknown = new Set(['two', 'one']);
    expect(toData({ ...last, unknown })['unknown']).toBe('one two');
    expect(parseLastRun(toData({ ...last, unknown }))).toEqual({ ...last, unknown });
  });

  it('does not depend on the order of lists', () => {
    const { fingerprints } = toData(last);
    const reversed = { ...last, fingerprints: toInventory({ b: ['2@1'], a: ['1@1'] }).fingerprints() };
    expect(toData(reversed)['fingerprints']).toBe(fingerprints);
  });

  it.each([
    { change: { run: '' }, reason: 'there is no run' },
    { change: { run: 'x' }, reason: 'the run is not a number' },
    { change: { settings: '' }, reason: 'there are no settings' },
    { change: { fingerprints: 'AAAA' }, reason: 'a row is cut off' },
    { change: { rowsPerNamespace: '' }, reason: 'the number of rows is not a number' },
    { change: { fingerprints: '?' }, reason: 'it is not base64' },
    { change: { fingerprints: Buffer.alloc((mostRows + 1) * 10).toString('base64') }, reason: 'it is too large' },
  ])('is ignored if $reason', ({ change }) => {
    expect(parseLastRun({ ...toData(last), ...change })).toBeUndefined();
  });

  it('is ignored if the ConfigMap is empty', () => {
    expect(parseLastRun({})).toBeUndefined();
  });
});
