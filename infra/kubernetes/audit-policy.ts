// The audit policy and the API server flags with which the audit webhook gets the events that it needs.
// https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/#audit-policy

import { pluralOf } from '@capi-serverless/apimachinery';
import type { Declaration } from '@capi-serverless/reconciler';

interface AuditRule {
  readonly level: 'None' | 'Metadata' | 'RequestResponse';
  readonly verbs?: readonly string[];
  readonly resources?: readonly { readonly group: string; readonly resources?: readonly string[] }[];
  readonly omitManagedFields?: boolean;
}

interface AuditPolicy {
  readonly apiVersion: 'audit.k8s.io/v1';
  readonly kind: 'Policy';
  readonly omitStages: readonly string[];
  /** The first matching rule applies. */
  readonly rules: readonly AuditRule[];
}

const verbs = ['create', 'update', 'patch', 'delete', 'deletecollection'] as const;
const definitions = { group: 'apiextensions.k8s.io', resources: ['customresourcedefinitions'] } as const;
/** The core groups of Cluster API, with or without a declaration. */
const coreGroups = ['cluster.x-k8s.io', 'runtime.cluster.x-k8s.io'] as const;

/**
 * Records the responses of all writes to the groups that reconcilers watch. CRDs are large, and core kinds include
 * Secrets, so both are recorded at level Metadata. `providerGroups`: rules have no patterns, so each group is listed.
 */
export function toAuditPolicy(
  declarations: readonly Pick<Declaration, 'primary' | 'watches'>[],
  providerGroups: readonly string[],
): AuditPolicy {
  const { groups, coreResources } = toAuditedKinds(declarations, providerGroups);
  const byName = [definitions, ...(coreResources.length === 0 ? [] : [{ group: '', resources: coreResources }])];
  return {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived', 'ResponseStarted', 'Panic'],
    rules: [
      {
        level: 'RequestResponse',
        verbs,
        // Without names, the rule applies to all resources and subresources.
        resources: groups.map(group => ({ group })),
        omitManagedFields: true,
      },
      { level: 'Metadata', verbs, resources: byName },
      { level: 'None' },
    ],
  };
}

interface AuditedKinds {
  /** The API groups of which all kinds are recorded. They do not include that of CRDs. */
  readonly groups: readonly string[];
  /** The plurals of the kinds of the core group. */
  readonly coreResources: readonly string[];
}

/** The kinds whose changes the audit function needs, besides CRDs. */
export function toAuditedKinds(
  declarations: readonly Pick<Declaration, 'primary' | 'watches'>[],
  providerGroups: readonly string[],
): AuditedKinds {
  const declared = declarations.flatMap(({ primary, watches }) => [
    primary,
    ...watches.flatMap(({ source }) => (source === 'referenced' ? [] : [source])),
  ]);
  const groups = new Set([...coreGroups, ...declared.map(({ group }) => group), ...providerGroups]);
  groups.delete(definitions.group);
  groups.delete('');
  const coreKinds = new Set(declared.filter(({ group }) => group === '').map(({ kind }) => pluralOf(kind)));
  return { groups: [...groups], coreResources: [...coreKinds] };
}

/**
 * The maximum size of an event. A full batch of events of this size fits into a Function URL request. A larger event is
 * truncated to its metadata, so that an expansion finds its objects.
 */
export const auditLimits = { batchEvents: 50, batchWaitSeconds: 1, eventBytes: 65_536 } as const;

/** The flags of kube-apiserver, except the two flags with file names. */
export const auditWebhookFlags: readonly string[] = [
  `--audit-webhook-batch-max-size=${auditLimits.batchEvents}`,
  `--audit-webhook-batch-max-wait=${auditLimits.batchWaitSeconds}s`,
  '--audit-webhook-truncate-enabled=true',
  `--audit-webhook-truncate-max-event-size=${auditLimits.eventBytes}`,
];
