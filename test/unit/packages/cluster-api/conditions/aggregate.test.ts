import { describe, expect, test } from 'vitest';
import {
  type AggregateOptions,
  type AggregateSource,
  aggregateConditions,
} from '../../../../../packages/cluster-api/conditions/aggregate.ts';
import { fc } from '../../../../support/property.ts';
import { aCondition, aSource } from './builders.ts';

interface Example {
  readonly title: string;
  readonly sources: readonly AggregateSource[];
  readonly type?: string;
  readonly options?: AggregateOptions;
  readonly status: string;
  readonly reason: string;
  readonly lines: readonly string[];
}

const issues = { status: 'False', reason: 'IssuesReported' };
const negative = { type: 'ScalingUp', options: { negativePolarity: ['ScalingUp'] } };
const scaling = (name: string, status: 'True' | 'False' | 'Unknown' | undefined, message = '', kind = 'Machine') =>
  aSource({ name, kind, message, type: 'ScalingUp', ...(status === undefined ? {} : { status }) });

const examples: readonly Example[] = [
  {
    title: 'names the Machine with the issue',
    sources: [aSource({ name: 'm1', status: 'False', message: 'Message-1' }), aSource({ name: 'm2', status: 'True' })],
    ...issues,
    lines: ['* Machine m1: Message-1'],
  },
  {
    title: 'merges equal messages, prints three names and three messages, and counts the others',
    sources: [
      ...['m1', 'm2', 'm3', 'm4'].map(name => aSource({ name, status: 'False', message: 'Message-1' })),
      aSource({ name: 'm5', status: 'False', message: 'Message-2' }),
      aSource({ name: 'm6', status: 'False', message: 'Message-3' }),
      aSource({ name: 'm7', status: 'False', message: 'Message-4' }),
      aSource({ name: 'm8', status: 'Unknown', message: 'Message-5' }),
      aSource({ name: 'm9', status: 'Unknown', message: 'Message-6' }),
      aSource({ name: 'ma', status: 'True' }),
      aSource({ name: 'mb' }),
    ],
    ...issues,
    lines: [
      '* Machines m1, m2, m3, ... (1 more): Message-1',
      '* Machine m5: Message-2',
      '* Machine m6: Message-3',
      'And 1 Machine with other issues',
      'And 3 Machines with status unknown',
    ],
  },
  {
    title: 'lists control plane Machines first',
    sources: [
      aSource({ name: 'w1', status: 'False', message: 'Message-1' }),
      aSource({ name: 'w2', status: 'False', message: 'Message-1' }),
      aSource({ name: 'cp3', status: 'Unknown', message: 'Message-u', controlPlane: true }),
      aSource({ name: 'a0', status: 'Unknown', message: 'Message-u' }),
    ],
    ...issues,
    lines: ['* Machines cp3, a0: Message-u', '* Machines w1, w2: Message-1'],
  },
  {
    title: 'indents messages that are lists',
    sources: [
      aSource({ name: 'w1', status: 'False', message: '* A: foo\n* B: bar' }),
      aSource({ name: 'w2', status: 'False', message: 'plain\n* B: bar' }),
      aSource({ name: 'w3', status: 'False' }),
    ],
    ...issues,
    lines: [
      '* Machine w1:',
      '  * A: foo',
      '  * B: bar',
      '* Machine w2:',
      '  * plain',
      '    * B: bar',
      '* Machine w3: ',
    ],
  },
  {
    title: 'prints messages of True, and counts further ones',
    sources: [
      aSource({ name: 'w1', status: 'True', message: 'fine' }),
      aSource({ name: 'w2', status: 'True', message: 'fine' }),
      aSource({ name: 'w3', status: 'True', message: 'ok' }),
      aSource({ name: 'w4', status: 'True' }),
      aSource({ name: 'w5', status: 'True', message: 'o2' }),
      aSource({ name: 'w6', status: 'True', message: 'o3' }),
    ],
    status: 'True',
    reason: 'InfoReported',
    lines: ['* Machines w1, w2: fine', '* Machine w3: ok', '* Machine w5: o2', 'And 1 Machine with additional info'],
  },
  {
    title: 'merges equal messages of False and Unknown',
    sources: [
      aSource({ name: 'w1', status: 'Unknown', message: 'msg1' }),
      aSource({ name: 'w2', status: 'False', message: 'msg1' }),
      aSource({ name: 'w3', status: 'False', message: 'msg2' }),
    ],
    ...issues,
    lines: ['* Machines w1, w2: msg1', '* Machine w3: msg2'],
  },
  {
    title: 'takes True as the issue under negative polarity',
    sources: [scaling('w1', 'True', 'Scaling up from 1 to 3 replicas'), scaling('w2', 'False')],
    ...negative,
    status: 'True',
    reason: 'IssuesReported',
    lines: ['* Machine w1: Scaling up from 1 to 3 replicas'],
  },
  {
    title: 'prints the message of False as information under negative polarity',
    sources: [scaling('w1', 'False', 'Scaling up would be blocked because X does not exist'), scaling('w2', 'False')],
    ...negative,
    status: 'False',
    reason: 'InfoReported',
    lines: ['* Machine w1: Scaling up would be blocked because X does not exist'],
  },
  {
    title: 'names the kind of each source',
    sources: [
      scaling('cp1', 'True', 'Scaling up from 1 to 3 replicas', 'FooControlPlane'),
      scaling('md1', 'True', 'Scaling up from 0 to 3 replicas', 'MachineDeployment'),
      scaling('md2', undefined, '', 'MachineDeployment'),
      scaling('ms1', 'Unknown', 'dunno', 'MachineSet'),
    ],
    ...negative,
    status: 'True',
    reason: 'IssuesReported',
    lines: [
      '* FooControlPlane cp1: Scaling up from 1 to 3 replicas',
      '* MachineDeployment md1: Scaling up from 0 to 3 replicas',
      '* MachineDeployment md2: Condition ScalingUp not yet reported',
      'And 1 MachineSet with status unknown',
    ],
  },
];

