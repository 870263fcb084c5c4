// Which function has which role in the management cluster.
import { stateRules } from '../../functions/windowed-forwarder/rules.ts';
import { identityRule, toWatchRules } from '../../shared/event-source/watch-rules.ts';
import type { Declaration, PolicyRule } from '../../shared/kernel/types.ts';
import { pluralOf } from '../../shared/names/plural.ts';
import { auditFunction, forwarderProgram, resyncFunction, windowedFunction } from '../functions.ts';
import { functionsAccount, stateNamespace } from './identities.ts';
import { toClusterBinding, toNamespacedBinding } from './roles.ts';

export interface NamedRules {
  readonly name: string;
  readonly rules: readonly PolicyRule[];
}

export const stateRole = `${windowedFunction.name}-state`;

/** One per function that talks to the API server, the forwarder's process among them; the timer talks to queues alone. */
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

/** One of these rules may cover it already. */
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
    why: 'finds every object that is reconciled',
    apiGroups: [group],
    resources: [...new Set(ofGroup.map(({ primary }) => pluralOf(primary.kind)))],
    verbs: ['list'],
  }));
}

/** To the group of each function: an EKS access entry gives it, or the certificate or token of a kubeconfig. */
export function toFunctionBindings(declarations: readonly Declaration[]): readonly object[] {
  return [
    ...everywhereOf(declarations).map(name => toClusterBinding(name, { kind: 'group' })),
    toNamespacedBinding(stateRole, { name: windowedFunction.name, namespace: stateNamespace }),
  ];
}

/** To one service account, for an API server that knows all functions by one kubeconfig. */
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

/** The functions whose role holds in every namespace. */
function everywhereOf(declarations: readonly Declaration[]): readonly string[] {
  return toFunctionRules(declarations)
    .map(({ name }) => name)
    .filter(name => name !== stateRole && name !== forwarderProgram.name);
}
