// The roles of the functions in the management cluster.

import { gatesWhere, ofGates } from '@capi-serverless/cluster-api/feature-gates';
import type { Declaration, PolicyRule } from '@capi-serverless/reconciler';
import { stateRules as resyncStateRules } from '../../functions/resync/resync-state-rules.ts';
import { stateRules as windowedStateRules } from '../../functions/windowed-forwarder/state-rules.ts';
import { identityRule, toWatchRules } from '../../shared/event-source/watch-rules.ts';
import { auditFunction, forwarderProgram, resyncFunction, windowedFunction } from '../function-plans.ts';
import { functionsAccount, stateNamespace } from './identities.ts';
import { toClusterBinding, toNamespacedBinding } from './roles.ts';

export interface NamedRules {
  readonly name: string;
  readonly rules: readonly PolicyRule[];
}

/** The functions that store state in a ConfigMap, by the name of the role for it. */
export const stateRoles: ReadonlyMap<string, { readonly of: string; readonly rules: readonly PolicyRule[] }> = new Map([
  [`${resyncFunction}-state`, { of: resyncFunction, rules: resyncStateRules }],
  [`${windowedFunction.name}-state`, { of: windowedFunction.name, rules: windowedStateRules }],
]);

/** The rules of manifests for every deployment. */
const everyGate = gatesWhere(() => true);

/**
 * Returns one role per function that calls the API server, and the role of the forwarder's process. The timer function
 * only uses queues. Reconcilers and rules whose gate is off are omitted.
 */
export function toFunctionRules(declarations: readonly Declaration[], gates = everyGate): readonly NamedRules[] {
  const running = ofGates(declarations, gates);
  const watching = toWatchRules(running);
  const listing = toWatchRules(running, { verbs: ['list'], why: 'finds changes' });
  return [
    ...running.map(({ name, rules }) => ({ name, rules: withIdentity(ofGates(rules, gates)) })),
    { name: resyncFunction, rules: listing },
    { name: auditFunction.name, rules: [identityRule] },
    { name: forwarderProgram.name, rules: watching },
    { name: windowedFunction.name, rules: watching },
    ...[...stateRoles].map(([name, { rules }]) => ({ name, rules })),
  ];
}

/** Adds the rule for kube-system unless another rule includes it. */
function withIdentity(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const readsAnyNamespace = rules.some(
    ({ apiGroups, resources, verbs, resourceNames }) =>
      apiGroups.includes('') &&
      resources.includes('namespaces') &&
      verbs.includes('get') &&
      resourceNames === undefined,
  );
  return readsAnyNamespace ? rules : [...rules, identityRule];
}

/** Binds each role to the function's group, which an EKS access entry or the user of a kubeconfig provides. */
export function toFunctionBindings(declarations: readonly Declaration[]): readonly object[] {
  return [
    ...everywhereOf(declarations).map(name => toClusterBinding(name, { kind: 'group' })),
    ...[...stateRoles].map(([role, { of }]) => toNamespacedBinding(role, { name: of, namespace: stateNamespace })),
  ];
}

/** Binds all roles to one service account, if the functions share a kubeconfig. */
export function toAccountBindings(declarations: readonly Declaration[]): readonly object[] {
  const subject = { kind: 'account', ...functionsAccount } as const;
  const toCalled = (name: string): string => `${functionsAccount.name}-${name}`;
  return [
    ...everywhereOf(declarations).map(name => toClusterBinding(name, subject, toCalled(name))),
    ...[...stateRoles].map(([role, { of: name }]) =>
      toNamespacedBinding(role, { name, namespace: stateNamespace, subject, called: toCalled(role) }),
    ),
  ];
}

/** The functions with a role in all namespaces. */
function everywhereOf(declarations: readonly Declaration[]): readonly string[] {
  return toFunctionRules(declarations)
    .map(({ name }) => name)
    .filter(name => !stateRoles.has(name) && name !== forwarderProgram.name);
}
