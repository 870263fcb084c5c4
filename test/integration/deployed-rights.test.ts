// A deployment at work before a real API server under the generated roles: what its functions and its forwarder ask for is
// what their roles grant, no more and no less; and what lies beside it is refused.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { declarations } from '../../functions/declarations.ts';
import { toFunctionRules } from '../../infra/kubernetes/functions-rbac.ts';
import { outputs } from '../../infra/kubernetes/outputs.ts';
import { installCrds } from '../../infra/local/crds.ts';
import { applyManifests, parseManifests, toResultLines } from '../../infra/local/manifests.ts';
import { simulatedCrds } from '../../infra/local/provider/crds/index.ts';
import { coreCrds } from '../../shared/api/crds.ts';
import type { PolicyRule } from '../../shared/kernel/types.ts';
import { loadCredentials } from '../../shared/kubernetes/credentials/load.ts';
import type { Kubernetes } from '../../shared/kubernetes/port.ts';
import { createKubernetes } from '../../shared/kubernetes/rest/client.ts';
import { systemClock } from '../../shared/telemetry/system-clock.ts';
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
import type { Stage } from './rights/stage.ts';

/** Of all scenarios, side by side. */
const wholeLivesMs = 240_000;

const roles = toFunctionRules(declarations).map(({ name }) => name);
const files = outputs.filter(({ path }) => /^(rbac|forwarder)\//.test(path) && !path.endsWith('/kustomization.yaml'));
const manifests = files
  .flatMap(({ path, text }) => parseManifests(text, path))
  .toSorted((a, b) => Number(b.kind === 'Namespace') - Number(a.kind === 'Namespace'));
// What is no role and no binding has none of the parts that are looked at.
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
      const stage: Stage = { client, world, atEnd: close => void closing.push(close) };
      await Promise.all(roles.map(role => scenarios[role]?.(stage)));
    } finally {
      for (const close of closing) {
        await close();
      }
    }
    const ours = new Set(deployedNames.map(userOf));
    requests = parseAuditLog(readFileSync(plane.auditLogPath, 'utf8'), user => ours.has(user));
  }, wholeLivesMs);

  afterAll(() => plane?.stop());

  async function as(name: string): Promise<Kubernetes> {
    const credentials = await loadCredentials({ kubeconfigPath: plane.kubeconfigPath(userOf(name)) });
    return createKubernetes({ credentials, client: 'test' });
  }

  it.each(roles)('is tried for the role %s', role => {
    expect(
      Object.keys(scenarios),
      `Role ${role} has no scenario: add one to test/integration/rights/scenarios.ts that needs each of its rights`,
    ).toContain(role);
  });

  it('is what it does: nothing granted that is not used, nothing used that is not granted, nothing refused', () => {
    expect(toReport(compareRights(toGrants(rbac), requests))).toBe('');
  });

  it('is handed out by bindings, each role to somebody', () => {
    expect(unboundRoles(rbac)).toEqual([]);
  });

  it('is nothing for the timer, which talks to queues alone', async () => {
    expect(requests.filter(({ user }) => user === userOf('timer'))).toEqual([]);
    const identity = { apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' };
    expect(await (await as('timer')).get(identity)).toMatchObject(forbidden);
  });

  it.each(deployedNames)(
    'of %s ends at lists of Secrets, and at other namespaces unless it selects by them',
    async name => {
      const kubernetes = await as(name);
      expect(await kubernetes.list({ apiVersion: 'v1', kind: 'Secret' })).toMatchObject(forbidden);
      const home = await kubernetes.get({ apiVersion: 'v1', kind: 'Namespace', name: 'default' });
      expect(home.ok).toBe(rulesOf(name).some(selectsNamespaces));
    },
  );

  it.each(deployedNames.filter(name => rulesOf(name).length === 0))(
    'of %s, which is no reconciler, ends at Secrets and at writing Clusters',
    async name => {
      const kubernetes = await as(name);
      const secret = { apiVersion: 'v1', kind: 'Secret', namespace: 'default', name: 'bare-kubeconfig' };
      expect(await kubernetes.get(secret)).toMatchObject(forbidden);
      const cluster = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace: 'default', name: 'bare' };
      expect(await kubernetes.mergePatch(cluster, { spec: { paused: true } })).toMatchObject(forbidden);
      expect(await kubernetes.delete(cluster)).toMatchObject(forbidden);
    },
  );

  it('of the windowed forwarder ends at the ConfigMaps of others', async () => {
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

/** Of a reconciler; none for what is no reconciler. */
function rulesOf(name: string): readonly PolicyRule[] {
  return declarations.find(declaration => declaration.name === name)?.rules ?? [];
}

function selectsNamespaces({ resources, verbs, resourceNames }: PolicyRule): boolean {
  return resources.includes('namespaces') && verbs.includes('get') && resourceNames === undefined;
}
