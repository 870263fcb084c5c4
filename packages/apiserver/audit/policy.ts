// Determines which requests are audited, and at which level: audit.k8s.io/v1 Policy. Pure.
// https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/#audit-policy

import { toSchemaProblem } from '@capi-serverless/apimachinery';
import * as z from 'zod';

const levels = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
const stages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;

type Level = (typeof levels)[number];
export type AuditStage = (typeof stages)[number];

const texts = z.array(z.string()).default([]);

const ruleSchema = z.strictObject({
  level: z.enum(levels),
  users: texts,
  userGroups: texts,
  verbs: texts,
  resources: z
    .array(z.strictObject({ group: z.string().default(''), resources: texts, resourceNames: texts }))
    .default([]),
  namespaces: texts,
  nonResourceURLs: texts,
  omitStages: z.array(z.enum(stages)).default([]),
  omitManagedFields: z.boolean().optional(),
});

const policySchema = z.object({
  apiVersion: z.literal('audit.k8s.io/v1'),
  kind: z.literal('Policy'),
  omitStages: z.array(z.enum(stages)).default([]),
  omitManagedFields: z.boolean().default(false),
  rules: z.array(ruleSchema).min(1),
});

export type AuditPolicy = z.infer<typeof policySchema>;
type Rule = AuditPolicy['rules'][number];

/** The error if the policy is invalid. The message contains the field. */
export class AuditPolicyError extends Error {
  override readonly name = 'AuditPolicyError';
}

/** Throws AuditPolicyError. */
export function parseAuditPolicy(raw: unknown): AuditPolicy {
  const parsed = policySchema.safeParse(raw);
  if (!parsed.success) {
    throw new AuditPolicyError(`The audit policy cannot be used: ${toSchemaProblem(parsed.error)}`);
  }
  return parsed.data;
}

/** The request attributes that rules match. */
export interface Attributes {
  readonly user: string;
  readonly groups: readonly string[];
  readonly verb: string;
  readonly path: string;
  /** Absent for non-resource requests. */
  readonly resource?: {
    readonly group: string;
    readonly plural: string;
    readonly subresource: string;
    readonly namespace: string;
    readonly name: string;
  };
}

export interface Decision {
  readonly level: Level;
  readonly omitStages: readonly AuditStage[];
  readonly omitManagedFields: boolean;
}

/** The first matching rule determines the level. A request that matches no rule is not audited. */
export function decideAudit(policy: AuditPolicy, attributes: Attributes): Decision {
  const rule = policy.rules.find(each => matches(each, attributes));
  return {
    level: rule?.level ?? 'None',
    omitStages: [...policy.omitStages, ...(rule?.omitStages ?? [])],
    omitManagedFields: rule?.omitManagedFields ?? policy.omitManagedFields,
  };
}

function matches(rule: Rule, { user, groups, verb, path, resource }: Attributes): boolean {
  const ofUser =
    allows(rule.users, user) && (rule.userGroups.length === 0 || rule.userGroups.some(one => groups.includes(one)));
  if (!ofUser || !allows(rule.verbs, verb)) {
    return false;
  }
  const saysNothing = rule.resources.length === 0 && rule.namespaces.length === 0 && rule.nonResourceURLs.length === 0;
  if (resource === undefined) {
    return saysNothing || rule.nonResourceURLs.some(pattern => isUrl(pattern, path));
  }
  const asksForResources = rule.resources.length > 0 || rule.namespaces.length > 0;
  return (
    (saysNothing || asksForResources) &&
    allows(rule.namespaces, resource.namespace) &&
    (rule.resources.length === 0 || rule.resources.some(each => isOf(each, resource)))
  );
}

/** An empty list matches everything. */
function allows(list: readonly string[], value: string): boolean {
  return list.length === 0 || list.includes(value);
}

function isUrl(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}

function isOf(of: Rule['resources'][number], resource: NonNullable<Attributes['resource']>): boolean {
  const { group, plural, subresource, name } = resource;
  const whole = subresource === '' ? plural : `${plural}/${subresource}`;
  const patterns = [whole, '*', ...(subresource === '' ? [] : [`${plural}/*`, `*/${subresource}`])];
  return (
    of.group === group &&
    (of.resources.length === 0 || of.resources.some(each => patterns.includes(each))) &&
    allows(of.resourceNames, name)
  );
}
