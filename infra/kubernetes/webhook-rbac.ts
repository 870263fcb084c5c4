// The roles of the functions behind webhooks. They are separate, because most deployments have no such functions.
import { type FeatureGates, ofGates } from '@capi-serverless/cluster-api/feature-gates';
import type { PolicyRule } from '@capi-serverless/reconciler';
import { admissionRules } from '../../functions/admission/rules.ts';
import { contractVersionsRule } from '../../shared/api/policy-rules.ts';
import type { NamedRules } from './functions-rbac.ts';
import { functionsAccount } from './identities.ts';
import { apiGroup, apiVersion, labels, toRoleName, toSubject } from './roles.ts';

/** The names of the functions. */
export const webhookNames = ['admission', 'conversion'] as const;

export type WebhookName = (typeof webhookNames)[number];

export const webhookRules: Readonly<Record<WebhookName, readonly PolicyRule[]>> = {
  admission: admissionRules,
  conversion: [contractVersionsRule],
};

/** Rules whose feature gate is off are omitted. */
export function toWebhookRules(name: WebhookName, gates: FeatureGates): NamedRules {
  return { name, rules: ofGates(webhookRules[name], gates) };
}

/** For the group of the function, and for the account of all functions. */
export function toWebhookBinding(name: WebhookName): object {
  return {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: { name: toRoleName(name), labels },
    roleRef: { apiGroup, kind: 'ClusterRole', name: toRoleName(name) },
    subjects: [toSubject(name, { kind: 'group' }), toSubject(name, { kind: 'account', ...functionsAccount })],
  };
}
