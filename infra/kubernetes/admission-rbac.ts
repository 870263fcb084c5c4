// The role of the admission function. It is separate, because most deployments have no such function.
import { type FeatureGates, ofGates } from '@capi-serverless/cluster-api/feature-gates';
import { admissionRules } from '../../functions/admission/rules.ts';
import { admissionFunction } from '../function-plans.ts';
import type { NamedRules } from './functions-rbac.ts';
import { functionsAccount } from './identities.ts';
import { apiGroup, apiVersion, labels, toRole, toRoleName, toSubject } from './roles.ts';

const { name } = admissionFunction;

/** Rules whose feature gate is off are omitted. */
export function toAdmissionRules(gates: FeatureGates): NamedRules {
  return { name, rules: ofGates(admissionRules, gates) };
}

export const admissionRole = toRole({ name, rules: admissionRules });

/** For the group of the function, and for the account of all functions. */
export const admissionBinding = {
  apiVersion,
  kind: 'ClusterRoleBinding',
  metadata: { name: toRoleName(name), labels },
  roleRef: { apiGroup, kind: 'ClusterRole', name: toRoleName(name) },
  subjects: [toSubject(name, { kind: 'group' }), toSubject(name, { kind: 'account', ...functionsAccount })],
} as const;
