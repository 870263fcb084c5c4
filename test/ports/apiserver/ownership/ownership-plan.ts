// Random writes of one object by three managers, with every verb of the API.
import { fc } from '../../../support/property.ts';

const word = fc.constantFrom('a', 'b', 'c');
const count = fc.nat(2);

/** Any subset of the members, usually a small one. */
function some<T extends Readonly<Record<string, fc.Arbitrary<unknown>>>>(members: T): fc.Arbitrary<object> {
  const names = Object.keys(members);
  return fc
    .subarray(names, { maxLength: Math.min(5, names.length) })
    .chain(keys => fc.record(Object.fromEntries(keys.map(key => [key, members[key] ?? fc.constant(null)]))));
}

function distinct<T>(item: fc.Arbitrary<T>, selector: (value: T) => unknown = value => value): fc.Arbitrary<T[]> {
  return fc.uniqueArray(item, { maxLength: 3, selector });
}

const texts = fc.dictionary(word, word, { maxKeys: 3 });
const keyOf = (item: object): unknown => ('name' in item ? item.name : undefined);
const merged = <T extends object>(required: fc.Arbitrary<T>, optional: fc.Arbitrary<object>): fc.Arbitrary<T> =>
  fc.tuple(required, optional).map(([one, other]) => ({ ...one, ...other }));

const item = merged(fc.record({ name: word }), some({ value: count, tags: distinct(word), labels: texts, kind: word }));
const endpoint = merged(fc.record({ port: count }), some({ protocol: fc.constantFrom('TCP', 'UDP'), name: word }));
const known = merged(fc.record({ name: word }), some({ value: count }));

const anything: fc.Arbitrary<unknown> = fc.letrec<{ readonly value: unknown }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3 },
    word,
    count,
    fc.constant(null),
    fc.dictionary(word, tie('value'), { maxKeys: 2 }),
    fc.array(tie('value'), { maxLength: 2 }),
  ),
})).value;

const embedded = fc.record({
  apiVersion: fc.constant('example.com/v1'),
  kind: fc.constant('Thing'),
  metadata: some({ name: word, labels: texts }),
  spec: fc.dictionary(word, anything, { maxKeys: 2 }),
});

const specMembers = {
  text: word,
  number: count,
  flag: fc.boolean(),
  mode: fc.constantFrom('Plain', 'Fancy'),
  port: fc.oneof(word, count),
  perhaps: fc.option(word),
  nested: some({ a: word, b: some({ c: word, d: count, e: some({ f: word }) }) }),
  map: texts,
  deepMap: fc.dictionary(word, some({ x: word, y: count }), { maxKeys: 2 }),
  mapOfSets: fc.dictionary(word, distinct(word), { maxKeys: 2 }),
  atomicMap: texts,
  atomicStruct: some({ a: word, b: word }),
  one: distinct(item, keyOf),
  two: distinct(endpoint, ({ port, ...rest }) => `${port}/${'protocol' in rest ? rest.protocol : 'TCP'}`),
  set: distinct(word),
  numbers: distinct(count),
  list: fc.array(word, { maxLength: 2 }),
  objects: fc.array(some({ a: word, b: count }), { maxLength: 2 }),
  free: fc.dictionary(word, anything, { maxKeys: 2 }),
  half: merged(
    fc.dictionary(fc.constantFrom('a', 'x', 'y'), word, { maxKeys: 2 }),
    some({ known: distinct(known, keyOf) }),
  ),
  embedded,
};

/** Values that violate the schema, or the rules of lists. */
const misfits: readonly object[] = [
  { unknown: 1 },
  { text: 1 },
  { number: 'one' },
  { set: ['a', 'a'] },
  { one: [{ name: 'a' }, { name: 'a' }] },
  { one: [{ value: 1 }] },
  { two: [{ port: 1 }, { port: 1, protocol: 'TCP' }] },
  { nested: null },
  { map: { a: null } },
  { nested: { b: { c: null } } },
  { mode: 'Odd' },
  { set: 'a' },
];
const misfit = fc.constantFrom(...misfits);

const spec = fc.oneof({ arbitrary: some(specMembers), weight: 20 }, { arbitrary: misfit, weight: 1 });

