// The control plane role: publishes initialization, availability, versions and replica counters of the control plane.

import { type Checked, invalid, type Unstructured, valid } from '@capi-serverless/apimachinery';
import { type ProviderContract, providerPaths, readInteger, valueOr } from '@capi-serverless/cluster-api/contract';
import * as z from 'zod/mini';
import type { ControlPlaneProviderOptions, ReplicaCounts } from './author.ts';
import { defineProvider, type ProviderReconciler } from './define-provider.ts';
import { endpointSchema, stepFields, toOptionalDelayMs, toOwnStatus, unwantedEndpoint } from './results.ts';
import { type ProviderRole, type Publication, type ResultLimits, toIdentity } from './role.ts';
import { parseBy, type Untyped } from './schema.ts';
import { waitForEndpoint, waitForInfrastructure } from './waits.ts';

const count = z.int().check(z.gte(0, 'must be ≥ 0'));

const resultSchema = z.strictObject({
  ...stepFields,
  initialized: z.boolean(),
  available: z.boolean(),
  endpoint: z.optional(endpointSchema),
  version: z.optional(z.string().check(z.minLength(1, 'must not be empty'))),
  versions: z.optional(z.array(z.strictObject({ version: z.string(), replicas: count }))),
  counts: z.optional(z.strictObject({ replicas: count, ready: count, available: count, upToDate: count })),
});

/**
 * Returns a reconciler of a control plane kind that calls the author's two idempotent functions. They are called after
 * the Cluster's infrastructure is provisioned. Throws TypeError on invalid options.
 */
export function defineControlPlaneProvider<Spec = Untyped, Status = Untyped>(
  options: ControlPlaneProviderOptions<Spec, Status>,
): ProviderReconciler {
  const identity = toIdentity(options, ['Ready', 'Available']);
  const role: ProviderRole = {
    ...identity,
    waits: cluster => waitForInfrastructure(cluster) ?? waitForEndpoint(cluster, options.endpoint),
    parseResult: (raw, object) => parseControlPlaneResult(raw, identity, object),
  };
  return defineProvider(options, { role, reference: 'controlPlaneRef', paths: pathsOf(options.contract) });
}

function pathsOf(contract: ProviderContract): readonly string[] {
  const counters =
    contract === 'v1beta2'
      ? ['availableReplicas', 'upToDateReplicas']
      : ['unavailableReplicas', 'updatedReplicas', 'ready'];
  const fields = ['version', 'versions', 'replicas', 'readyReplicas', ...counters];
  return [providerPaths[contract].controlPlaneInitialized, ...fields.map(field => `status.${field}`)];
}

function parseControlPlaneResult(raw: unknown, role: ResultLimits, object: Unstructured): Checked<Publication> {
  const parsed = parseBy(resultSchema, raw);
  if (!parsed.ok) {
    return parsed;
  }
  const { initialized, available, endpoint, version, versions, counts, requeueAfter, ...rest } = parsed.value;
  if (endpoint !== undefined && role.endpoint === 'fromCluster') {
    return invalid(unwantedEndpoint);
  }
  const own = toOwnStatus(rest, role, available);
  if (!own.ok) {
    return own;
  }
  const facts: Publication['facts'] = [
    ...given('status.version', version),
    ...(versions === undefined ? [] : [toVersionsFact(versions)]),
    ...(counts === undefined ? [] : toCounters(counts, role.contract, object)),
    ...(role.contract === 'v1beta2' ? [] : given('status.ready', available)),
  ];
  return valid({
    ready: available,
    endpoint,
    facts,
    latches: initialized ? [providerPaths[role.contract].controlPlaneInitialized] : [],
    own: own.value,
    requeueAfterMs: toOptionalDelayMs(requeueAfter),
  });
}

/** An empty list means that no replica runs. The field is removed, because the API server refuses an empty list. */
function toVersionsFact(versions: readonly unknown[]): Publication['facts'][number] {
  return ['status.versions', versions.length === 0 ? undefined : versions];
}

function given(path: string, value: unknown): Publication['facts'] {
  return value === undefined ? [] : [[path, value]];
}

/** Before v1beta2, the contract contains the number of unavailable replicas: available = desired − unavailable. */
function toCounters(counts: ReplicaCounts, contract: ProviderContract, object: Unstructured): Publication['facts'] {
  const common: Publication['facts'] = [
    ['status.replicas', counts.replicas],
    ['status.readyReplicas', counts.ready],
  ];
  if (contract === 'v1beta2') {
    return [...common, ['status.availableReplicas', counts.available], ['status.upToDateReplicas', counts.upToDate]];
  }
  const desired = valueOr(readInteger(object, 'spec.replicas'), counts.replicas);
  return [
    ...common,
    ['status.unavailableReplicas', Math.max(0, desired - counts.available)],
    ['status.updatedReplicas', counts.upToDate],
  ];
}
