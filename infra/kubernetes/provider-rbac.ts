// The roles and bindings of a provider's functions. They bear the deployment's name: our own functions may be there too.
import type { Declaration } from '../../shared/kernel/types.ts';
import { auditFunction, forwarderProgram, windowedFunction } from '../functions.ts';
import { stateRole, toFunctionRules } from './functions-rbac.ts';
import { type Subject, toClusterBinding, toNamespacedBinding, toRole } from './roles.ts';
import { toDocument, toManifests } from './yaml.ts';

export interface ProviderRbac {
  readonly declarations: readonly Declaration[];
  /** Names the deployment, and the namespace of its account and of what its forwarder remembers. */
  readonly deployment: string;
  /** Each function comes as a group of its own, or all as one service account, `functions` in that namespace. */
  readonly identity: 'groups' | 'account';
}

const notDeployed: readonly string[] = [auditFunction.name, forwarderProgram.name];

/** One YAML text of all manifests. */
export function toProviderRbac({ declarations, deployment, identity }: ProviderRbac): string {
  const called = (name: string): string => `${deployment}-${name}`;
  const rules = toFunctionRules(declarations).filter(({ name }) => !notDeployed.includes(name));
  const account = { kind: 'account', namespace: deployment, name: 'functions' } as const;
  const subject: Subject = identity === 'groups' ? { kind: 'group' } : account;
  const bindings = rules.map(({ name }) =>
    name === stateRole
      ? toNamespacedBinding(called(name), { name: called(windowedFunction.name), namespace: deployment, subject })
      : toClusterBinding(called(name), subject),
  );
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: deployment } };
  const { kind: _, ...metadata } = account;
  const accounts = identity === 'groups' ? [] : [{ apiVersion: 'v1', kind: 'ServiceAccount', metadata }];
  const documents = [
    ...[namespace, ...accounts].map(toDocument),
    ...rules.map(({ name, rules: ofFunction }) => toRole({ name: called(name), rules: ofFunction })),
    ...bindings.map(toDocument),
  ];
  return toManifests('the declarations of the provider', documents, 'every synthesis of its stack writes it anew');
}
