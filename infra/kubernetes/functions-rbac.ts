// The roles of the functions in the management cluster.

import { pluralOf } from '@capi-serverless/apimachinery';
import type { Declaration, PolicyRule } from '@capi-serverless/reconciler';
import { stateRules } from '../../functions/windowed-forwarder/rules.ts';
import { identityRule, toWatchRules } from '../../shared/event-source/watch-rules.ts';
import { auditFunction, forwarderProgram, resyncFunction, windowedFunction } from '../functions.ts';
import { functionsAccount, stateNamespace } from './identities.ts';
import { toClusterBinding, toNamespacedBinding } from './roles.ts';

interface NamedRules {
  readonly name: string;
  readonly rules: readonly PolicyRule[];
}

export const stateRole = `${windowedFunction.name}-state`;

/**
 * Returns one role per function that calls the API server, and the role of the forwarder's process. The timer function
 * only uses queues.
 */
export function toFunctionRules(declarations: readonly Declaration[]): readonly NamedRules[] {
  const watching = toWatchRules(declarations);
  return [
    ...declarations.map(({ name, rules }) => ({ name, rules: withIdentity(rules) })),
    { name: resyncFunction, rules: [...toListRules(declarations), identityRule] },
    { name: auditFunction.name, rules: [identityRule] },
    { name: forwarderProgram.name, rules: watching },
    { name: windowedFunction.name, rules: watching },
    { name: stateRole, rules: stateRules },
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

function toListRules(declarations: readonly Declaration[]): readonly PolicyRule[] {
  const byGroup = Map.groupBy(declarations, ({ primary }) => primary.group);
  return [...byGroup].map(([group, ofGroup]) => ({
    why: 'lists the objects to reconcile',
    apiGroups: [group],
    resources: [...new Set(ofGroup.map(({ primary }) => pluralOf(primary.kind)))],
    verbs: ['list'],
  }));
}

/** Binds each role to the function's group, which an EKS access entry or the user of a kubeconfig provides. */
export function toFunctionBindings(declarations: readonly Declaration[]): readonly object[] {
  return [
    ...everywhereOf(declarations).map(name => toClusterBinding(name, { kind: 'group' })),
    toNamespacedBinding(stateRole, { name: windowedFunction.name, namespace: stateNamespace }),
  ];
}

/** Binds all roles to one service account, if the functions share a kubeconfig. */
export function toAccountBindings(declarations: readonly Declaration[]): readonly object[] {
  const subject = { kind: 'account', ...functionsAccount } as const;
  const toCalled = (name: string): string => `${functionsAccount.name}-${name}`;
  return [
    ...everywhereOf(declarations).map(name => toClusterBinding(name, subject, toCalled(name))),
    toNamespacedBinding(stateRole, {
      name: windowedFunction.name,
      namespace: stateNamespace,
      subject,
      called: toCalled(stateRole),
    }),
  ];
}

/** The functions with a role in all namespaces. */
function everywhereOf(declarations: readonly Declaration[]): readonly string[] {
  return toFunctionRules(declarations)
    .map(({ name }) => name)
    .filter(name => name !== stateRole && name !== forwarderProgram.name);
}
