import { beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../../../infra/local/options.ts';
import { parseWhyOptions, why, whyExtension } from '../../../../infra/local/why.ts';
import type { Intent } from '../../../../shared/api/object.ts';
import { aCluster, aControlPlane, aMachine, aMachineDeployment, anInfraCluster } from '../../../support/builders.ts';
import { anExtensionConfig } from '../../../support/extension-config.ts';
import { createMemoryApi, type MemoryApi } from '../../../support/memory-api.ts';

let api: MemoryApi;

beforeEach(() => {
  api = createMemoryApi();
});

async function ask(name = 'c1'): Promise<{ readonly code: number; readonly text: string }> {
  let text = '';
  const write = (more: string): void => {
    text += more;
  };
  const code = await why({ namespace: 'ns', name }, { reads: api.kubernetes, write, columns: 100, color: false });
  return { code, text };
}

describe('the command line', () => {
  it.each([
    [['ns/c1'], { cluster: { namespace: 'ns', name: 'c1' }, kubeconfig: undefined }],
    [['--kubeconfig', 'f', 'ns/c1'], { cluster: { namespace: 'ns', name: 'c1' }, kubeconfig: 'f' }],
    [['extensionconfig', 'ext1'], { extension: 'ext1', kubeconfig: undefined }],
    [['clusterclass', 'ns/cc'], { clusterClass: { namespace: 'ns', name: 'cc' }, kubeconfig: undefined }],
    [['--help'], 'help'],
  ])('reads %j', (args, options) => {
    expect(parseWhyOptions(args)).toEqual(options);
  });

  it.each([
    [[], 'Name one Cluster as NAMESPACE/NAME'],
    [['c1'], 'Name one Cluster as NAMESPACE/NAME'],
    [['a/b/c'], 'Name one Cluster as NAMESPACE/NAME'],
    [['a/b', 'c/d'], 'Name one Cluster as NAMESPACE/NAME'],
    [['clusterclass', 'cc'], 'Name one ClusterClass as clusterclass NAMESPACE/NAME'],
    [['extensionconfig'], 'Name one ExtensionConfig as extensionconfig NAME'],
    [['extensionconfig', 'a/b'], 'Name one ExtensionConfig as extensionconfig NAME'],
    [['extensionconfig', 'a', 'b'], 'Name one ExtensionConfig as extensionconfig NAME'],
    [['a/b', '--kubeconfig', ''], '--kubeconfig names no file'],
    [['a/b', '--what'], "Unknown option '--what'; --help lists the options"],
  ])('refuses %j: %s', (args, message) => {
    expect(() => parseWhyOptions(args)).toThrow(new UsageError(message));
  });
});

describe('asking why', () => {
  it('shows the tree and what it waits for, and ends with 1', async () => {
    const condition = { status: 'False', reason: 'NotReady', message: 'SimulatedCluster does not exist' } as const;
    api.given(
      aCluster()
        .withInfrastructureRef()
        .withControlPlaneRef()
        .inPhase('Provisioning')
        .withCondition('InfrastructureReady', condition),
      aControlPlane(),
      aMachineDeployment(),
      aMachine(),
      aMachine().named('foreign').ofCluster('c2'),
    );
    const { code, text } = await ask();
    expect(code).toBe(1);
    expect(text).toBe(
      [
        '… ns/c1                                      Provisioning  waiting for InfrastructureReady: Simulat…',
        '├─ ? SimulatedCluster/c1-infra               does not exist',
        '├─ · SimulatedControlPlane/c1-control-plane',
        '├─ · MachineDeployment/md1                   0/1 ready',
        '└─ · Machine/m1',
        '',
        'ns/c1 waits for InfrastructureReady.',
        'Condition InfrastructureReady is False (NotReady): SimulatedCluster does not exist.',
        'This points to SimulatedCluster ns/c1-infra, which does not exist.',
        'What to do: create SimulatedCluster "c1-infra" in the namespace of the Cluster',
        '',
      ].join('\n'),
    );
  });

  it('ends with 0 when nothing is waited for', async () => {
    api.given(aCluster().withInfrastructureRef().inPhase('Provisioned'), anInfraCluster().provisioned());
    const { code, text } = await ask();
    expect(code).toBe(0);
    expect(text).toContain('✓ SimulatedCluster/c1-infra');
    expect(text).toMatch(/\nns\/c1 waits for nothing\.\n$/);
  });

  it('says which definition is not installed', async () => {
    const reference = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'Novel', name: 'n' };
    api.given(aCluster().withInfrastructureRef(reference).inPhase('Pending'));
    expect((await ask()).text).toContain(
      '? Novel/n  CustomResourceDefinition novels.infrastructure.cluster.x-k8s.io is not installed',
    );
  });

  it('says that a definition has no contract label', async () => {
    api = createMemoryApi({ crds: [unlabelled] });
    const reference = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'Novel', name: 'n' };
    api.given(aCluster().withInfrastructureRef(reference).inPhase('Pending'));
    expect((await ask()).text).toContain('✗ Novel/n  cannot find any versions matching contract versions');
  });

  it('tells a refused object from a missing one', async () => {
    api.given(aCluster().withInfrastructureRef().inPhase('Pending'), anInfraCluster());
    const failure = { reason: 'Forbidden', message: 'no right' } as const;
    api.calls.fail({ at: call => call.verb === 'get' && call.kind === 'SimulatedCluster', failure });
    expect((await ask()).text).toContain(
      '✗ SimulatedCluster/c1-infra  SimulatedCluster ns/c1-infra cannot be read: no right',
    );
  });

  it('takes a server that has no Machines for one without any', async () => {
    api.given(aCluster().inPhase('Provisioned'));
    api.calls.fail({ at: call => call.verb === 'list', failure: { reason: 'NotFound', message: 'no such page' } });
    expect((await ask()).code).toBe(0);
  });

  it('refuses a Cluster that is not there', async () => {
    await expect(ask('nobody')).rejects.toThrow(/^Cluster ns\/nobody cannot be read: .*not found/);
  });

  it.each(['Machine', 'MachineDeployment'])('refuses when %s may not be listed', async kind => {
    api.given(aCluster());
    const failure = { reason: 'Forbidden', message: `no right to list ${kind}` } as const;
    api.calls.fail({ at: call => call.verb === 'list' && call.kind === kind, failure });
    await expect(ask()).rejects.toThrow(new UsageError(`Cluster ns/c1 cannot be read: no right to list ${kind}`));
  });
});

