import { describe, expect, it } from 'vitest';
import { decodeProtobuf } from '../../../../../packages/apiserver/http/protobuf.ts';
import { refusalOf } from '../core/core-with-widgets.ts';

type Value = string | number | boolean | Uint8Array | readonly Part[];
type Part = readonly [number: number, value: Value];

/** https://protobuf.dev/programming-guides/encoding/ */
function encode(parts: readonly Part[]): Uint8Array {
  return Buffer.concat(parts.map(([number, value]) => encodePart(number, value)));
}

function encodePart(number: number, value: Value): Uint8Array {
  if (typeof value === 'number' || typeof value === 'boolean') {
    return Buffer.concat([toVarint(number * 8), toVarint(Number(value))]);
  }
  const bytes = typeof value === 'string' || value instanceof Uint8Array ? Buffer.from(value) : encode(value);
  return Buffer.concat([toVarint(number * 8 + 2), toVarint(bytes.length), bytes]);
}

function toVarint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  return Uint8Array.from([...bytes, Number(rest)]);
}

function body(kind: string, parts: readonly Part[]): Uint8Array {
  const type: readonly Part[] = [
    [1, 'v1'],
    [2, kind],
  ];
  return Buffer.concat([
    Buffer.from('k8s\0'),
    encode([
      [1, type],
      [2, encode(parts)],
      [3, ''],
      [4, ''],
    ]),
  ]);
}

const entry = (key: string, value: Value): readonly Part[] => [
  [1, key],
  [2, value],
];
/** What Go writes for a value that is not set. */
const unset: readonly Part[] = [
  [2, ''],
  [4, ''],
  [7, 0],
  [8, []],
];

describe('a body in the binary format', () => {
  it.each([
    {
      kind: 'Namespace',
      parts: [
        [1, [[1, 'a'], ...unset, [11, entry('color', 'red')]]],
        [2, [[1, 'kubernetes']]],
        [3, [[1, '']]],
      ] satisfies readonly Part[],
      object: { metadata: { name: 'a', labels: { color: 'red' } }, spec: { finalizers: ['kubernetes'] } },
    },
    {
      kind: 'ConfigMap',
      parts: [
        [1, [[1, 'a']]],
        [2, entry('a', '1')],
        [2, entry('empty', '')],
        [2, [[1, 'no-value']]],
        [3, entry('b', Buffer.from([255]))],
        [4, false],
      ] satisfies readonly Part[],
      object: {
        metadata: { name: 'a' },
        data: { a: '1', empty: '', 'no-value': '' },
        binaryData: { b: '/w==' },
        immutable: false,
      },
    },
    {
      kind: 'Secret',
      parts: [
        [2, entry('k', 'v')],
        [3, 'Opaque'],
        [4, entry('s', 't')],
      ] satisfies readonly Part[],
      object: { data: { k: 'dg==' }, type: 'Opaque', stringData: { s: 't' } },
    },
    {
      kind: 'DeleteOptions',
      parts: [
        [1, 0],
        [2, [[1, 'u']]],
        [3, false],
        [4, 'Background'],
        [5, 'All'],
      ] satisfies readonly Part[],
      object: {
        gracePeriodSeconds: 0,
        preconditions: { uid: 'u' },
        orphanDependents: false,
        propagationPolicy: 'Background',
        dryRun: ['All'],
      },
    },
  ])('of $kind is its object', ({ kind, parts, object }) => {
    expect(decodeProtobuf(body(kind, parts))).toEqual({ apiVersion: 'v1', kind, ...object });
  });
});

const managed: readonly Part[] = [
  [1, 'm'],
  [2, 'Update'],
  [3, 'v1'],
  [4, [[1, 1_767_225_601]]],
  [6, 'FieldsV1'],
  [7, [[1, '{"f:a":{}}']]],
];

describe('a body', () => {
  it('in the binary format contains all metadata, and ignores fields that it does not know', () => {
    const metadata: readonly Part[] = [
      [1, 'a'],
      [5, 'u'],
      [6, '7'],
      [7, 3],
      [8, [[1, 1_767_225_600]]],
      [9, [[1, -62_135_596_800]]],
      [10, 0],
      [12, entry('n', 'note')],
      [
        13,
        [
          [1, 'Secret'],
          [3, 'o'],
          [4, 'ou'],
          [5, 'v1'],
          [6, true],
          [7, false],
        ],
      ],
      [14, 'x.io/a'],
      [14, 'x.io/b'],
      [17, managed],
      [99, 'later'],
      [98, 1],
    ];
    const decoded = decodeProtobuf(body('ConfigMap', [[1, metadata]]));
    expect(decoded?.['metadata']).toEqual({
      name: 'a',
      uid: 'u',
      resourceVersion: '7',
      generation: 3,
      creationTimestamp: '2026-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 0,
      annotations: { n: 'note' },
      ownerReferences: [
        { kind: 'Secret', name: 'o', uid: 'ou', apiVersion: 'v1', controller: true, blockOwnerDeletion: false },
      ],
      finalizers: ['x.io/a', 'x.io/b'],
      managedFields: [
        {
          manager: 'm',
          operation: 'Update',
          apiVersion: 'v1',
          time: '2026-01-01T00:00:01Z',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:a': {} },
        },
      ],
    });
  });

  it('in the binary format of another kind is not read', () => {
    expect(decodeProtobuf(body('Pod', []))).toBeUndefined();
    expect(decodeProtobuf(body('toString', []))).toBeUndefined();
    expect(decodeProtobuf(Buffer.from('k8s\0'))).toBeUndefined();
  });

  it('without the prefix of the format, or cut short, is refused', () => {
    expect(refusalOf(() => decodeProtobuf(Buffer.from('{}')))).toMatchObject({
      code: 400,
      message: 'the body of the request is not in the protobuf format of Kubernetes: its prefix is missing',
    });
    const whole = body('ConfigMap', [[1, [[1, 'a long name of an object']]]]);
    expect(refusalOf(() => decodeProtobuf(whole.subarray(0, -8)))).toMatchObject({
      code: 400,
      message: expect.stringContaining('the body of the request is not protobuf: '),
    });
  });
});
