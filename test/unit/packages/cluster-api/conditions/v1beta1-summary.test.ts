import { describe, expect, test } from 'vitest';
import type { V1Beta1Draft } from '../../../../../packages/cluster-api/conditions/condition.ts';
import { aggregateV1Beta1, summarizeV1Beta1 } from '../../../../../packages/cluster-api/conditions/v1beta1-summary.ts';

const isTrue: V1Beta1Draft = { type: 'True', status: 'True' };
const isUnknown: V1Beta1Draft = { type: 'Unknown', status: 'Unknown', reason: 'RU', message: 'mu' };
const bare: V1Beta1Draft = { type: 'Bare', status: 'False', reason: 'RB' };
const empty: V1Beta1Draft = { type: 'Empty', status: '', reason: 'RE' };
const info: V1Beta1Draft = { type: 'Info', status: 'False', severity: 'Info', reason: 'RI', message: 'mi' };
const warning: V1Beta1Draft = { type: 'Warning', status: 'False', severity: 'Warning', reason: 'RW' };
const error: V1Beta1Draft = { type: 'Error', status: 'False', severity: 'Error', reason: 'R1', message: 'm1' };
const error2: V1Beta1Draft = { ...error, type: 'Error2', reason: 'R2' };

const yes = { type: 'Ready', status: 'True' };

describe('Ready by the best known group', () => {
  test.each([
    { list: [isTrue], ready: yes, reason: 'all is well' },
    { list: [isTrue, isUnknown], ready: yes, reason: 'True beats Unknown' },
    { list: [isTrue, bare, empty], ready: yes, reason: 'False without severity loses to everything known' },
    { list: [isTrue, info], ready: { ...info, type: 'Ready' }, reason: 'Info beats True' },
    { list: [info, warning], ready: { ...warning, type: 'Ready' }, reason: 'Warning beats Info' },
    { list: [warning, error], ready: { ...error, type: 'Ready' }, reason: 'Error beats Warning' },
    { list: [error, error2], ready: { ...error, type: 'Ready' }, reason: 'the first of the group in the given order' },
    { list: [bare, isUnknown], ready: { ...isUnknown, type: 'Ready' }, reason: 'Unknown beats False without severity' },
    {
      list: [{ ...isTrue, severity: 'Error' }, isUnknown],
      ready: yes,
      reason: 'a severity counts with False alone',
    },
    { list: [bare], ready: { ...bare, type: 'Ready' }, reason: 'alone, False without severity is False' },
    {
      list: [empty],
      ready: { type: 'Ready', status: 'Unknown', reason: 'RE' },
      reason: 'alone, an empty status is Unknown',
    },
    { list: [{ type: 'Odd', status: 'Odd' }], ready: { type: 'Ready', status: 'Unknown' }, reason: 'so is any other' },
  ])('$reason', ({ list, ready }) => {
    expect(summarizeV1Beta1(list.toReversed(), { types: list.map(({ type }) => type) })).toStrictEqual(ready);
  });
});

describe('what is summarized', () => {
  test('is nothing when none of the types exists', () => {
    expect(summarizeV1Beta1([error], { types: ['Other'] })).toBeUndefined();
    expect(summarizeV1Beta1(undefined)).toBeUndefined();
  });

  test('is never Ready itself', () => {
    const old = { ...error, type: 'Ready' };
    expect(summarizeV1Beta1([old, isTrue])).toEqual(yes);
    expect(summarizeV1Beta1([old], { types: ['Ready'] })).toBeUndefined();
  });

  test('is everything by name when no types are given', () => {
    expect(summarizeV1Beta1([error2, error])).toEqual({ ...error, type: 'Ready' });
  });

  test.each([
    { status: 'False', ready: yes, reason: 'False is good' },
    {
      status: 'True',
      ready: { type: 'Ready', status: 'False', severity: 'Error', reason: 'R', message: 'm' },
      reason: 'True is bad',
    },
    {
      status: 'Unknown',
      ready: { type: 'Ready', status: 'Unknown', reason: 'R', message: 'm' },
      reason: 'Unknown stays',
    },
  ])('has its negative polarity undone: $reason', ({ status, ready }) => {
    const negative = { type: 'N', status, severity: 'Error', reason: 'R', message: 'm' };
    expect(summarizeV1Beta1([negative], { types: ['N'], negativePolarity: ['N'] })).toEqual(ready);
  });
});

describe('a condition of an owner', () => {
  const source = (name: string, ...conditions: readonly V1Beta1Draft[]) => ({ kind: 'Machine', name, conditions });
  const ready = (of: V1Beta1Draft): V1Beta1Draft => ({ ...of, type: 'Ready' });

  test.each([
    { sources: [], is: { type: 'T', status: 'True' }, reason: 'without objects' },
    { sources: [source('a')], is: undefined, reason: 'none is reported' },
    { sources: [source('a', error)], is: undefined, reason: 'other conditions do not count' },
    {
      sources: [source('b', ready(isTrue)), source('a')],
      is: { type: 'T', status: 'True' },
      reason: 'those that report',
    },
    {
      sources: [source('b', ready(error)), source('a', ready(error)), source('c', ready(isTrue)), source('d')],
      is: { type: 'T', status: 'False', severity: 'Error', reason: 'R1 @ Machine/a', message: '1 of 4 completed' },
      reason: 'the first name',
    },
    {
      sources: [source('a', ready(warning)), source('b', ready(error))],
      is: { type: 'T', status: 'False', severity: 'Error', reason: 'R1 @ Machine/b', message: '0 of 2 completed' },
      reason: 'the worst one, not the first name',
    },
    {
      sources: [source('a', ready({ ...error, reason: 'R @ Node/n' }))],
      is: { type: 'T', status: 'False', severity: 'Error', reason: 'R @ Node/n', message: '0 of 1 completed' },
      reason: 'a reason that names an object',
    },
    {
      sources: [source('a', ready(isUnknown))],
      is: { type: 'T', status: 'Unknown', reason: 'RU @ Machine/a', message: '0 of 1 completed' },
      reason: 'unknown',
    },
    {
      sources: [source('a', ready({ type: 'Ready', status: 'False' }))],
      is: { type: 'T', status: 'False', reason: ' @ Machine/a', message: '0 of 1 completed' },
      reason: 'neither severity nor reason',
    },
  ])('$reason', ({ sources, is }) => {
    expect(aggregateV1Beta1('T', sources)).toStrictEqual(is);
  });
});
