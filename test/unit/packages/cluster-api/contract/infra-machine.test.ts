import { describe, expect, it } from 'vitest';
import {
  readMachineAddresses,
  readMachineFailureDomain,
  readMachineFailureDomainOfSpec,
} from '../../../../../packages/cluster-api/contract/infra-machine.ts';

const address = { type: 'InternalIP', address: '10.0.0.1' };
const some = (length: number) => Array.from({ length }, () => address);
const text = (length: number) => 'x'.repeat(length);

describe('what is copied to a Machine has the limits of a Machine', () => {
  it.each([
    { size: 'the most addresses', addresses: some(256), problem: undefined },
    { size: 'more addresses', addresses: some(257), problem: ' is a list, expected at most 256 items' },
    { size: 'the longest address', addresses: [{ ...address, address: text(256) }], problem: undefined },
    {
      size: 'a longer address',
      addresses: [{ ...address, address: text(257) }],
      problem: '.0.address is a string, expected at most 256 characters',
    },
    {
      size: 'a longer type',
      addresses: [{ ...address, type: text(257) }],
      problem: '.0.type is a string, expected at most 256 characters',
    },
  ])('$size', ({ addresses, problem }) => {
    expect(readMachineAddresses({ status: { addresses } })).toEqual(
      problem === undefined
        ? { state: 'value', value: addresses }
        : {
            state: 'wrongType',
            error: `failed to get .status.addresses from object: .status.addresses${problem}`,
          },
    );
  });

  it.each([
    { size: 256, state: 'value' },
    { size: 257, state: 'wrongType' },
  ])('a failure domain of $size characters: $state', ({ size, state }) => {
    const failureDomain = text(size);
    expect(readMachineFailureDomain({ status: { failureDomain } }).state).toBe(state);
    expect(readMachineFailureDomainOfSpec({ spec: { failureDomain } }).state).toBe(state);
  });
});