describe('worked examples', () => {
  test.each(examples)('$title', ({ sources, type = 'Ready', options, status, reason, lines }) => {
    expect(aggregateConditions(sources, type, options)).toEqual({
      ok: true,
      value: { type, status, reason, message: lines.join('\n') },
    });
    expect(aggregateConditions(sources.toReversed(), type, options)).toMatchObject({
      value: { message: lines.join('\n') },
    });
  });
});

describe('an aggregate', () => {
  test('of no objects is refused', () => {
    expect(aggregateConditions([], 'Ready')).toEqual({ ok: false, error: "sourceObjs can't be empty" });
  });

  test.each([{ types: ['Other'] }, { types: ['Ready', 'Ready'] }, { types: ['Ready', 'Other'] }])(
    'with negative polarity of $types is refused',
    ({ types }) => {
      expect(aggregateConditions([aSource({ name: 'm1' })], 'Ready', { negativePolarity: types })).toEqual({
        ok: false,
        error: 'negativePolarityConditionTypes can only be set to ["Ready"]',
      });
    },
  );

  test('counts an object that does not report the type as unknown, also where it has no list', () => {
    const owner = { kind: 'Machine', name: 'm1', isControlPlaneMachine: false };
    expect(aggregateConditions([{ owner, conditions: undefined }], 'Ready')).toMatchObject({
      value: { status: 'Unknown', message: '* Machine m1: Condition Ready not yet reported' },
    });
  });

  test('takes another type, reasons, priorities and target polarity where given', () => {
    const sources = [aSource({ name: 'm1', status: 'False', message: 'm' })];
    const reasons = { issue: 'Bad', unknown: 'Dunno', info: 'Fine' };
    expect(
      aggregateConditions(sources, 'Ready', {
        targetType: 'Target',
        reasons,
        priorityOf: () => 'Unknown',
      }),
    ).toMatchObject({ value: { type: 'Target', status: 'Unknown', reason: 'Dunno', message: '* Machine m1: m' } });
    expect(aggregateConditions(sources, 'Ready', { reasons, targetPolarity: 'negative' })).toMatchObject({
      value: { status: 'True', reason: 'Bad' },
    });
  });

  test('prints the message of a control plane Machine first in every kind that reports it', () => {
    const sources = [
      aSource({ name: 'cp', kind: 'Machine', status: 'Unknown', message: 'shared', controlPlane: true }),
      aSource({ name: 'a', kind: 'Foo', status: 'False', message: 'first by priority' }),
      aSource({ name: 'b', kind: 'Foo', status: 'Unknown', message: 'shared' }),
    ];
    expect(aggregateConditions(sources, 'Ready')).toMatchObject({
      value: { message: '* Foo b: shared\n* Foo a: first by priority\n* Machine cp: shared' },
    });
  });

  test('names control plane Machines first, then sorts by name', () => {
    const sources = ['d', 'c', 'b', 'a'].map(name =>
      aSource({ name, status: 'False', message: 'm', controlPlane: name === 'd' || name === 'b' }),
    );
    expect(aggregateConditions(sources, 'Ready')).toMatchObject({
      value: { message: '* Machines b, d, a, ... (1 more): m' },
    });
  });

  test('names three objects without counting the others', () => {
    const sources = ['a', 'b', 'c'].map(name => aSource({ name, status: 'False', message: 'm' }));
    expect(aggregateConditions(sources, 'Ready')).toMatchObject({ value: { message: '* Machines a, b, c: m' } });
  });

  test('compares the names of the objects one by one, not concatenated', () => {
    const sources = [
      aSource({ name: 'a', status: 'False', message: 'one' }),
      aSource({ name: 'c', status: 'False', message: 'one' }),
      aSource({ name: 'ab', status: 'False', message: 'two' }),
      aSource({ name: 'b', status: 'False', message: 'two' }),
    ];
    expect(aggregateConditions(sources.toReversed(), 'Ready')).toMatchObject({
      value: { message: '* Machines a, c: one\n* Machines ab, b: two' },
    });
  });

  test('orders messages of as many objects by the sorted names of the objects', () => {
    const sources = [
      aSource({ name: 'z', status: 'False', message: 'one' }),
      aSource({ name: 'b', status: 'False', message: 'two' }),
      aSource({ name: 'c', status: 'False', message: 'two' }),
      aSource({ name: 'a', status: 'False', message: 'one' }),
    ];
    expect(aggregateConditions(sources, 'Ready')).toMatchObject({
      value: { message: '* Machines a, z: one\n* Machines b, c: two' },
    });
  });

  test('counts the omitted objects, not the omitted messages', () => {
    const sources = ['a', 'b', 'c'].map(name => aSource({ name, kind: 'Foo', status: 'False', message: name }));
    const rest = ['1', '2'].map(name => aSource({ name, kind: 'Proxy', status: 'False', message: 'same' }));
    expect(aggregateConditions([...sources, ...rest], 'Ready')).toMatchObject({
      value: { message: '* Foo a: a\n* Foo b: b\n* Foo c: c\nAnd 2 Proxies with other issues' },
    });
  });
});

