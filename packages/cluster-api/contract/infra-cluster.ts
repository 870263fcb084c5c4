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

/** The limits of Clusters, and the maximum size of all failure domains as JSON text. */
const mostDomains = 100;
const longestDomain = 256;
const longestDomains = 65_536;

const domainName = z.string('a string').check(z.maxLength(longestDomain, `at most ${longestDomain} characters`));
const withoutExcess = z.refine(
  (domains: unknown) => JSON.stringify(domains).length <= longestDomains,
  `at most ${longestDomains} characters of JSON`,
);
const domainList = z
  .array(z.extend(domainFields, { name: domainName }), 'a list')
  .check(z.maxLength(mostDomains, `at most ${mostDomains} items`), withoutExcess);
const domainMap = z.record(z.string(), z.nullish(domainFields), 'an object').check(
  z.refine(map => Object.keys(map).length <= mostDomains, `at most ${mostDomains} items`),
  z.refine(
    map => Object.keys(map).every(({ length }) => length <= longestDomain),
    `names of at most ${longestDomain} characters`,
  ),
  withoutExcess,
);

/** Returns whether the infrastructure was provisioned once. Never reset. */
export function readProvisioned(object: unknown, contract: ContractVersion): Found<boolean> {
  return readBoolean(object, providerPaths[contract].provisioned);
}

/**
 * Sorted by name. An absent `controlPlane` is false. In v1beta1 a list has the wrong type, in v1beta2 a map has the
 * wrong type. The same holds for more or longer failure domains than a Cluster may have.
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
