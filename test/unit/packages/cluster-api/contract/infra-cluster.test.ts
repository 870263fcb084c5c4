import { describe, expect, test } from 'vitest';
import {
  readFailureDomains,
  readFailureMessage,
  readFailureReason,
  readProvisioned,
} from '../../../../../packages/cluster-api/contract/infra-cluster.ts';

const absent = { state: 'absent' };

test('the provisioned flag has a field in each contract', () => {
  const current = { status: { initialization: { provisioned: true } } };
  const legacy = { status: { ready: false } };
  expect(readProvisioned(current, 'v1beta2')).toEqual({ state: 'value', value: true });
  expect(readProvisioned(current, 'v1beta1')).toEqual(absent);
  expect(readProvisioned(legacy, 'v1beta1')).toEqual({ state: 'value', value: false });
  expect(readProvisioned(legacy, 'v1beta2')).toEqual(absent);
  expect(readProvisioned({ status: { ready: 'yes' } }, 'v1beta1')).toEqual({
    state: 'wrongType',
    error: 'failed to get .status.ready from object: .status.ready is a string, expected a boolean',
  });
});

test('failure fields are read under every contract', () => {
  const object = { status: { failureReason: 'Bad', failureMessage: 'it broke' } };
  expect(readFailureReason(object)).toEqual({ state: 'value', value: 'Bad' });
  expect(readFailureMessage(object)).toEqual({ state: 'value', value: 'it broke' });
  expect([readFailureReason({}), readFailureMessage({})]).toEqual([absent, absent]);
});

describe('failure domains', () => {
  test.each([
    {
      contract: 'v1beta2',
      field: [{ name: 'b' }, { name: 'a', controlPlane: true, attributes: { k: 'v' } }],
      value: [
        { name: 'a', controlPlane: true, attributes: { k: 'v' } },
        { name: 'b', controlPlane: false },
      ],
      reason: 'a list, sorted by name; not for the control plane by default',
    },
    {
      contract: 'v1beta1',
      field: { z2: { controlPlane: true, attributes: { k: 'v' } }, z1: {}, z3: null },
      value: [
        { name: 'z1', controlPlane: false },
        { name: 'z2', controlPlane: true, attributes: { k: 'v' } },
        { name: 'z3', controlPlane: false },
      ],
      reason: 'a map by name',
    },
    { contract: 'v1beta2', field: [], value: [], reason: 'an empty list' },
    { contract: 'v1beta1', field: {}, value: [], reason: 'an empty map' },
  ] as const)('$contract: $reason', ({ contract, field, value }) => {
    expect(readFailureDomains({ status: { failureDomains: field } }, contract)).toStrictEqual({
      state: 'value',
      value,
    });
  });

  test('may be absent', () => {
    expect(readFailureDomains({ status: {} }, 'v1beta2')).toEqual(absent);
    expect(readFailureDomains({}, 'v1beta1')).toEqual(absent);
  });

  test.each([
    { contract: 'v1beta2', field: {}, problem: '.status.failureDomains is an object, expected a list' },
    { contract: 'v1beta1', field: [], problem: '.status.failureDomains is a list, expected an object' },
    { contract: 'v1beta2', field: ['a'], problem: '.status.failureDomains.0 is a string, expected an object' },
    { contract: 'v1beta2', field: [{}], problem: '.status.failureDomains.0.name is absent, expected a string' },
    {
      contract: 'v1beta1',
      field: { a: { controlPlane: 'yes' } },
      problem: '.status.failureDomains.a.controlPlane is a string, expected a boolean',
    },
    {
      contract: 'v1beta1',
      field: { a: { attributes: 'k' } },
      problem: '.status.failureDomains.a.attributes is a string, expected an object',
    },
    {
      contract: 'v1beta2',
      field: [1, 2, 3, 4, 5],
      problem:
        '.status.failureDomains.0 is a number, expected an object; .status.failureDomains.1 is a number, expected an object; .status.failureDomains.2 is a number, expected an object; 2 more',
    },
    {
      contract: 'v1beta2',
      field: [1, 2, 3],
      problem:
        '.status.failureDomains.0 is a number, expected an object; .status.failureDomains.1 is a number, expected an object; .status.failureDomains.2 is a number, expected an object',
    },
    {
      contract: 'v1beta2',
      field: [{ name: 'a', attributes: { k: 1 } }, { name: 2 }],
      problem:
        '.status.failureDomains.0.attributes.k is a number, expected a string; .status.failureDomains.1.name is a number, expected a string',
    },
  ] as const)('$contract: $problem', ({ contract, field, problem }) => {
    expect(readFailureDomains({ status: { failureDomains: field } }, contract)).toEqual({
      state: 'wrongType',
      error: `failed to get .status.failureDomains from object: ${problem}`,
    });
  });

  const numbered = (length: number) => Array.from({ length }, (_, index) => ({ name: `z${index}` }));
  const sized = (length: number) => {
    const domains = (k: string) => [{ name: 'a', attributes: { k } }];
    return domains('x'.repeat(length - JSON.stringify(domains('')).length));
  };

  test.each([
    { size: 'the most items', field: numbered(100), problem: undefined },
    { size: 'more items', field: numbered(101), problem: 'is a list, expected at most 100 items' },
    { size: 'the longest name', field: [{ name: 'x'.repeat(256) }], problem: undefined },
    { size: 'a longer name', field: [{ name: 'x'.repeat(257) }], problem: 'expected at most 256 characters' },
    { size: 'the most characters', field: sized(65_536), problem: undefined },
    { size: 'more characters', field: sized(65_537), problem: 'expected at most 65536 characters of JSON' },
  ])('have limits: $size', ({ field, problem }) => {
    const inMap = Object.fromEntries(field.map(({ name, ...domain }) => [name, domain]));
    const list = readFailureDomains({ status: { failureDomains: field } }, 'v1beta2');
    const map = readFailureDomains({ status: { failureDomains: inMap } }, 'v1beta1');
    if (problem === undefined) {
      expect([list.state, map.state]).toEqual(['value', 'value']);
    } else {
      expect(list).toMatchObject({ state: 'wrongType', error: expect.stringContaining(problem) });
    }
  });

  test.each([
    {
      size: 'more items',
      field: Object.fromEntries(numbered(101).map(({ name }) => [name, {}])),
      problem: '100 items',
    },
    { size: 'a longer name', field: { ['x'.repeat(257)]: {} }, problem: 'names of at most 256 characters' },
    { size: 'more characters', field: { a: { attributes: { k: 'x'.repeat(65_536) } } }, problem: '65536 characters' },
  ])('have limits in a map: $size', ({ field, problem }) => {
    expect(readFailureDomains({ status: { failureDomains: field } }, 'v1beta1')).toMatchObject({
      state: 'wrongType',
      error: expect.stringContaining(problem),
    });
  });

  test('with a long name have a short error', () => {
    const found = readFailureDomains({ status: { failureDomains: { ['x'.repeat(1_000_000)]: 1 } } }, 'v1beta1');
    expect(found).toMatchObject({ error: expect.stringMatching(/ more\)$/) });
    expect(found.state === 'wrongType' && found.error.length).toBeLessThan(1200);
  });
});
