import type { Intent, ObjectRef } from '@capi-serverless/apimachinery';
import { beforeEach, describe, expect, it } from 'vitest';
import { decideInstallation, type InstalledObject, writeInstallation } from '../../../../cli/install/install.ts';
import { manifestsOf } from '../../../../infra/kubernetes/installation.ts';
import { installedFolders } from '../../../../infra/kubernetes/installed-folders.ts';
import { withOlderVersions } from '../../../../infra/kubernetes/versioned-definition.ts';
import { toWebhookConfigurations } from '../../../../infra/kubernetes/webhook-configurations.ts';
import { clusterctlProviderCrd } from '../../../../shared/api/clusterctl-provider/crd.ts';
import { machineCrd } from '../../../../shared/api/machine/crd.ts';
import type { Verb } from '../../../support/faulty-kubernetes.ts';
import { createMemoryCluster, type MemoryCluster } from './management-cluster.ts';

const manifests = manifestsOf(installedFolders);
const address = { url: 'https://functions.test/secret-token/convert' };
const inventory = { apiVersion: 'clusterctl.cluster.x-k8s.io/v1alpha3', kind: 'Provider' } as const;

let cluster: MemoryCluster;

beforeEach(() => {
  cluster = createMemoryCluster();
});

interface InstallCall {
  readonly dryRun?: boolean;
  readonly unserved?: readonly string[];
  readonly address?: { readonly url: string };
}

async function install({ dryRun = false, unserved = [], address: of }: InstallCall = {}) {
  const decided = await decideInstallation(cluster.kubernetes, manifests, of);
  return writeInstallation(cluster.kubernetes, decided, { dryRun, untilServed: async () => unserved });
}

const outcomesOf = ({ objects }: { readonly objects: readonly InstalledObject[] }): readonly string[] => [
  ...new Set(objects.map(({ outcome }) => outcome)),
];

const find = async (ref: ObjectRef) => {
  const answer = await cluster.kubernetes.get(ref);
  return answer.ok ? answer.value : undefined;
};

const refuse = (verb: Verb, of: string, causes: readonly string[] = []): void =>
  cluster.fail({
    at: call => call.verb === verb && call.kind === of,
    failure: { reason: 'Forbidden', message: 'no right', causes },
  });

describe('an installation in a new cluster', () => {
  it('writes everything, last the entry of clusterctl, and then changes nothing', async () => {
    const { objects, problems } = await install();
    expect(problems).toEqual([]);
    expect(objects).toHaveLength(manifests.length);
    expect(outcomesOf({ objects })).toEqual(['created']);
    expect(objects[0]).toEqual({ kind: 'Namespace', name: 'capi-serverless', outcome: 'created' });
    expect(objects.at(-1)).toEqual({
      kind: 'Provider',
      namespace: 'capi-serverless',
      name: 'cluster-api',
      outcome: 'created',
    });
    expect(outcomesOf(await install())).toEqual(['unchanged']);
    expect(outcomesOf(await install({ dryRun: true }))).toEqual(['unchanged']);
  });

  it('adds the provider that clusterctl init looks for', async () => {
    await install();
    const labels = {
      'cluster.x-k8s.io/provider': 'cluster-api',
      'clusterctl.cluster.x-k8s.io': '',
      'clusterctl.cluster.x-k8s.io/core': 'inventory',
      'app.kubernetes.io/part-of': 'capi-serverless',
    };
    expect(await find({ ...inventory, namespace: 'capi-serverless', name: 'cluster-api' })).toMatchObject({
      metadata: { labels },
      providerName: 'cluster-api',
      type: 'CoreProvider',
      version: 'v1.14.0',
    });
  });

  it('names in a dry run what it would write, and writes nothing', async () => {
    const version = cluster.core.resourceVersion();
    expect(outcomesOf(await install({ dryRun: true }))).toEqual(['would be created']);
    expect(cluster.core.resourceVersion()).toBe(version);
  });

  it('repairs what was changed by hand', async () => {
    await install();
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'capi-serverless-cluster' };
    await cluster.kubernetes.mergePatch(role, { rules: [] });
    const changed = async (dryRun: boolean) =>
      (await install({ dryRun })).objects.filter(({ outcome }) => outcome !== 'unchanged');
    const named = { kind: 'ClusterRole', name: 'capi-serverless-cluster' };
    expect(await changed(true)).toEqual([{ ...named, outcome: 'would be changed' }]);
    expect(await changed(false)).toEqual([{ ...named, outcome: 'changed' }]);
    expect(await changed(false)).toEqual([]);
  });

  it('serves older versions with the address of a function, and keeps them without it', async () => {
    expect((await install({ address })).problems).toEqual([]);
    const machines = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const;
    const { spec } = withOlderVersions(machineCrd, address);
    expect((await find({ ...machines, name: 'machines.cluster.x-k8s.io' }))?.spec).toMatchObject(Object(spec));
    expect(outcomesOf(await install())).toEqual(['unchanged']);
  });

  it('keeps an inventory that clusterctl has installed', async () => {
    cluster = createMemoryCluster([clusterctlProviderCrd]);
    const { objects, problems } = await install();
    expect(problems).toEqual([]);
    expect(objects).toHaveLength(manifests.length - 1);
    expect(objects.at(-1)).toMatchObject({ kind: 'Provider', outcome: 'created' });
  });
});

