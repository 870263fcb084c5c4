// The infrastructure cluster role. It publishes the endpoint, then the failure domains, and finally the provisioned
// flag.

import { type Checked, invalid, valid } from '@capi-serverless/apimachinery';
import {
  type FailureDomain,
  type ProviderContract,
  providerPaths,
  toFailureDomainsField,
} from '@capi-serverless/cluster-api/contract';
import * as z from 'zod/mini';
import type { InfrastructureProviderOptions } from './author.ts';
import { defineProvider, type ProviderReconciler } from './define-provider.ts';
import {
  endpointSchema,
  firstRepeated,
  stepFields,
  toOptionalDelayMs,
  toOwnStatus,
  unwantedEndpoint,
} from './results.ts';
import { type ProviderRole, type Publication, type ResultLimits, toIdentity } from './role.ts';
import { parseBy, type Untyped } from './schema.ts';
import { waitForEndpoint } from './waits.ts';

const domainSchema = z.strictObject({
  name: z.string().check(z.minLength(1, 'must not be empty')),
  controlPlane: z.optional(z.boolean()),
  attributes: z.optional(z.record(z.string(), z.string())),
});

const resultSchema = z.strictObject({
  ...stepFields,
  ready: z.boolean(),
  endpoint: z.optional(endpointSchema),
  failureDomains: z.optional(z.array(domainSchema)),
});

/**
 * Returns a reconciler of the provider's kind that calls the author's two idempotent functions. Throws TypeError on
 * invalid options.
 */
export function defineInfrastructureProvider<Spec = Untyped, Status = Untyped>(
  options: InfrastructureProviderOptions<Spec, Status>,
): ProviderReconciler {
  const identity = toIdentity(options, ['Ready']);
  const role: ProviderRole = {
    ...identity,
    waits: cluster => waitForEndpoint(cluster, options.endpoint),
    parseResult: raw => parseInfrastructureResult(raw, identity),
  };
  const { provisioned, failureDomains } = providerPaths[options.contract];
  return defineProvider(options, { role, reference: 'infrastructureRef', paths: [provisioned, failureDomains] });
}

export function parseInfrastructureResult(raw: unknown, role: ResultLimits): Checked<Publication> {
  const parsed = parseBy(resultSchema, raw);
  if (!parsed.ok) {
    return parsed;
  }
  const { ready, endpoint, failureDomains, requeueAfter, ...rest } = parsed.value;
  if (endpoint !== undefined && role.endpoint === 'fromCluster') {
    return invalid(unwantedEndpoint);
  }
  const twice = firstRepeated((failureDomains ?? []).map(domain => domain.name));
  if (twice !== undefined) {
    return invalid(`failureDomains: ${twice} occurs twice`);
  }
  const own = toOwnStatus(rest, role, ready);
  if (!own.ok) {
    return own;
  }
  return valid({
    ready,
    endpoint,
    facts: toFacts(failureDomains, role.contract),
    latches: ready ? [providerPaths[role.contract].provisioned] : [],
    own: own.value,
    requeueAfterMs: toOptionalDelayMs(requeueAfter),
  });
}

function toFacts(
  domains: readonly z.infer<typeof domainSchema>[] | undefined,
  contract: ProviderContract,
): Publication['facts'] {
  if (domains === undefined) {
    return [];
  }
  const whole = domains.map(
    ({ name, controlPlane = false, attributes }): FailureDomain =>
      attributes === undefined ? { name, controlPlane } : { name, controlPlane, attributes },
  );
  return [[providerPaths[contract].failureDomains, toFailureDomainsField(whole, contract)]];
}
