import { answered, type Intent, type Kubernetes, refused, type Unstructured } from '@capi-serverless/apimachinery';
import type { PolicyRule } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { missingRights } from '../../../local/access.ts';
import { aDeclaration } from '../../support/kernel.ts';

const group = 'cluster.x-k8s.io';
const rules: readonly PolicyRule[] = [
  { apiGroups: [group], resources: ['clusters', 'clusters/status'], verbs: ['get', 'patch'], why: 'its own kind' },
  { apiGroups: [''], resources: ['events'], verbs: ['create'], why: 'what happened' },
];

type Review = Pick<Kubernetes, 'create'> & { readonly asked: unknown[] };

/** Answers access reviews like an API server: the given object with a status. */
function reviewing(status: (attributes: Readonly<Record<string, string>>) => unknown): Review {
  const asked: unknown[] = [];
  return {
    asked,
    async create(review: Intent) {
      const { resourceAttributes } = review['spec'] as { resourceAttributes: Record<string, string> }; // true: a review contains it
      asked.push({ apiVersion: review.apiVersion, kind: review.kind, ...resourceAttributes });
      return answered({ ...review, status: status(resourceAttributes) } as unknown as Unstructured); // true: the caller reads only the status
    },
  };
}

describe('the rights of the user', () => {
  it('are all there when every review allows', async () => {
    expect(
      await missingRights(
        reviewing(() => ({ allowed: true })),
        [aDeclaration({ rules })],
      ),
    ).toEqual([]);
  });

  it('lack permissions that a review denies, with the names in a role', async () => {
    const kubernetes = reviewing(({ verb }) => ({ allowed: verb === 'get' }));
    expect(await missingRights(kubernetes, [aDeclaration({ rules })])).toEqual([
      'patch clusters.cluster.x-k8s.io',
      'patch clusters.cluster.x-k8s.io/status',
      'create events',
      'list widgets.conformance.example.com',
      'watch widgets.conformance.example.com',
    ]);
  });

  it('are requested once each, subresources separately', async () => {
    const kubernetes = reviewing(() => ({ allowed: true }));
    await missingRights(kubernetes, [aDeclaration({ rules }), aDeclaration({ name: 'other', rules })]);
    const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' };
    expect(kubernetes.asked).toEqual([
      { ...review, group, resource: 'clusters', verb: 'get' },
      { ...review, group, resource: 'clusters', verb: 'patch' },
      { ...review, group, resource: 'clusters', subresource: 'status', verb: 'get' },
      { ...review, group, resource: 'clusters', subresource: 'status', verb: 'patch' },
      { ...review, group: '', resource: 'events', verb: 'create' },
      { ...review, group: 'conformance.example.com', resource: 'widgets', verb: 'list' },
      { ...review, group: 'conformance.example.com', resource: 'widgets', verb: 'watch' },
    ]);
  });

  it.each([
    { status: undefined, reason: 'no status' },
    { status: {}, reason: 'no verdict' },
  ])('count as granted when an answer has no verdict: $reason', async ({ status }) => {
    expect(
      await missingRights(
        reviewing(() => status),
        [aDeclaration({ rules })],
      ),
    ).toEqual([]);
  });

  it('are assumed to exist if the server cannot be reached', async () => {
    const kubernetes: Pick<Kubernetes, 'create'> = {
      create: async () => refused({ reason: 'NotFound', code: 404, message: 'no such resource' }),
    };
    expect(await missingRights(kubernetes, [aDeclaration({ rules })])).toEqual([]);
  });
});