const unlabelled: Intent = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'novels.infrastructure.cluster.x-k8s.io' },
  spec: {
    group: 'infrastructure.cluster.x-k8s.io',
    scope: 'Namespaced',
    names: { kind: 'Novel', plural: 'novels' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

describe('asking why of an ExtensionConfig', () => {
  async function askExtension(name = 'ext1') {
    const written: string[] = [];
    const write = (text: string) => written.push(text);
    const code = await whyExtension(name, { reads: api.kubernetes, write, columns: 100, color: false });
    return { code, text: written.join('') };
  }

  it('shows its handlers, and ends with 0 when they are known', async () => {
    const requestHook = { apiVersion: 'hooks.runtime.cluster.x-k8s.io/v1alpha1', hook: 'GeneratePatches' };
    const handlers = [{ name: 'first.ext1', requestHook }];
    api.given(anExtensionConfig().withStatus({ handlers }).withCondition('Discovered'));
    const { code, text } = await askExtension();
    expect(code).toBe(0);
    expect(text).toBe(
      [
        '✓ ExtensionConfig/ext1  Discovered  1 handler',
        '└─ ✓ GeneratePatches    first.ext1',
        '',
        'ExtensionConfig ext1 waits for nothing.',
        '',
      ].join('\n'),
    );
  });

  it('ends with 1 when nobody knows them', async () => {
    api.given(anExtensionConfig());
    const { code, text } = await askExtension();
    expect(code).toBe(1);
    expect(text).toContain('ExtensionConfig ext1 waits for its first discovery.');
  });

  it('cannot tell of one that is not there', async () => {
    await expect(askExtension('nobody')).rejects.toThrow('ExtensionConfig nobody cannot be read: ');
  });
});