describe('an installation ends early', () => {
  it('if an object is refused: what depends on it is not written', async () => {
    refuse('apply', 'ClusterRole', ['rules: too many']);
    const { objects, problems } = await install();
    expect(problems).toEqual(['Further objects were not written. Run the command again']);
    expect(objects.filter(({ outcome }) => outcome === 'refused').map(({ kind, why }) => `${kind}: ${why}`)).toEqual(
      manifests.filter(({ kind }) => kind === 'ClusterRole').map(() => 'ClusterRole: rules: too many'),
    );
    expect(await find({ ...inventory, namespace: 'capi-serverless', name: 'cluster-api' })).toBeUndefined();
  });

  it('if a kind is not served', async () => {
    const { objects, problems } = await install({ unserved: ['Machines are not served yet'] });
    expect(problems).toEqual(['Machines are not served yet']);
    expect(objects.every(({ kind }) => kind === 'Namespace')).toBe(true);
  });

  it('if an object cannot be read', async () => {
    refuse('get', 'ClusterRole');
    const { objects } = await install();
    expect(objects.find(({ kind }) => kind === 'ClusterRole')).toMatchObject({ outcome: 'refused', why: 'no right' });
  });

  it('if a dry run is refused: all others are named', async () => {
    refuse('dryRun', 'ClusterRole');
    const { objects, problems } = await install({ dryRun: true });
    expect(problems).toEqual([]);
    expect(objects).toHaveLength(manifests.length);
    expect(outcomesOf({ objects })).toEqual(['would be created', 'refused']);
  });

  it.each([
    { kind: 'Deployment', verb: 'list', message: 'Deployments cannot be read: no right' },
    { kind: 'Provider', verb: 'list', message: 'Providers cannot be read: no right' },
    {
      kind: 'CustomResourceDefinition',
      verb: 'get',
      message: 'CustomResourceDefinition providers.clusterctl.cluster.x-k8s.io cannot be read: no right',
    },
    {
      kind: 'MutatingWebhookConfiguration',
      verb: 'get',
      message: 'MutatingWebhookConfiguration capi-mutating-webhook-configuration cannot be read: no right',
    },
  ] as const)('if $kind cannot be read before', async ({ kind, verb, message }) => {
    refuse(verb, kind);
    await expect(install()).rejects.toThrow(message);
  });
});

describe('where upstream is installed', () => {
  const answered = { url: 'https://h', certificateAuthority: undefined, failurePolicy: 'Fail' } as const;
  const configurations = toWebhookConfigurations(answered);
  const service = { namespace: 'capi-system', name: 'capi-webhook-service', path: '/convert' };
  const provider = (type: string): Intent => ({
    ...inventory,
    metadata: { name: 'a-provider', namespace: 'default' },
    ...{ providerName: 'a', type, version: 'v1.13.2' },
  });
  const deployment = (labels: Readonly<Record<string, string>>): Intent => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'capi-controller-manager', namespace: 'default', labels },
    spec: {},
  });

  const ofUpstream = "Service capi-system/capi-webhook-service of upstream's manager";
  const remedy = expect.stringContaining('"Take over from upstream\'s manager" in docs/take-over.md');

  it.each([
    {
      given: [deployment({ 'cluster.x-k8s.io/provider': 'cluster-api' })],
      problem: "Deployment default/capi-controller-manager runs upstream's manager",
    },
    {
      given: [provider('CoreProvider')],
      problem: 'Provider default/a-provider records a core provider, v1.13.2, that clusterctl installed',
    },
    {
      given: configurations.slice(0, 1).map(object => ({ ...object, webhooks: [{ clientConfig: { service } }] })),
      problem: `MutatingWebhookConfiguration capi-mutating-webhook-configuration calls ${ofUpstream}`,
    },
  ])('nothing is written: $problem', async ({ given, problem }) => {
    cluster = createMemoryCluster([clusterctlProviderCrd]);
    for (const object of given) {
      await cluster.given(object);
    }
    const version = cluster.core.resourceVersion();
    expect(await install()).toEqual({ objects: [], problems: [problem, remedy] });
    expect(cluster.core.resourceVersion()).toBe(version);
  });

  it('a definition that its Service converts is named', async () => {
    cluster = createMemoryCluster([withOlderVersions(machineCrd, { service })]);
    expect(await install()).toEqual({
      objects: [],
      problems: [`CustomResourceDefinition machines.cluster.x-k8s.io is converted by ${ofUpstream}`, remedy],
    });
  });

  it('other providers, their Deployments, and configurations with an address do not matter', async () => {
    cluster = createMemoryCluster([clusterctlProviderCrd]);
    await cluster.given(provider('InfrastructureProvider'));
    await cluster.given(deployment({ 'cluster.x-k8s.io/provider': 'infrastructure-a' }));
    for (const object of configurations) {
      await cluster.given(object);
    }
    expect((await install()).problems).toEqual([]);
  });

  it('configurations of webhooks may be unknown to the server', async () => {
    cluster = createMemoryCluster([], { webhooks: false });
    expect((await install()).problems).toEqual([]);
  });
});
