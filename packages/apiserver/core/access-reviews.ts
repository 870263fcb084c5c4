// Who users are and what they may do: `kubectl auth`, and programs that ask before they act. Nothing is stored.
// https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access
// https://kubernetes.io/docs/reference/access-authn-authz/authentication/#self-subject-review
import { isJsonObject, type JsonObject, memberOf } from '@capi-serverless/apimachinery';
import { coreKind, freeSchema, plainVersion } from './built-in-kind.ts';
import type { Resource, ReviewedUser } from './kinds.ts';

function reviewKind(group: string, kind: string, review: NonNullable<Resource['review']>): Resource {
  const plural = `${kind.toLowerCase()}s`;
  return coreKind(kind, plural, { group, namespaced: false, versions: plainVersion(freeSchema), review });
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

function reviewAccess(spec: unknown, { mayDoAll }: ReviewedUser): JsonObject {
  const document = memberOf(spec, 'nonResourceAttributes');
  return { allowed: mayDoAll || (isJsonObject(document) && mayReadDocument(document)) };
}

function reviewRules(_spec: unknown, { mayDoAll }: ReviewedUser): JsonObject {
  return {
    resourceRules: mayDoAll ? [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] : [],
    nonResourceRules: mayDoAll
      ? [{ verbs: ['*'], nonResourceURLs: ['*'] }]
      : [{ verbs: ['get'], nonResourceURLs: documents }],
    incomplete: false,
  };
}

function reviewUser(_spec: unknown, { name, groups }: ReviewedUser): JsonObject {
  return { userInfo: { username: name, groups: [...new Set([...groups, 'system:authenticated'])] } };
}

export const accessReviews: readonly Resource[] = [
  reviewKind('authorization.k8s.io', 'SelfSubjectAccessReview', reviewAccess),
  reviewKind('authorization.k8s.io', 'SelfSubjectRulesReview', reviewRules),
  reviewKind('authentication.k8s.io', 'SelfSubjectReview', reviewUser),
];
