// The ClusterRoles of the functions, from the rules of their declarations, and the bindings to the identities of the
// functions in the cluster.

import { withoutUndefined } from '@capi-serverless/apimachinery';
import type { Declaration, PolicyRule } from '@capi-serverless/reconciler';
import type { Document } from 'yaml';
import { partOf, toGroupName } from './identities.ts';
import { toDocument } from './manifest-yaml.ts';

export const apiGroup = 'rbac.authorization.k8s.io';
export const apiVersion = `${apiGroup}/v1`;
export const labels = { 'app.kubernetes.io/part-of': partOf };

/** Returns the metadata.name of the role `name`. */
export function toRoleName(name: string): string {
  return `${partOf}-${name}`;
}

/** Returns the ClusterRole of a declaration's function. Each rule is preceded by its reason. */
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
  const rule = { apiGroups, resources, ...withoutUndefined({ resourceNames }), verbs };
  const node = document.createNode(rule, { aliasDuplicateObjects: false });
  node.commentBefore = ` ${why}`;
  return node;
}

/** `group` is the group of a function. */
export type RoleSubject =
  | { readonly kind: 'group' }
  | { readonly kind: 'account'; readonly namespace: string; readonly name: string };

/** Binds the role `name` in the cluster. `called` is the name of the binding. */
export function toClusterBinding(name: string, subject: RoleSubject, called = name): object {
  return {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: { name: toRoleName(called), labels },
    roleRef: { apiGroup, kind: 'ClusterRole', name: toRoleName(name) },
    subjects: [toSubject(name, subject)],
  };
}

interface NamespacedBinding {
  /** The name of the function. */
  readonly name: string;
  readonly namespace: string;
  /** The subject. Default: the function's group. */
  readonly subject?: RoleSubject;
  /** The name of the binding. Default: the name of the role. */
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

/** Returns the group of the function `name`, or an account. */
export function toSubject(name: string, subject: RoleSubject): object {
  return subject.kind === 'group'
    ? { apiGroup, kind: 'Group', name: toGroupName(name) }
    : { kind: 'ServiceAccount', namespace: subject.namespace, name: subject.name };
}
