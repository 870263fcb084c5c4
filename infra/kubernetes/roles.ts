// RBAC of the functions: a ClusterRole each, made of the rules that declarations give, and bindings to the identities by which
// a cluster knows them.
import type { Document } from 'yaml';
import type { Declaration, PolicyRule } from '../../shared/kernel/types.ts';
import { partOf, toGroupName } from './identities.ts';
import { toDocument } from './yaml.ts';

export const apiGroup = 'rbac.authorization.k8s.io';
export const apiVersion = `${apiGroup}/v1`;
export const labels = { 'app.kubernetes.io/part-of': partOf };

/** The metadata name of the role that is called so. */
export function toRoleName(name: string): string {
  return `${partOf}-${name}`;
}

/** The ClusterRole of a declaration's function, each rule below the reason for it. */
export function toRole(declaration: Pick<Declaration, 'name' | 'rules'>): Document {
  const document = toDocument({
    apiVersion,
    kind: 'ClusterRole',
    metadata: { name: toRoleName(declaration.name), labels },
  });
  document.set(
    'rules',
    declaration.rules.map(rule => toRuleNode(document, rule)),
  );
  return document;
}

function toRuleNode(document: Document, { why, apiGroups, resources, resourceNames, verbs }: PolicyRule) {
  const rule = { apiGroups, resources, ...(resourceNames === undefined ? {} : { resourceNames }), verbs };
  const node = document.createNode(rule, { aliasDuplicateObjects: false });
  node.commentBefore = ` ${why}`;
  return node;
}

/** `group`: of a function; whoever comes with it may do what the role of that name allows. */
export type Subject =
  | { readonly kind: 'group' }
  | { readonly kind: 'account'; readonly namespace: string; readonly name: string };

/** Binds the role of `name` everywhere; `called` names the binding. */
export function toClusterBinding(name: string, subject: Subject, called = name): object {
  return {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: { name: toRoleName(called), labels },
    roleRef: { apiGroup, kind: 'ClusterRole', name: toRoleName(name) },
    subjects: [toSubject(name, subject)],
  };
}

export interface NamespacedBinding {
  /** Of the function. */
  readonly name: string;
  readonly namespace: string;
  /** Default: its group. */
  readonly subject?: Subject;
  /** Default: the role. */
  readonly called?: string;
}

/** Binds the role `role` in one namespace. */
export function toNamespacedBinding(role: string, binding: NamespacedBinding): object {
  const { name, namespace, subject = { kind: 'group' }, called = role } = binding;
  return {
    apiVersion,
    kind: 'RoleBinding',
    metadata: { name: toRoleName(called), namespace, labels },
    roleRef: { apiGroup, kind: 'ClusterRole', name: toRoleName(role) },
    subjects: [toSubject(name, subject)],
  };
}

/** Who comes with the group of the function `name`, or as an account. */
export function toSubject(name: string, subject: Subject): object {
  return subject.kind === 'group'
    ? { apiGroup, kind: 'Group', name: toGroupName(name) }
    : { kind: 'ServiceAccount', namespace: subject.namespace, name: subject.name };
}
