// A deployment with the generated roles on a real API server. Functions and forwarder use exactly the permissions of
// their roles.

import type { Kubernetes } from '@capi-serverless/apimachinery';
import { gatesWhere } from '@capi-serverless/cluster-api/feature-gates';
import type { PolicyRule } from '@capi-serverless/reconciler';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { declarations } from '../../functions/declarations.ts';
import { loadCredentials } from '../../shared/kubernetes/credentials/load.ts';
import { deployedNames, userOf } from '../support/deployed-functions.ts';
import { describeReal } from '../support/describe-real.ts';
import { generatedRoles } from '../support/generated-roles.ts';
import type { RealControlPlane } from '../support/real-control-plane.ts';
import {
  type AuditedRequest,
  compareRights,
  type RbacManifest,
  toGrants,
  toReport,
  unboundRoles,
} from '../support/rights.ts';
import { createTestClient } from '../support/test-client.ts';
import { auditDeployment, rolesWith } from './rights/deployment.ts';
import { scenarios } from './rights/scenarios.ts';

const gates = gatesWhere(() => true);
const roles = rolesWith(gates);

describeReal('what a deployment may do in the management cluster', () => {
  let plane: RealControlPlane;
  let requests: readonly AuditedRequest[];
  let rbac: readonly RbacManifest[];

  beforeAll(async () => {
    ({ plane, requests, rbac } = await auditDeployment({ gates, files: generatedRoles }));
  });

  afterAll(() => plane?.stop());

  async function as(name: string): Promise<Kubernetes> {
    const credentials = await loadCredentials({ kubeconfigPath: plane.kubeconfigPath(userOf(name)) });
    return createTestClient({ credentials, client: 'test' });
  }

  it.each(roles)('has a scenario for the role %s', role => {
    expect(
      Object.keys(scenarios),
      `Role ${role} has no scenario: add test/integration/rights/reconcilers/${role}.ts with one that needs each of its rights`,
    ).toContain(role);
  });

  it('equals the requests: nothing is granted but unused, used but not granted, or refused', () => {
    expect(toReport(compareRights(toGrants(rbac), requests))).toBe('');
  });

  it('is granted by bindings, and each role has a subject', () => {
    expect(unboundRoles(rbac)).toEqual([]);
  });

  it('is empty for the timer, which uses only queues', async () => {
    expect(requests.filter(({ user }) => user === userOf('timer'))).toEqual([]);
    const identity = { apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' };
    expect(await (await as('timer')).get(identity)).toMatchObject(forbidden);
  });

  it.each(deployedNames)(
    'of %s does not cover listing Secrets, nor other namespaces unless it selects by them',
    async name => {
      const kubernetes = await as(name);
      expect(await kubernetes.list({ apiVersion: 'v1', kind: 'Secret' })).toMatchObject(forbidden);
      const home = await kubernetes.get({ apiVersion: 'v1', kind: 'Namespace', name: 'default' });
      expect(home.ok).toBe(rulesOf(name).some(selectsNamespaces));
    },
  );

  it.each(deployedNames.filter(name => rulesOf(name).length === 0))(
    'of %s, which is not a reconciler, covers neither Secrets nor writes to Clusters',
    async name => {
      const kubernetes = await as(name);
      const secret = { apiVersion: 'v1', kind: 'Secret', namespace: 'default', name: 'bare-kubeconfig' };
      expect(await kubernetes.get(secret)).toMatchObject(forbidden);
      const cluster = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace: 'default', name: 'bare' };
      expect(await kubernetes.mergePatch(cluster, { spec: { paused: true } })).toMatchObject(forbidden);
      expect(await kubernetes.delete(cluster)).toMatchObject(forbidden);
    },
  );

  it('of the windowed forwarder does not cover other ConfigMaps', async () => {
    const kubernetes = await as('windowed-forwarder');
    const others = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: 'kube-system',
      name: 'extension-apiserver-authentication',
    };
    expect(await kubernetes.mergePatch(others, { data: { owned: 'true' } })).toMatchObject(forbidden);
    expect(await kubernetes.get({ ...others, namespace: 'default' })).toMatchObject(forbidden);
  });
});

const forbidden = { ok: false, failure: { reason: 'Forbidden' } };

/** Returns the rules of a reconciler's role. Returns none for other functions. */
function rulesOf(name: string): readonly PolicyRule[] {
  return declarations.find(declaration => declaration.name === name)?.rules ?? [];
}

function selectsNamespaces({ resources, verbs, resourceNames }: PolicyRule): boolean {
  return resources.includes('namespaces') && verbs.includes('get') && resourceNames === undefined;
}
