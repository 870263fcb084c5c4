// The roles and bindings of a provider's functions. Names contain the deployment, because functions of this project may
// run in the same cluster.
import type { Declaration } from '@capi-serverless/reconciler';
import { auditFunction, forwarderProgram } from '../function-plans.ts';
import { stateRoles, toFunctionRules } from './functions-rbac.ts';
import { toDocument, toManifests } from './manifest-yaml.ts';
import { type RoleSubject, toClusterBinding, toNamespacedBinding, toRole } from './roles.ts';

interface ProviderRbac {
  readonly declarations: readonly Declaration[];
  /** The name of the deployment. The namespace of its account and of its ConfigMaps has the same name. */
  readonly deployment: string;
  /**
   * groups: each function has its own group. account: all functions have the service account `functions` in this
   * namespace.
   */
  readonly identity: 'groups' | 'account';
}

const notDeployed: readonly string[] = [auditFunction.name, forwarderProgram.name];

/** Returns all manifests in one YAML text. */
export function toProviderRbac({ declarations, deployment, identity }: ProviderRbac): string {
  const called = (name: string): string => `${deployment}-${name}`;
  const rules = toFunctionRules(declarations).filter(({ name }) => !notDeployed.includes(name));
  const account = { kind: 'account', namespace: deployment, name: 'functions' } as const;
  const subject: RoleSubject = identity === 'groups' ? { kind: 'group' } : account;
  const bindings = rules.map(({ name }) => {
    const state = stateRoles.get(name);
    return state === undefined
      ? toClusterBinding(called(name), subject)
      : toNamespacedBinding(called(name), { name: called(state.of), namespace: deployment, subject });
  });
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: deployment } };
  const { kind: _, ...metadata } = account;
  const accounts = identity === 'groups' ? [] : [{ apiVersion: 'v1', kind: 'ServiceAccount', metadata }];
  const documents = [
    ...[namespace, ...accounts].map(toDocument),
    ...rules.map(({ name, rules: ofFunction }) => toRole({ name: called(name), rules: ofFunction })),
    ...bindings.map(toDocument),
  ];
  return toManifests('the declarations of the provider', documents, 'each synthesis of its stack overwrites it');
}
