// The fields of an infrastructure cluster object that the core reads.
import { withoutUndefined } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import type { ContractVersion } from './contract-version.ts';
import { type FailureDomain, sortFailureDomains } from './failure-domain.ts';
import { type Found, mapFound, readBoolean, readField, readString } from './path.ts';
import { providerPaths } from './provider-paths.ts';

export type { FailureDomain };

const domainFields = z.object(
  {
    controlPlane: z.nullish(z.boolean('a boolean')),
    attributes: z.nullish(z.record(z.string(), z.string('a string'), 'an object')),
  },
  'an object',
);
const domainList = z.array(z.extend(domainFields, { name: z.string('a string') }), 'a list');
const domainMap = z.record(z.string(), z.nullish(domainFields), 'an object');

/** Returns whether the infrastructure was provisioned once. Never reset. */
export function readProvisioned(object: unknown, contract: ContractVersion): Found<boolean> {
  return readBoolean(object, providerPaths[contract].provisioned);
}

/**
 * Sorted by name. An absent `controlPlane` is false. In v1beta1 a list has the wrong type, in v1beta2 a map has the
 * wrong type.
 */
export function readFailureDomains(object: unknown, contract: ContractVersion): Found<readonly FailureDomain[]> {
  const { failureDomains, failureDomainsForm } = providerPaths[contract];
  const domains =
    failureDomainsForm === 'list'
      ? mapFound(readField(object, failureDomains, domainList), list => list.map(item => toDomain(item.name, item)))
      : mapFound(readField(object, failureDomains, domainMap), map =>
          Object.entries(map).map(([name, item]) => toDomain(name, item)),
        );
  return mapFound(domains, sortFailureDomains);
}

/** Reads `status.failureReason`. All contract versions have this field. */
export function readFailureReason(object: unknown): Found<string> {
  return readString(object, 'status.failureReason');
}

/** Reads `status.failureMessage`. All contract versions have this field. */
export function readFailureMessage(object: unknown): Found<string> {
  return readString(object, 'status.failureMessage');
}

function toDomain(name: string, fields: z.infer<typeof domainFields> | null | undefined): FailureDomain {
  const attributes = fields?.attributes ?? undefined;
  return { name, controlPlane: fields?.controlPlane ?? false, ...withoutUndefined({ attributes }) };
}
