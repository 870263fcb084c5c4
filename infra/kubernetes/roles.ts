// RBAC of the functions: one ClusterRole per declaration, made of the rules that the declaration gives.
import type { Document } from 'yaml';
import type { Declaration, PolicyRule } from '../../shared/kernel/types.ts';
import { toDocument } from './yaml.ts';

/** The ClusterRole of a declaration's function, each rule below the reason for it. */
export function toRole(declaration: Pick<Declaration, 'name' | 'rules'>): Document {
  const document = toDocument({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: {
      name: `capi-serverless-${declaration.name}`,
      labels: { 'app.kubernetes.io/part-of': 'capi-serverless' },
    },
  });
  document.set(
    'rules',
    declaration.rules.map(rule => toRuleNode(document, rule)),
  );
  return document;
}

function toRuleNode(document: Document, { why, apiGroups, resources, verbs }: PolicyRule) {
  const node = document.createNode({ apiGroups, resources, verbs }, { aliasDuplicateObjects: false });
  node.commentBefore = ` ${why}`;
  return node;
}
