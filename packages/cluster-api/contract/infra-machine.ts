// The fields of an infrastructure machine object that the core reads. All contract versions have the same paths.
import * as z from 'zod/mini';
import { type Found, mapFound, readBoolean, readField, readString } from './path.ts';

export interface MachineAddress {
  readonly type: string;
  readonly address: string;
}

/** The limits of Machines. The API server refuses the whole status of a Machine above them. */
const mostAddresses = 256;
const longestText = 256;

const shortText = z.string('a string').check(z.maxLength(longestText, `at most ${longestText} characters`));
const addressList = z
  .array(z.object({ type: shortText, address: shortText }, 'an object'), 'a list')
  .check(z.maxLength(mostAddresses, `at most ${mostAddresses} items`));

export function readProviderId(object: unknown): Found<string> {
  return readString(object, 'spec.providerID');
}

/** Other fields of an address are omitted. */
export function readMachineAddresses(object: unknown): Found<readonly MachineAddress[]> {
  return mapFound(readField(object, 'status.addresses', addressList), list =>
    list.map(({ type, address }) => ({ type, address })),
  );
}

/** Returns the failure domain in which the machine was placed. */
export function readMachineFailureDomain(object: unknown): Found<string> {
  return readField(object, 'status.failureDomain', shortText);
}

/** Returns the deprecated field in the spec. It replaces the failure domain of the Machine's spec. */
export function readMachineFailureDomainOfSpec(object: unknown): Found<string> {
  return readField(object, 'spec.failureDomain', shortText);
}

/** Returns whether the machine may be stopped at any time. */
export function readInterruptible(object: unknown): Found<boolean> {
  return readBoolean(object, 'status.interruptible');
}