const words = fc.constantFrom('', 'a', 'b', '* x: y', 'l1\nl2', '2 * 3');
const times = fc.constantFrom('', 'nonsense', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z');
const anySources = fc.uniqueArray(
  fc.record({
    name: fc.oneof(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), fc.string()),
    kind: fc.constantFrom('Machine', 'MachineSet', 'Proxy', ''),
    controlPlane: fc.boolean(),
    status: fc.constantFrom('True', 'False', 'Unknown'),
    message: fc.oneof(words, fc.string()),
    time: fc.oneof(times, fc.string()),
    missing: fc.boolean(),
  }),
  { minLength: 1, selector: ({ kind, name }) => `${kind}/${name}` },
);

describe('whatever objects report', () => {
  test('an aggregate never throws, and does not depend on the order of the objects', () => {
    fc.assert(
      fc.property(anySources, fc.boolean(), fc.infiniteStream(fc.nat()), (given, isNegative, keys) => {
        const sources = given.map(({ name, kind, controlPlane, status, message, time, missing }) => ({
          owner: { kind, name, isControlPlaneMachine: controlPlane },
          conditions: missing ? [] : [aCondition({ type: 'Ready', status, message, lastTransitionTime: time })],
        }));
        const shuffled = sources
          .map(source => ({ source, key: keys.next().value }))
          .toSorted((a, b) => a.key - b.key)
          .map(({ source }) => source);
        const options = isNegative ? { negativePolarity: ['Ready'] } : {};
        const aggregate = aggregateConditions(sources, 'Ready', options);
        expect(aggregate.ok).toBe(true);
        expect(aggregateConditions(shuffled, 'Ready', options)).toEqual(aggregate);
      }),
    );
  });
});
