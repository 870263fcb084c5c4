// The treatment of nulls in lists by JSON merge patches, recorded from the libraries of kube-apiserver 1.36 and of the
// upstream manager 1.14.

interface NullsInList {
  readonly reason: string;
  readonly document: object;
  readonly patch: object;
  readonly result: object;
}

const nulls = [{ b: null, c: [{ d: null }] }, null, [{ b: null }]];
const pruned = [{ c: [{}] }, null, [{}]];

export const nullsInLists: readonly NullsInList[] = [
  { reason: 'keeps the nulls of a list', document: {}, patch: { a: [null] }, result: { a: [null] } },
  { reason: 'prunes objects of a new list', document: {}, patch: { a: nulls }, result: { a: pruned } },
  {
    reason: 'prunes objects of lists in a new object',
    document: {},
    patch: { a: { b: nulls } },
    result: { a: { b: pruned } },
  },
  {
    reason: 'prunes objects of a list for a list',
    document: { a: [{ b: 1 }] },
    patch: { a: nulls },
    result: { a: pruned },
  },
  { reason: 'prunes objects of a list for a text', document: { a: 'b' }, patch: { a: nulls }, result: { a: pruned } },
  { reason: 'prunes objects of a list for null', document: { a: null }, patch: { a: nulls }, result: { a: pruned } },
  {
    reason: 'takes a list for an object as it is',
    document: { a: { b: 1 } },
    patch: { a: nulls },
    result: { a: nulls },
  },
];
