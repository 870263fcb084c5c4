// A provider with its own API group on a real API server. The functions get the permissions of the provider's role for
// Cluster API's manager. They do not get the permissions of the role of Cluster API's own controllers.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { coreCrds } from '../../../shared/api/crds.ts';
import { applyAll, generatedManifests, runProgram } from '../../support/deployment-steps.ts';
import { describeReal } from '../../support/describe-real.ts';
import { installDefinitions } from '../../support/install-definitions.ts';
import type { RealControlPlane } from '../../support/real-control-plane.ts';
import { connectWorldClient, type WorldClient } from '../../support/world-client.ts';

const group = 'rack.example.com';
const namespace = 'default';
const name = 'racked';
const rbac = 'rbac.authorization.k8s.io/v1';
/** The controller that the management cluster must run. */
export const aggregationController = 'clusterrole-aggregation-controller';

const managerLabel = { 'cluster.x-k8s.io/aggregate-to-manager': 'true' };

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `rackclusters.${group}`, labels: { 'cluster.x-k8s.io/v1beta2': 'v1' } },
  spec: {
    group,
    names: { kind: 'RackCluster', listKind: 'RackClusterList', plural: 'rackclusters', singular: 'rackcluster' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
const providersRole = {
  apiVersion: rbac,
  kind: 'ClusterRole',
  metadata: { name: 'rack-for-cluster-api', labels: managerLabel },
  rules: [
    {
      apiGroups: [group],
      resources: ['rackclusters'],
      verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
    },
  ],
};
/** The role in the form that `clusterctl init` installs. */
const managersOwnRole = {
  apiVersion: rbac,
  kind: 'ClusterRole',
  metadata: { name: 'capi-manager-role', labels: { ...managerLabel, 'cluster.x-k8s.io/provider': 'cluster-api' } },
  rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch'] }],
};
const infrastructure = { apiVersion: `${group}/v1`, kind: 'RackCluster', namespace, name };

export function describeAggregatedRights(plane: () => RealControlPlane): void {
  const declare = () => holdRights(plane);
  describeReal('rights on the kinds of an API group of a provider’s own', declare, { needs: 'controllers' });
}

function holdRights(plane: () => RealControlPlane): void {
  let admin: WorldClient;
  let folder: string;
  let kubeconfig: string;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'capi-aggregated-'));
    kubeconfig = path.join(folder, 'functions.kubeconfig');
    admin = await connectWorldClient(plane().kubeconfigPath('admin'));
    await installDefinitions(admin.kubernetes, [...coreCrds, definition]);
    await applyAll(admin.kubernetes, [providersRole, managersOwnRole, ...generatedManifests(/^(rbac|account)\//)]);
    const { status, stdout } = runProgram('kubeconfig', ['--kubeconfig', plane().kubeconfigPath('admin')]);
    expect(status).toBe(0);
    writeFileSync(kubeconfig, stdout, { mode: 0o600 });
    await admin.create({
      apiVersion: `${group}/v1`,
      kind: 'RackCluster',
      metadata: { namespace, name },
      status: { initialization: { provisioned: true } },
    });
    await admin.create({
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Cluster',
      metadata: { namespace, name },
      spec: {
        controlPlaneEndpoint: { host: 'racked.example.com', port: 6443 },
        infrastructureRef: { apiGroup: group, kind: 'RackCluster', name },
      },
    });
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  const reconcile = () => runProgram('reconcile', ['cluster', `${namespace}/${name}`, '--kubeconfig', kubeconfig]);

  it('are missing before they are requested', () => {
    const { status, stdout } = reconcile();
    expect(status).toBe(1);
    expect(stdout).toContain(`cannot get resource "rackclusters" in API group "${group}"`);
  });

  it('come from the roles of providers, and a Cluster of such a kind becomes Provisioned', async () => {
    await applyAll(admin.kubernetes, generatedManifests(/^aggregated\//));
    const ref = { apiVersion: rbac, kind: 'ClusterRole', name: 'capi-serverless-providers' };
    await admin.until(ref, role => Array.isArray(role?.['rules']) && role['rules'].length > 0);
    const { status, stderr } = reconcile();
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const cluster = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace, name };
    expect(await admin.read(cluster)).toMatchObject({ status: { phase: 'Provisioned' } });
    expect((await admin.read(infrastructure))?.metadata.ownerReferences).toMatchObject([{ kind: 'Cluster', name }]);
  });

  it('do not include those of Cluster API’s own controllers', async () => {
    const { kubernetes } = await connectWorldClient(kubeconfig);
    expect((await kubernetes.list({ apiVersion: `${group}/v1`, kind: 'RackCluster' })).ok).toBe(true);
    expect((await kubernetes.list({ apiVersion: 'v1', kind: 'Secret' })).ok).toBe(false);
  });
}
