// `capi-serverless install` in a new management cluster, on a real API server.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Intent } from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { installCommand } from '../../cli/install/command.ts';
import { createConversionHandler } from '../../functions/conversion/conversion-handler.ts';
import { toGroupName } from '../../infra/kubernetes/identities.ts';
import { type FunctionUrl, openFunctionUrl } from '../../local/function-url.ts';
import { describeReal } from '../support/describe-real.ts';
import { aRecordingLog } from '../support/kernel.ts';
import { type RealControlPlane, startControlPlane } from '../support/real-control-plane.ts';
import { makeSelfSignedCertificate } from '../support/self-signed-certificate.ts';
import { raisedLimits } from '../support/time-limits.ts';
import { connectWorldClient, type WorldClient } from '../support/world-client.ts';

const token = 'the-token-in-the-path-of-conversion';
const definitions = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const;
const clusters = { ...definitions, name: 'clusters.cluster.x-k8s.io' };

interface InstallAnswer {
  readonly code: number;
  readonly problems: readonly string[];
  readonly objects: readonly { readonly kind: string; readonly name: string; readonly outcome: string }[];
  readonly text: string;
}

const aCluster = (apiVersion: string, name: string): Intent => ({
  apiVersion,
  kind: 'Cluster',
  metadata: { name, namespace: 'default' },
  spec: { clusterNetwork: { pods: { cidrBlocks: ['10.0.0.0/16'] } }, paused: true },
});

