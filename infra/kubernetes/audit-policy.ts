// The audit policy and the flags that make an API server tell the audit webhook what it needs, and nothing else.
// https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/#audit-policy
import type { Declaration } from '../../shared/kernel/types.ts';
import { pluralOf } from '../../shared/names/plural.ts';

export interface AuditRule {
  readonly level: 'None' | 'Metadata' | 'RequestResponse';
  readonly verbs?: readonly string[];
  readonly resources?: readonly { readonly group: string; readonly resources?: readonly string[] }[];
  readonly omitManagedFields?: boolean;
}

export interface AuditPolicy {
  readonly apiVersion: 'audit.k8s.io/v1';
  readonly kind: 'Policy';
  readonly omitStages: readonly string[];
  /** The first that matches decides. */
  readonly rules: readonly AuditRule[];
}

const verbs = ['create', 'update', 'patch', 'delete', 'deletecollection'] as const;
const definitions = { group: 'apiextensions.k8s.io', resources: ['customresourcedefinitions'] } as const;
/** The groups of Cluster API's core, whatever is declared already. */
const coreGroups = ['cluster.x-k8s.io', 'runtime.cluster.x-k8s.io'] as const;

/**
 * Answers of every write to the groups that reconcilers watch. The name alone of CRDs, whose content is large and of no
 * interest, and of core kinds, among which are Secrets. `providerGroups`: rules know no patterns, so each group is named.
 */
export function toAuditPolicy(
  declarations: readonly Pick<Declaration, 'primary' | 'watches'>[],
  providerGroups: readonly string[],
): AuditPolicy {
  const declared = declarations.flatMap(({ primary, watches }) => [
    primary,
    ...watches.flatMap(({ source }) => (source === 'referenced' ? [] : [source])),
  ]);
  const groups = new Set([...coreGroups, ...declared.map(({ group }) => group), ...providerGroups]);
  groups.delete(definitions.group);
  groups.delete('');
  const coreKinds = new Set(declared.filter(({ group }) => group === '').map(({ kind }) => pluralOf(kind)));
  const byName = [definitions, ...(coreKinds.size === 0 ? [] : [{ group: '', resources: [...coreKinds] }])];
  return {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived', 'ResponseStarted', 'Panic'],
    rules: [
      {
        level: 'RequestResponse',
        verbs,
        // Without names of resources: all of them, with their subresources.
        resources: [...groups].map(group => ({ group })),
        omitManagedFields: true,
      },
      { level: 'Metadata', verbs, resources: byName },
      { level: 'None' },
    ],
  };
}

/**
 * A full batch of the largest events stays below what a Function URL takes; a larger event comes without its objects,
 * which are then looked up.
 */
export const auditLimits = { batchEvents: 50, batchWaitSeconds: 1, eventBytes: 65_536 } as const;

/** Flags of kube-apiserver besides the two that name files. */
export const auditWebhookFlags: readonly string[] = [
  `--audit-webhook-batch-max-size=${auditLimits.batchEvents}`,
  `--audit-webhook-batch-max-wait=${auditLimits.batchWaitSeconds}s`,
  '--audit-webhook-truncate-enabled=true',
  `--audit-webhook-truncate-max-event-size=${auditLimits.eventBytes}`,
];
