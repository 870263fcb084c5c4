// The rules of IPAddresses and IPAddressClaims. The message of a refusal is only the text of its errors.
import {
  type FieldError,
  forbidden,
  internalError,
  invalidValue,
  type JsonObject,
  printFieldErrors,
  sameJson,
  toSortedJson,
  valueAt,
} from '@capi-serverless/apimachinery';
import { isAddress } from '@capi-serverless/apimachinery/text-formats';
import type { CheckedWrite, Denial, FoundClaim, KindRules } from './kind-rules.ts';
import { textAt } from './object-fields.ts';

const group = 'ipam.cluster.x-k8s.io';
export const ipamApiVersion = `${group}/v1beta2`;

export const ipAddressRules: KindRules = {
  group,
  kind: 'IPAddress',
  denialOf: change => {
    const { object, old, claim = 'absent' } = change;
    return old === undefined
      ? forbiddenUnlessEmpty([
          ...problemsOfAddress(object),
          ...problemsOfGateway(textAt(object, 'spec.gateway')),
          ...problemsOfClaim(object, claim),
        ])
      : denialOfSpecChange(change, 'IPAddress');
  },
};

export const ipAddressClaimRules: KindRules = {
  group,
  kind: 'IPAddressClaim',
  denialOf: change => (change.old === undefined ? undefined : denialOfSpecChange(change, 'IPAddressClaim')),
};

/** The claim that an IPAddress fulfills, in the namespace of the address. The caller reads it. */
export function claimNameOf(object: JsonObject): string {
  return textAt(object, 'spec.claimRef.name');
}

function forbiddenUnlessEmpty(errors: readonly FieldError[]): Denial | undefined {
  return errors.length === 0 ? undefined : { reason: 'Forbidden', message: printFieldErrors(errors) };
}

function denialOfSpecChange({ object, old }: CheckedWrite, kind: string): Denial | undefined {
  const [before, after] = [old, object].map(each => valueAt(each, 'spec'));
  if (sameJson(before, after)) {
    return undefined;
  }
  const difference = `stored ${toSortedJson(before ?? null)}, written ${toSortedJson(after ?? null)}`;
  return forbiddenUnlessEmpty([forbidden('spec', `${kind} spec is immutable. Diff: ${difference}`)]);
}

const longestPrefix = { IPv4: 32, IPv6: 128 } as const;

function problemsOfAddress(object: JsonObject): readonly FieldError[] {
  const address = textAt(object, 'spec.address');
  const family = familyOf(address);
  const field = 'spec.prefix';
  const value = valueAt(object, field);
  const prefix = typeof value === 'number' ? value : 0;
  return [
    ...(family === undefined ? [invalidValue('spec.address', address, 'not a valid IP address')] : []),
    ...(prefix < 0 ? [invalidValue(field, prefix, 'prefix cannot be negative')] : []),
    ...(family !== undefined && prefix > longestPrefix[family]
      ? [invalidValue(field, prefix, `prefix is too large for an ${family} address`)]
      : []),
  ];
}

/** An IPv6 address may have a zone. An IPv4 address in the form of IPv6 is one of IPv6. */
function familyOf(text: string): 'IPv4' | 'IPv6' | undefined {
  const [address = '', ...zone] = text.split('%', 2);
  const isIPv6 = address.includes(':');
  if (!isAddress(address) || (zone.length > 0 && (!isIPv6 || zone[0] === ''))) {
    return undefined;
  }
  return isIPv6 ? 'IPv6' : 'IPv4';
}

function problemsOfGateway(gateway: string): readonly FieldError[] {
  return gateway === '' || familyOf(gateway) !== undefined
    ? []
    : [invalidValue('spec.gateway', gateway, 'not a valid IP address')];
}

/** A claim that does not exist is no problem. */
function problemsOfClaim(object: JsonObject, claim: FoundClaim): readonly FieldError[] {
  if (claim === 'absent') {
    return [];
  }
  if (claim.object === undefined) {
    return [internalError('spec.claimRef', `failed to fetch claim: ${claim.error}`)];
  }
  const [own, claimed] = [object, claim.object].map(poolOf);
  const detail = 'the referenced pool is different from the pool referenced by the claim this address should fulfill';
  return sameJson(own, claimed) ? [] : [invalidValue('spec.poolRef', own, detail)];
}

function poolOf(object: JsonObject): JsonObject {
  const [name, kind, apiGroup] = ['name', 'kind', 'apiGroup'].map(field => textAt(object, `spec.poolRef.${field}`));
  return { name, kind, apiGroup };
}
