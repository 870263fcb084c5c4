// The roles and bindings of one deployment: those of its feature gates, and Secrets in its namespaces only.
import type { FeatureGates } from '@capi-serverless/cluster-api/feature-gates';
import type { Declaration, PolicyRule } from '@capi-serverless/reconciler';
import { forwarderProgram } from '../function-plans.ts';
import { accountManifests } from './account.ts';
import { type NamedRules, stateRoles, toFunctionRules } from './functions-rbac.ts';
import { functionsAccount } from './identities.ts';
import { toDocument, toManifests } from './manifest-yaml.ts';
import { type RoleSubject, toClusterBinding, toNamespacedBinding, toRole } from './roles.ts';
import { toWebhookRules, type WebhookName } from './webhook-rbac.ts';

export interface DeploymentRights {
  readonly gates: FeatureGates;
  /** The namespaces in which functions may use Secrets. Undefined: all namespaces. */
  readonly secretNamespaces: readonly string[] | undefined;
  /** The namespaces of the ConfigMaps in which functions store their state. */
  readonly stateNamespaces: readonly string[];
  /** groups: each function has a group of its own. account: all functions share one service account. */
  readonly identity: 'groups' | 'account';
  /** The functions behind webhooks that one of the deployments has. Default: none. */
  readonly webhooks?: readonly WebhookName[];
}

/** Returns all manifests in one YAML text. */
export function toDeploymentRbac(declarations: readonly Declaration[], rights: DeploymentRights): string {
  const ofWebhooks = (rights.webhooks ?? []).map(name => toWebhookRules(name, rights.gates));
  const rules = [...toFunctionRules(declarations, rights.gates), ...ofWebhooks];
  const everywhere = rights.secretNamespaces === undefined ? rules : rules.map(without(isForSecrets));
  const secrets = rights.secretNamespaces === undefined ? [] : rules.flatMap(toSecretRole);
  const subject: RoleSubject =
    rights.identity === 'groups' ? { kind: 'group' } : { kind: 'account', ...functionsAccount };
  const documents = [
    ...(rights.identity === 'groups' ? [] : accountManifests.map(toDocument)),
    ...[...everywhere, ...secrets.map(({ role }) => role)].map(toRole),
    ...everywhere.flatMap(({ name }) => toBindings(name, subject, rights)).map(toDocument),
    ...secrets.flatMap(({ of, role }) =>
      (rights.secretNamespaces ?? []).map(namespace =>
        toDocument(toNamespacedBinding(role.name, { name: of, namespace, subject })),
      ),
    ),
  ];
  return toManifests('the deployment', documents, 'each synthesis overwrites it');
}

/** The forwarder's manifests bind its role. */
function toBindings(name: string, subject: RoleSubject, { stateNamespaces }: DeploymentRights): readonly object[] {
  if (name === forwarderProgram.name) {
    return [];
  }
  const state = stateRoles.get(name);
  return state === undefined
    ? [toClusterBinding(name, subject)]
    : stateNamespaces.map(namespace => toNamespacedBinding(name, { name: state.of, namespace, subject }));
}

interface SecretRole {
  /** The name of the function. */
  readonly of: string;
  readonly role: NamedRules;
}

function toSecretRole({ name, rules }: NamedRules): readonly SecretRole[] {
  const ofSecrets = rules.filter(isForSecrets);
  return ofSecrets.length === 0 ? [] : [{ of: name, role: { name: `${name}-secrets`, rules: ofSecrets } }];
}

function without(isLeftOut: (rule: PolicyRule) => boolean): (of: NamedRules) => NamedRules {
  return ({ name, rules }) => ({ name, rules: rules.filter(rule => !isLeftOut(rule)) });
}

function isForSecrets({ apiGroups, resources }: PolicyRule): boolean {
  return apiGroups.includes('') && resources.includes('secrets');
}