const condition = merged(fc.record({ type: word, status: word }), some({ reason: word }));
const status = some({
  phase: word,
  nested: some({ a: word, b: word }),
  conditions: distinct(condition, ({ type }) => type),
});

const owner = word.map(name => ({ apiVersion: 'example.com/v1', kind: 'Unserved', name, uid: `uid-${name}` }));
const metadata = some({
  labels: texts,
  annotations: texts,
  finalizers: distinct(word.map(each => `example.com/${each}`)),
  ownerReferences: distinct(owner, ({ uid }) => uid),
});

const content = fc.record({ metadata, spec, status });
const manager = fc.constantFrom('m1', 'm2', 'm3');
const version = fc.oneof({ arbitrary: fc.constant('v1'), weight: 4 }, { arbitrary: fc.constant('v1beta1'), weight: 1 });
const who = { manager, version, subresource: fc.constantFrom('', '', '', 'status') };

/** A merge patch in which null removes a field. */
const removal = fc.constantFrom(...Object.keys(specMembers)).map(key => ({ [key]: null }));
const change = fc.record({
  metadata: fc.oneof(metadata, fc.constantFrom({ labels: null }, { finalizers: null }, { annotations: { a: null } })),
  spec: fc.oneof({ arbitrary: spec, weight: 3 }, { arbitrary: removal, weight: 1 }),
  status,
});

const memberPath = fc.constantFrom(...Object.keys(specMembers)).chain(key =>
  // True: the key is one of the members.
  fc.record({
    path: fc.constant(`/spec/${key}`),
    value: specMembers[key as keyof typeof specMembers] as fc.Arbitrary<unknown>,
  }),
);
const operation = fc.oneof(
  memberPath.map(({ path, value }) => ({ op: 'add', path, value })),
  memberPath.map(({ path }) => ({ op: 'remove', path })),
  fc.record({ op: fc.constant('add'), path: word.map(key => `/spec/map/${key}`), value: word }),
  fc.record({ op: fc.constant('add'), path: fc.constant('/spec/one/-'), value: item }),
  fc.constantFrom({ op: 'remove', path: '/spec/one/0' }, { op: 'remove', path: '/metadata/labels/a' }),
);

const forget = fc.constantFrom<unknown>([{}], [], null);

/**
 * A real server removes all owners if a write to /status contains a spec that violates the schema. It ignores the spec
 * itself.
 */
function isSound(write: { readonly subresource: string; readonly content: { readonly spec: object } }): boolean {
  return write.subresource === '' || !misfits.includes(write.content.spec);
}

const step = fc.oneof(
  {
    arbitrary: fc.record({
      do: fc.constant('apply' as const),
      ...who,
      force: fc.boolean(),
      dryRun: fc.constantFrom(false, false, false, true),
      content,
    }),
    weight: 8,
  },
  { arbitrary: fc.record({ do: fc.constant('update' as const), ...who, content }).filter(isSound), weight: 3 },
  { arbitrary: fc.record({ do: fc.constant('merge' as const), ...who, content: change }).filter(isSound), weight: 3 },
  {
    arbitrary: fc.record({
      do: fc.constant('json' as const),
      ...who,
      // The resulting spec may violate the schema, see above.
      subresource: fc.constant(''),
      operations: fc.array(operation, { minLength: 1, maxLength: 2 }),
    }),
    weight: 2,
  },
  { arbitrary: fc.record({ do: fc.constant('forget' as const), manager, entries: forget }), weight: 1 },
);

export type OwnershipStep = typeof step extends fc.Arbitrary<infer T> ? T : never;
export type Content = typeof content extends fc.Arbitrary<infer T> ? T : never;

/** The write that creates the object, and the writes that follow. */
export interface OwnershipWrites {
  readonly born: 'created' | 'applied';
  readonly content: Content;
  readonly steps: readonly OwnershipStep[];
}

export const plan: fc.Arbitrary<OwnershipWrites> = fc.record({
  born: fc.constantFrom('created' as const, 'applied' as const),
  content,
  steps: fc.array(step, { minLength: 4, maxLength: 12, size: 'max' }),
});
