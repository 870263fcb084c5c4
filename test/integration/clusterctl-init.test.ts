// Upstream's clusterctl beside an installation of this project: on a real API server, with a repository in files.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Intent } from '@capi-serverless/apimachinery';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { installCommand } from '../../cli/install/command.ts';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { parseManifests } from '../../local/manifests.ts';
import { findClusterctl } from '../clusterctl/clusterctl.ts';
import { anyDefinition } from '../support/any-definition.ts';
import { findControlPlaneBinaries } from '../support/control-plane-binaries.ts';
import { define } from '../support/definitions.ts';
import { applyAll } from '../support/deployment-steps.ts';
import { describePart } from '../support/describe-part.ts';
import { type RealControlPlane, startControlPlane } from '../support/real-control-plane.ts';
import { raisedLimits } from '../support/time-limits.ts';
import { connectWorldClient, type WorldClient } from '../support/world-client.ts';

const runProgram = promisify(execFile);

/** A provider in a repository of clusterctl. */
interface Repository {
  /** As `clusterctl` labels its components. */
  readonly label: string;
  readonly name: string;
  readonly type: string;
  readonly file: string;
  readonly versions: readonly string[];
}

const rack: Repository = {
  label: 'infrastructure-rack',
  name: 'rack',
  type: 'InfrastructureProvider',
  file: 'infrastructure-components.yaml',
  versions: ['v0.1.0', 'v0.2.0'],
};

/** Those that `clusterctl init` adds by itself where there is no core provider. */
const usual: readonly Repository[] = [
  {
    label: 'cluster-api',
    name: 'cluster-api',
    type: 'CoreProvider',
    file: 'core-components.yaml',
    versions: ['v1.14.0', 'v1.14.1'],
  },
  {
    label: 'bootstrap-kubeadm',
    name: 'kubeadm',
    type: 'BootstrapProvider',
    file: 'bootstrap-components.yaml',
    versions: ['v1.14.0'],
  },
  {
    label: 'control-plane-kubeadm',
    name: 'kubeadm',
    type: 'ControlPlaneProvider',
    file: 'control-plane-components.yaml',
    versions: ['v1.14.0'],
  },
];

const imageOf = (label: string, version: string): string => `registry.test/${label}:${version}`;

/** A namespace and a manager. */
function componentsOf({ label }: Repository, version: string): readonly Intent[] {
  const namespace = `${label}-system`;
  const labels = { 'control-plane': 'controller-manager' };
  const containers = [{ name: 'manager', image: imageOf(label, version) }];
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: `${label}-controller-manager`, namespace, labels },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
    },
  ];
}

const rackDefinition = anyDefinition({
  ...{ group: 'infrastructure.cluster.x-k8s.io', kind: 'RackCluster', versions: ['v1alpha1'] },
  labels: { 'cluster.x-k8s.io/v1beta2': 'v1alpha1' },
});

/** clusterctl creates objects of these kinds to see whether cert-manager is installed. No Pod runs here. */
const certManager = ['Issuer', 'Certificate'].map(kind =>
  anyDefinition({ group: 'cert-manager.io', kind, versions: ['v1'] }),
);

const binaries = findControlPlaneBinaries();
const found = 'missing' in binaries ? binaries : findClusterctl();

describePart('clusterctl beside an installation', found, {
  part: 'a real control plane and clusterctl',
  declare: ({ program }) => declareInit(program),
});

