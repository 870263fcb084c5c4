import { describe, expect, test } from 'vitest';
import {
  readCurrentVersion,
  readDesiredVersion,
  readInitialized,
  readReplicaCounters,
  readStatusVersions,
} from '../../../../../packages/cluster-api/contract/control-plane.ts';

const absent = { state: 'absent' };
const value = (number: number) => ({ state: 'value', value: number });

test('the initialized flag has a field in each contract', () => {
  const current = { status: { initialization: { controlPlaneInitialized: true } } };
  const legacy = { status: { initialized: true } };
  expect(readInitialized(current, 'v1beta2')).toEqual({ state: 'value', value: true });
  expect(readInitialized(current, 'v1beta1')).toEqual(absent);
  expect(readInitialized(legacy, 'v1beta1')).toEqual({ state: 'value', value: true });
  expect(readInitialized(legacy, 'v1beta2')).toEqual(absent);
});

describe('replica counters', () => {
  test('have their fields in contract v1beta2', () => {
    const status = { replicas: 3, readyReplicas: 2, availableReplicas: 1, upToDateReplicas: 0, unavailableReplicas: 9 };
    expect(readReplicaCounters({ spec: { replicas: 4 }, status }, 'v1beta2')).toEqual({
      desired: value(4),
      replicas: value(3),
      ready: value(2),
      available: value(1),
      upToDate: value(0),
    });
  });

  test('have other fields in contract v1beta1, where available is what is not unavailable', () => {
    const status = { replicas: 3, readyReplicas: 2, updatedReplicas: 3, unavailableReplicas: 1, availableReplicas: 9 };
    expect(readReplicaCounters({ spec: { replicas: 3 }, status }, 'v1beta1')).toEqual({
      desired: value(3),
      replicas: value(3),
      ready: value(2),
      available: value(2),
      upToDate: value(3),
    });
  });

  const wrongUnavailable = {
    state: 'wrongType',
    error:
      'failed to get .status.unavailableReplicas from object: .status.unavailableReplicas is a string, expected a whole number',
  };
  test.each([
    { desired: 3, unavailable: 5, available: value(0), reason: 'never negative' },
    { desired: 3, unavailable: undefined, available: absent, reason: 'unavailable is not reported' },
    { desired: undefined, unavailable: 1, available: absent, reason: 'desired is not known' },
    { desired: 3, unavailable: '1', available: wrongUnavailable, reason: 'unavailable is of the wrong type' },
  ])('available in contract v1beta1: $reason', ({ desired, unavailable, available }) => {
    const object = { spec: { replicas: desired }, status: { unavailableReplicas: unavailable } };
    expect(readReplicaCounters(object, 'v1beta1').available).toEqual(available);
  });

  test('distinguish absent and mistyped ones', () => {
    const counters = readReplicaCounters({ status: { replicas: '3', readyReplicas: 1.5 } }, 'v1beta2');
    expect(counters).toMatchObject({
      desired: absent,
      replicas: { state: 'wrongType' },
      ready: { state: 'wrongType' },
    });
  });
});

describe('status.versions', () => {
  test.each([
    { list: [{ version: 'v1.30.0', replicas: 2 }, { version: '1.31.0' }], reason: 'ascending, with and without v' },
    {
      list: [{ version: 'v1.30.0' }, { version: 'v1.30.0+a.2' }, { version: 'v1.30.0+a.10' }],
      reason: 'by build, too',
    },
    { list: [{ version: 'v1.30.0+b' }, { version: 'v1.30.0+a' }], reason: 'builds that have no order' },
    { list: [], reason: 'empty' },
    { list: Array.from({ length: 32 }, () => ({ version: 'v1.30.0' })), reason: 'the most items' },
    { list: [{ version: `v1.30.0-${'x'.repeat(248)}` }], reason: 'the longest version' },
  ])('is valid: $reason', ({ list }) => {
    expect(readStatusVersions({ status: { versions: list } })).toStrictEqual({ state: 'value', value: list });
  });

  test('may be absent, and so may each count', () => {
    expect(readStatusVersions({})).toEqual(absent);
    expect(readStatusVersions({ status: { versions: [{ version: 'v1.30.0', replicas: null }] } })).toEqual({
      state: 'value',
      value: [{ version: 'v1.30.0' }],
    });
  });

  test.each([
    { list: [{ version: 'latest' }], problem: '"latest" is not a semantic version' },
    { list: [{ version: 'v1.31.0' }, { version: 'v1.30.9' }], problem: '"v1.30.9" stands after a newer version' },
    { list: [{ version: 'v1.30.0+2' }, { version: 'v1.30.0+1' }], problem: '"v1.30.0+1" stands after a newer version' },
    { list: [{ version: 'v1.30.0', replicas: -1 }], problem: '"v1.30.0" has -1 replicas' },
    {
      list: Array.from({ length: 33 }, () => ({ version: 'v1.30.0' })),
      problem: '.status.versions is a list, expected at most 32 items',
    },
    {
      list: [{ version: `v1.30.0-${'x'.repeat(249)}` }],
      problem: '.status.versions.0.version is a string, expected at most 256 characters',
    },
    { list: [{ replicas: 1 }], problem: '.status.versions.0.version is absent, expected a string' },
    { list: [{ version: null }], problem: '.status.versions.0.version is absent, expected a string' },
    { list: ['v1.30.0'], problem: '.status.versions.0 is a string, expected an object' },
    {
      list: [{ version: 'v1.30.0', replicas: 1.5 }],
      problem: '.status.versions.0.replicas is a number, expected a whole number',
    },
    { list: 'v1.30.0', problem: '.status.versions is a string, expected a list' },
  ])('is not valid: $problem', ({ list, problem }) => {
    expect(readStatusVersions({ status: { versions: list } })).toEqual({
      state: 'wrongType',
      error: `failed to get .status.versions from object: ${problem}`,
    });
  });
});

test('desired and current version are read apart', () => {
  const object = { spec: { version: 'v1.31.0' }, status: { version: 'v1.30.0' } };
  expect(readDesiredVersion(object)).toEqual({ state: 'value', value: 'v1.31.0' });
  expect(readCurrentVersion(object)).toEqual({ state: 'value', value: 'v1.30.0' });
});
