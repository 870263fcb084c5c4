// A deployment with the generated roles on a real API server. Functions and forwarder use exactly the permissions of
// their roles.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { declarations } from '../../functions/declarations.ts';
import { toFunctionRules } from '../../infra/kubernetes/functions-rbac.ts';
import { outputs } from '../../infra/kubernetes/outputs.ts';
import { installCrds } from '../../local/crds.ts';
import { applyManifests, parseManifests, toResultLines } from '../../local/manifests.ts';
import { simulatedCrds } from '../../local/provider/crds/index.ts';
import type { Kubernetes } from '../../packages/apimachinery/client.ts';
import { systemClock } from '../../packages/apimachinery/system-clock.ts';
import type { PolicyRule } from '../../packages/reconciler/types.ts';
import { coreCrds } from '../../shared/api/crds.ts';
import { loadCredentials } from '../../shared/kubernetes/credentials/load.ts';
import { createKubernetes } from '../../shared/kubernetes/rest/client.ts';
import { deployedNames, deployedUsers, startDeployedWorld, userOf } from '../support/deployed-world.ts';
import { describeReal } from '../support/describe-real.ts';
import { aRecordingLog } from '../support/kernel.ts';
import { type RealControlPlane, startControlPlane } from '../support/real-control-plane.ts';
import {
  type AuditedRequest,
  compareRights,
  parseAuditLog,
  type RbacManifest,
  toGrants,
  toReport,
  unboundRoles,
} from '../support/rights.ts';
import { connectWorldClient, type WorldClient } from '../support/world-client.ts';
import { scenarios } from './rights/scenarios.ts';
import type { RightsStage } from './rights/stage.ts';

const roles = toFunctionRules(declarations).map(({ name }) => name);
const files = outputs.filter(({ path }) => /^(rbac|forwarder)\//.test(path) && !path.endsWith('/kustomization.yaml'));
const manifests = files
  .flatMap(({ path, text }) => parseManifests(text, path))
  .toSorted((a, b) => Number(b.kind === 'Namespace') - Number(a.kind === 'Namespace'));
// Other objects have none of the compared parts.
const rbac = manifests as unknown as readonly RbacManifest[];

describeReal('what a deployment may do in the management cluster', () => {
  let plane: RealControlPlane;
  let client: WorldClient;
  let requests: readonly AuditedRequest[];

  beforeAll(async () => {
    plane = await startControlPlane({
      users: deployedUsers,
      beforeControllers: async ({ kubeconfigPath }) => {
        client = await connectWorldClient(kubeconfigPath('admin'));
        await installCrds(client.kubernetes, [...coreCrds, ...simulatedCrds], { clock: systemClock });
      },
    });
    const applied = await applyManifests(client.kubernetes, manifests, { fieldManager: 'test' });
    expect(applied.filter(({ outcome }) => outcome !== 'created').flatMap(toResultLines)).toEqual([]);
    const world = await startDeployedWorld(plane, aRecordingLog());
    const closing: (() => Promise<void>)[] = [world.stop];
    try {
      const stage: RightsStage = { client, world, atEnd: close => void closing.push(close) };
      await Promise.all(roles.map(role => scenarios[role]?.(stage)));
    } finally {
      for (const close of closing) {
        await close();
      }
    }
    const ours = new Set(deployedNames.map(userOf));
    requests = parseAuditLog(readFileSync(plane.auditLogPath, 'utf8'), user => ours.has(user));
  });

  afterAll(() => plane?.stop());

  async function as(name: string): Promise<Kubernetes> {
    const credentials = await loadCredentials({ kubeconfigPath: plane.kubeconfigPath(userOf(name)) });
    return createKubernetes({ credentials, client: 'test' });
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
    'of %s, which is no reconciler, covers neither Secrets nor writes to Clusters',
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
