// What users may do: `kubectl auth can-i`, and programs that ask before they act. Nothing is stored.
// https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access
import { isJsonObject, type JsonObject, memberOf } from '@capi-serverless/apimachinery';
import { coreKind, plainVersion } from './built-in-kind.ts';
import type { Resource } from './kinds.ts';

const group = 'authorization.k8s.io';
const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const schema = { type: 'object', properties: { spec: free, status: free } };

function reviewKind(kind: string, plural: string, review: NonNullable<Resource['review']>): Resource {
  const names = { singular: kind.toLowerCase(), listKind: `${kind}List`, shortNames: [], categories: [] };
  return coreKind(kind, plural, { group, names, namespaced: false, versions: plainVersion(schema), review });
}

/** Discovery may be read by all users. */
const documents = ['/api', '/api/*', '/apis', '/apis/*', '/healthz', '/livez', '/openapi/*', '/readyz', '/version'];

function mayReadDocument(attributes: JsonObject): boolean {
  const { verb, path } = attributes;
  return (
    verb === 'get' &&
    typeof path === 'string' &&
    documents.some(each => (each.endsWith('*') ? path.startsWith(each.slice(0, -1)) : path === each))
  );
}

function reviewAccess(spec: unknown, mayDoAll: boolean): JsonObject {
  const document = memberOf(spec, 'nonResourceAttributes');
  return { allowed: mayDoAll || (isJsonObject(document) && mayReadDocument(document)) };
}

function reviewRules(_spec: unknown, mayDoAll: boolean): JsonObject {
  return {
    resourceRules: mayDoAll ? [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] : [],
    nonResourceRules: mayDoAll
      ? [{ verbs: ['*'], nonResourceURLs: ['*'] }]
      : [{ verbs: ['get'], nonResourceURLs: documents }],
    incomplete: false,
  };
}

export const accessReviews: readonly Resource[] = [
  reviewKind('SelfSubjectAccessReview', 'selfsubjectaccessreviews', reviewAccess),
  reviewKind('SelfSubjectRulesReview', 'selfsubjectrulesreviews', reviewRules),
];