describeReal('an installation in a new management cluster', () => {
  const certificate = makeSelfSignedCertificate('capi-serverless install');
  const folder = mkdtempSync(path.join(tmpdir(), 'capi-install-'));
  const ca = path.join(folder, 'ca.pem');
  let plane: RealControlPlane;
  let client: WorldClient;
  let door: FunctionUrl;

  async function install(...args: readonly string[]): Promise<InstallAnswer> {
    const printed: string[] = [];
    const all = ['--kubeconfig', plane.kubeconfigPath('admin'), '--json', ...args];
    const code = await installCommand.run(all, text => printed.push(text));
    const text = printed.join('');
    return { code, text, ...JSON.parse(text) };
  }

  const outcomesOf = ({ objects }: InstallAnswer): readonly string[] => [
    ...new Set(objects.map(({ outcome }) => outcome)),
  ];

  beforeAll(async () => {
    for (const [name, value] of Object.entries(raisedLimits)) {
      vi.stubEnv(name, value);
    }
    vi.stubEnv('CAPI_CONVERSION_TOKENS', token);
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    writeFileSync(ca, certificate.certificatePem);
    plane = await startControlPlane({ users: [{ name: 'conversion', groups: [toGroupName('conversion')] }] });
    vi.stubEnv('CAPI_KUBECONFIG', plane.kubeconfigPath('conversion'));
    client = await connectWorldClient(plane.kubeconfigPath('admin'));
    door = await openFunctionUrl({ port: 0, ...certificate });
    const target = { name: 'conversion', timeoutSeconds: 30, handler: createConversionHandler('conversion') };
    door.serve({ target, clock: systemClock, log: aRecordingLog() });
  });

  afterAll(async () => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    await door?.stop();
    await plane?.stop();
    rmSync(folder, { recursive: true });
  });

  it('is shown by a dry run, which writes nothing', async () => {
    const dry = await install('--dry-run');
    expect(dry).toMatchObject({ code: 0, problems: [] });
    expect(outcomesOf(dry)).toEqual(['would be created']);
    expect(await client.kubernetes.list(definitions)).toMatchObject({ ok: true, value: [] });
  });

  it('creates all objects, and a second one changes nothing', async () => {
    const first = await install();
    expect(first).toMatchObject({ code: 0, problems: [] });
    expect(outcomesOf(first)).toEqual(['created']);
    expect(first.objects.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['Namespace', 'CustomResourceDefinition', 'ClusterRole', 'RoleBinding', 'Provider']),
    );
    expect(outcomesOf(await install())).toEqual(['unchanged']);
    expect(outcomesOf(await install('--dry-run'))).toEqual(['unchanged']);
  });

  it('prints a line for each object, the sum, and the next steps', async () => {
    const printed: string[] = [];
    const args = ['--kubeconfig', plane.kubeconfigPath('admin')];
    expect(await installCommand.run(args, text => printed.push(text))).toBe(0);
    const text = printed.join('');
    expect(text).toMatch(/^CustomResourceDefinition clusters\.cluster\.x-k8s\.io: unchanged$/m);
    expect(text).toMatch(/^Provider capi-serverless\/cluster-api: unchanged\n\d+ unchanged\nNext: /m);
    expect(text).toMatch(/^Providers: "clusterctl init --infrastructure NAME/m);
  });

  it('adds the chosen folders', async () => {
    const added = await install('--with', 'account', '--with', 'aggregated', '--with', 'policies');
    expect(added.objects.filter(({ outcome }) => outcome === 'created').map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['ServiceAccount', 'ClusterRoleBinding', 'ClusterRole', 'ValidatingAdmissionPolicy']),
    );
    expect(added.objects.filter(({ kind }) => kind === 'Namespace').map(({ outcome }) => outcome)).toEqual([
      'unchanged',
    ]);
  });

  it('shows and repairs what was changed by hand', async () => {
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'capi-serverless-cluster' };
    const before = await client.read(role);
    await client.patch(role, { rules: [] });
    const changed = async (...args: readonly string[]) =>
      (await install(...args)).objects.filter(({ outcome }) => outcome !== 'unchanged');
    expect(await changed('--dry-run')).toEqual([{ kind: role.kind, name: role.name, outcome: 'would be changed' }]);
    expect(await changed()).toEqual([{ kind: role.kind, name: role.name, outcome: 'changed' }]);
    expect(Object(await client.read(role)).rules).toEqual(Object(before).rules);
  });

  describe('with older versions', () => {
    const url = (of = token): readonly string[] => ['--ca', ca, '--conversion-url', `${door.url}${of}`];

    it('is refused if the function does not answer', async () => {
      const refused = await install(...url('another-token'));
      expect(refused).toMatchObject({ code: 1, objects: [] });
      expect(refused.problems).toEqual([expect.stringContaining('The conversion function does not answer')]);
    });

    it('lets clients of v1beta1 work', async () => {
      const switched = await install(...url());
      expect(switched).toMatchObject({ code: 0, problems: [] });
      expect(switched.text).not.toContain(token);
      const created = await vi.waitFor(() => client.create(aCluster('cluster.x-k8s.io/v1beta1', 'older')), {
        timeout: 60_000,
      });
      expect(created).toMatchObject({ apiVersion: 'cluster.x-k8s.io/v1beta1' });
      const ref = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace: 'default', name: 'older' };
      expect(await client.read(ref)).toMatchObject({ spec: { paused: true } });
    });

    it('keeps the address in later runs', async () => {
      expect(outcomesOf(await install(...url()))).toEqual(['unchanged']);
      expect(outcomesOf(await install())).toEqual(['unchanged']);
      expect(JSON.stringify(await client.read(clusters))).toContain(`${token}/convert`);
    });

    it('is refused if a version would be removed', async () => {
      await client.patch(clusters, { spec: { conversion: { strategy: 'None', webhook: null } } });
      const refused = await install();
      expect(refused).toMatchObject({ code: 1, objects: [] });
      expect(refused.problems[0]).toBe(
        'CustomResourceDefinition clusters.cluster.x-k8s.io has v1beta1, which would be removed without --conversion-url URL',
      );
      expect((await install(...url())).code).toBe(0);
    });
  });

  it('is refused where upstream’s manager is installed', async () => {
    const labels = { 'cluster.x-k8s.io/provider': 'cluster-api', 'control-plane': 'controller-manager' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'manager', image: 'manager' }] } };
    await client.create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'capi-controller-manager', namespace: 'default', labels },
      spec: { selector: { matchLabels: labels }, template },
    });
    expect(await install()).toMatchObject({
      code: 1,
      objects: [],
      next: [],
      problems: [
        "Deployment default/capi-controller-manager runs upstream's manager",
        expect.stringContaining('docs/take-over.md'),
      ],
    });
  });
});