function declareInit(program: string): void {
  const home = mkdtempSync(path.join(tmpdir(), 'capi-clusterctl-init-'));
  const config = path.join(home, 'clusterctl.yaml');
  let plane: RealControlPlane;
  let client: WorldClient;

  function writeRepository(repository: Repository): void {
    const { label, file, versions } = repository;
    for (const version of versions) {
      const folder = path.join(home, label, version);
      mkdirSync(folder, { recursive: true });
      const objects = [...componentsOf(repository, version), ...(repository === rack ? [rackDefinition] : [])];
      writeFileSync(path.join(folder, file), objects.map(object => stringify(object)).join('---\n'));
      const [major, minor] = version.slice(1).split('.').map(Number);
      writeFileSync(
        path.join(folder, 'metadata.yaml'),
        stringify({
          apiVersion: 'clusterctl.cluster.x-k8s.io/v1alpha3',
          kind: 'Metadata',
          releaseSeries: [...new Set([`${major}.${minor}`, '0.1', '0.2'])].map(series => ({
            major: Number(series.split('.')[0]),
            minor: Number(series.split('.')[1]),
            contract: 'v1beta2',
          })),
        }),
      );
    }
  }

  async function clusterctl(...args: readonly string[]): Promise<string> {
    const env = { HOME: home, PATH: process.env['PATH'] ?? '', CLUSTERCTL_DISABLE_VERSIONCHECK: 'true' };
    const all = [...args, `--config=${config}`, `--kubeconfig=${plane.kubeconfigPath('admin')}`];
    const { stdout, stderr } = await runProgram(program, all, { env });
    return `${stdout}${stderr}`;
  }

  async function install(): Promise<readonly string[]> {
    const printed: string[] = [];
    const args = ['--kubeconfig', plane.kubeconfigPath('admin'), '--json'];
    expect(await installCommand.run(args, text => printed.push(text)), printed.join('')).toBe(0);
    const { objects }: { readonly objects: readonly { readonly outcome: string }[] } = JSON.parse(printed.join(''));
    return [...new Set(objects.map(({ outcome }) => outcome))];
  }

  async function namesOf(apiVersion: string, kind: string): Promise<readonly string[]> {
    const answer = await client.kubernetes.list({ apiVersion, kind });
    return answer.ok
      ? answer.value.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).toSorted()
      : [answer.failure.message];
  }

  const providers = (): Promise<readonly string[]> => namesOf('clusterctl.cluster.x-k8s.io/v1alpha3', 'Provider');

  beforeAll(async () => {
    for (const [name, value] of Object.entries(raisedLimits)) {
      vi.stubEnv(name, value);
    }
    const repositories = [...usual, rack];
    repositories.forEach(writeRepository);
    writeFileSync(
      config,
      stringify({
        providers: repositories.map(({ label, name, type, file, versions }) => ({
          name,
          type,
          url: `file://${home}/${label}/${versions[0]}/${file}`,
        })),
      }),
    );
    plane = await startControlPlane();
    client = await connectWorldClient(plane.kubeconfigPath('admin'));
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'cert-manager' } });
    await define(client, certManager);
  });

  afterAll(async () => {
    vi.unstubAllEnvs();
    await plane?.stop();
    rmSync(home, { recursive: true });
  });

  const images = async (): Promise<readonly string[]> =>
    (await clusterctl('init', 'list-images', '--infrastructure=rack')).match(/registry\.test\/\S+/g) ?? [];

  it('before an installation, clusterctl init would install Cluster API’s core provider', async () => {
    const wanted = [...usual, rack].map(({ label, versions }) => imageOf(label, versions[0] ?? ''));
    expect((await images()).toSorted()).toEqual(wanted.toSorted());
  });

  it('after it, clusterctl init installs only the provider that it is asked for', async () => {
    expect(await install()).toEqual(['created']);
    expect(await images()).toEqual([imageOf(rack.label, 'v0.1.0')]);
    await clusterctl('init', '--infrastructure=rack');
    expect(await namesOf('apps/v1', 'Deployment')).toEqual([
      'infrastructure-rack-system/infrastructure-rack-controller-manager',
    ]);
    expect(await providers()).toEqual([
      'capi-serverless/cluster-api',
      'infrastructure-rack-system/infrastructure-rack',
    ]);
  });

  it('the installation is unchanged by that', async () => {
    expect(await install()).toEqual(['unchanged']);
  });

  it('clusterctl init refuses a second core provider', async () => {
    await expect(clusterctl('init', '--core=cluster-api:v1.14.0')).rejects.toThrow(
      'there is already an instance of the "cluster-api" provider installed in the "capi-serverless" namespace',
    );
  });

  it('clusterctl describe shows a Cluster', async () => {
    const file = path.join(projectRoot, 'examples/first-cluster/cluster.yaml');
    await applyAll(client.kubernetes, parseManifests(readFileSync(file, 'utf8'), file));
    expect(await clusterctl('describe', 'cluster', 'first', '--namespace=default')).toMatch(/^Cluster default\/first/m);
  });

  it('clusterctl upgrade plan shows all providers, and the release of Cluster API that is not ours', async () => {
    const plan = await clusterctl('upgrade', 'plan');
    expect(plan).toMatch(/cluster-api +capi-serverless +CoreProvider +v1\.14\.0 +v1\.14\.1/);
    expect(plan).toMatch(/infrastructure-rack +infrastructure-rack-system +InfrastructureProvider +v0\.1\.0 +v0\.2\.0/);
  });

  it('clusterctl upgrade apply with the name of a provider upgrades nothing else', async () => {
    await clusterctl('upgrade', 'apply', '--infrastructure=rack:v0.2.0');
    const ref = { apiVersion: 'clusterctl.cluster.x-k8s.io/v1alpha3', kind: 'Provider' };
    const [namespace, name] = ['infrastructure-rack-system', 'infrastructure-rack'];
    expect(await client.read({ ...ref, namespace, name })).toMatchObject({ version: 'v0.2.0' });
    expect(await namesOf('apps/v1', 'Deployment')).toHaveLength(1);
    expect(await install()).toEqual(['unchanged']);
  });
}
