// The admission policy of examples/policies on a real API server.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Intent, Kubernetes } from '@capi-serverless/apimachinery';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { projectRoot } from '../../../infra/bundles/bundle.ts';
import { coreCrds } from '../../../shared/api/crds.ts';
import { loadCredentials } from '../../../shared/kubernetes/credentials/load.ts';
import { installDefinitions } from '../../support/install-definitions.ts';
import type { RealControlPlane } from '../../support/real-control-plane.ts';
import { createTestClient } from '../../support/test-client.ts';

const text = readFileSync(path.join(projectRoot, 'examples/policies/class-namespaces.yaml'), 'utf8');
const policies = parseAllDocuments(text).map(document => parse(String(document)) as Intent); // true: the objects have kinds and names
const options = { fieldManager: 'tester' };
const apiVersion = 'cluster.x-k8s.io/v1beta2';

function aCluster(name: string, classRef: Readonly<Record<string, string>>): Intent {
  const topology = { classRef: { name: 'class1', ...classRef }, version: 'v1.36.0' };
  return { apiVersion, kind: 'Cluster', metadata: { namespace: 'default', name }, spec: { topology } };
}

export function describeClassNamespaces(plane: () => RealControlPlane): void {
  describe('the policy for namespaces of classes', () => holdPolicy(plane));
}

function holdPolicy(plane: () => RealControlPlane): void {
  let kubernetes: Kubernetes;

  beforeAll(async () => {
    const credentials = await loadCredentials({ kubeconfigPath: plane().kubeconfigPath('admin') });
    kubernetes = createTestClient({ credentials, client: 'test' });
    await installDefinitions(kubernetes, coreCrds);
    expect(await kubernetes.create(aCluster('before', { namespace: 'other' }), options)).toMatchObject({ ok: true });
    for (const policy of policies) {
      const created = await kubernetes.create(policy, options);
      expect(created.ok ? '' : created.failure.message).toBe('');
    }
    // A policy takes effect with a delay after it is stored.
    const probe = aCluster('probe', { namespace: 'other' });
    while ((await kubernetes.create(probe, options)).ok) {
      await kubernetes.delete({ apiVersion, kind: 'Cluster', namespace: 'default', name: 'probe' });
      await delay(100);
    }
  });

  it.each([
    { name: 'none', classRef: {} },
    { name: 'own', classRef: { namespace: 'default' } },
  ])('accepts a class of the same namespace: $name', async ({ name, classRef }) => {
    expect(await kubernetes.create(aCluster(name, classRef), options)).toMatchObject({ ok: true });
  });

  it('refuses a class of another namespace, and names the field', async () => {
    expect(await kubernetes.create(aCluster('foreign', { namespace: 'other' }), options)).toMatchObject({
      ok: false,
      failure: {
        reason: 'Forbidden',
        message: expect.stringContaining('spec.topology.classRef.namespace: must be default or empty'),
      },
    });
  });

  it('lets a Cluster that used such a class before be changed, but not to a third namespace', async () => {
    const ref = { apiVersion, kind: 'Cluster', namespace: 'default', name: 'before' };
    const patch = (namespace: string) =>
      kubernetes.mergePatch(ref, {
        metadata: { labels: { a: namespace } },
        spec: { topology: { classRef: { namespace } } },
      });
    expect(await patch('other')).toMatchObject({ ok: true });
    expect(await patch('third')).toMatchObject({ ok: false, failure: { reason: 'Forbidden' } });
  });
}
