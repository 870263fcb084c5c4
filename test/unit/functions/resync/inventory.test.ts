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
  return after.changedSince(before.fingerprints(), after.fingerprints()).work.map(({ key }) => key.name);
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
      inventory.expandKind({ reconciler: 'widget', source });
    }
    before.expand({ key: JSON.stringify(target), target, cause: 'list', source: { uid: '1', resourceVersion: '1' } });
    const { work, expansions } = after.changedSince(before.fingerprints(), after.fingerprints());
    expect({ work, expansions }).toEqual({ work: [], expansions: [{ reconciler: 'widget', source }] });
  });
});

it('more targets than rows share rows, so that the result fits into a ConfigMap and no change is missed', () => {
  const widgets = many(mostRows + 1, 'w');
  const before = toInventory(widgets).fingerprints();
  expect(before.rows.size).toBeLessThanOrEqual(mostRows);
  const data = toData({ run: 1, settings: 'same', fingerprints: before });
  expect(JSON.stringify(data).length).toBeLessThan(1_048_576 * 0.9);
  const after = toInventory({ ...widgets, w7: ['w7@2'] });
  const changed = after.changedSince(before, after.fingerprints()).work.map(({ key }) => key.name);
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
  const changed = after.changedSince(before, after.fingerprints()).work.map(({ key }) => key.name);
  expect(changed).toContain('n7');
  expect(changed.length).toBeLessThan(12);
});

describe('the stored result', () => {
  const last = { run: 7, settings: 'abc', fingerprints: toInventory({ a: ['1@1'], b: ['2@1'] }).fingerprints() };

  it('is read as it was written', () => {
    expect(parseLastRun(toData(last))).toEqual(last);
  });

  it('is read as it was written if targets share rows', () => {
    const shared = { ...last, fingerprints: { ...last.fingerprints, rowsPerNamespace: 5 } };
    expect(parseLastRun(toData(shared))).toEqual(shared);
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
