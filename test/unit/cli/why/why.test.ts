import type { Intent } from '@capi-serverless/apimachinery';
import { beforeEach, describe, expect, it } from 'vitest';
import { whyFleet } from '../../../../cli/why/fleet.ts';
import { explainedKinds } from '../../../../cli/why/operands.ts';
import { parseWhyOptions, toWhyHelp } from '../../../../cli/why/options.ts';
import { why } from '../../../../cli/why/why.ts';
import { UsageError } from '../../../../local/usage-error.ts';
import { coreCrds } from '../../../../shared/api/crds.ts';
import { aCluster, aControlPlane, aMachine, aMachineDeployment, anInfraCluster } from '../../../support/builders.ts';
import { anExtensionConfig } from '../../../support/extension-config.ts';
import { createMemoryApi, type MemoryApi } from '../../../support/memory-api.ts';

let api: MemoryApi;

beforeEach(() => {
  api = createMemoryApi();
});

/** Runs the command with these operands. */
async function ask(...operands: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  const options = parseWhyOptions(operands);
  if (options === 'help') {
    throw new Error('Help has no object');
  }
  const written: string[] = [];
  const write = (text: string) => written.push(text);
  const context = { reads: api.kubernetes, write, columns: 100, color: false, json: options.json };
  const code = await ('isFleet' in options ? whyFleet(context) : why(options, context));
  return { code, text: written.join('') };
}

describe('the command line', () => {
  it.each([
    [['ns/c1'], 'cluster', { namespace: 'ns', name: 'c1' }, undefined],
    [['c1'], 'cluster', { namespace: 'default', name: 'c1' }, undefined],
    [['c1', '-n', 'ns'], 'cluster', { namespace: 'ns', name: 'c1' }, undefined],
    [['machine/m1', '-n', 'ns'], 'machine', { namespace: 'ns', name: 'm1' }, undefined],
    [['machine/ns/m1'], 'machine', { namespace: 'ns', name: 'm1' }, undefined],
    [['Machine', 'ns/m1'], 'machine', { namespace: 'ns', name: 'm1' }, undefined],
    [['ma/m1'], 'machine', { namespace: 'default', name: 'm1' }, undefined],
    [['machines.cluster.x-k8s.io/m1'], 'machine', { namespace: 'default', name: 'm1' }, undefined],
    [['MachineDeployment/md1'], 'machinedeployment', { namespace: 'default', name: 'md1' }, undefined],
    [['mhcs', 'h1'], 'machinehealthcheck', { namespace: 'default', name: 'h1' }, undefined],
    [['topology/ns/c1'], 'topology', { namespace: 'ns', name: 'c1' }, undefined],
    [['ext/ext1'], 'extensionconfig', { namespace: '', name: 'ext1' }, undefined],
    [['--kubeconfig', 'f', 'ns/c1'], 'cluster', { namespace: 'ns', name: 'c1' }, 'f'],
    [['cluster', 'ns/c1'], 'cluster', { namespace: 'ns', name: 'c1' }, undefined],
    [['topology', 'ns/c1'], 'topology', { namespace: 'ns', name: 'c1' }, undefined],
    [['extensionconfig', 'ext1'], 'extensionconfig', { namespace: '', name: 'ext1' }, undefined],
    [['clusterclass', 'ns/cc'], 'clusterclass', { namespace: 'ns', name: 'cc' }, undefined],
    [['--json', 'ns/c1'], 'cluster', { namespace: 'ns', name: 'c1' }, undefined],
  ])('reads %j', (args, reconciler, name, kubeconfig) => {
    const face = expect.objectContaining({ name: reconciler });
    expect(parseWhyOptions(args)).toEqual({
      face,
      declaration: face,
      name,
      kubeconfig,
      json: args[0] === '--json',
      watch: false,
    });
  });

  it('reads the words of kubectl for each kind', () => {
    for (const { spec } of coreCrds) {
      const { kind, plural, singular, shortNames = [] } = spec.names;
      const isExplained = explainedKinds().some(({ declaration }) => declaration.primary.kind === kind);
      for (const word of isExplained ? [kind, plural, singular, ...shortNames, `${plural}.${spec.group}`] : []) {
        expect(parseWhyOptions([`${word}/a`]), word).toMatchObject({ declaration: { primary: { kind } } });
      }
    }
  });

  it('has help that names the reconcilers and the kind without one', () => {
    expect(parseWhyOptions(['--help'])).toBe('help');
    expect(toWhyHelp()).toContain('Cluster, ClusterClass, ClusterResourceSet, ');
    expect(toWhyHelp()).toMatch(/Reconcilers: .*clusterresourcesetbinding, extensionconfig/);
  });

  it.each([
    [['a/b/c'], 'Name one Cluster as [NAMESPACE/]NAME, as kubectl prints it'],
    [['a/b', 'c/d'], 'Name one Cluster as [NAMESPACE/]NAME, as kubectl prints it'],
    [['a/b', '-n', 'c'], 'Name one Cluster as NAME, as kubectl prints it'],
    [['C1'], 'Name one Cluster as [NAMESPACE/]NAME, as kubectl prints it'],
    [['clusterclass'], 'Name one ClusterClass as clusterclass [NAMESPACE/]NAME, as kubectl prints it'],
    [['machine/'], 'Name one Machine as machine [NAMESPACE/]NAME, as kubectl prints it'],
    [['ms/a', 'b'], 'Name one MachineSet as ms [NAMESPACE/]NAME, as kubectl prints it'],
    [['extensionconfig'], 'Name one ExtensionConfig as extensionconfig NAME, as kubectl prints it'],
    [['extensionconfig', 'a/b'], 'Name one ExtensionConfig as extensionconfig NAME, as kubectl prints it'],
    [['extensionconfig', 'a', 'b'], 'Name one ExtensionConfig as extensionconfig NAME, as kubectl prints it'],
    [['-n', 'ns'], '--namespace goes with a name; without one, why lists the objects of all namespaces'],
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
    const { code, text } = await ask('ns/c1');
    expect(code).toBe(1);
    expect(text).toBe(
      [
        '… ns/c1                                      Provisioning  waiting for InfrastructureReady: Simulat…',
        '├─ ? SimulatedCluster/c1-infra               does not exist',
        '├─ · SimulatedControlPlane/c1-control-plane',
        '├─ · MachineDeployment/md1                   0/1 ready',
        '└─ · Machine/m1',
        '',
        'Cluster ns/c1 waits for InfrastructureReady.',
        'Condition InfrastructureReady is False (NotReady): SimulatedCluster does not exist.',
        'This points to SimulatedCluster ns/c1-infra, which does not exist.',
        'What to do: create SimulatedCluster "c1-infra" in the namespace of the Cluster',
        '',
      ].join('\n'),
    );
  });

  it('prints the same as JSON', async () => {
    const condition = { status: 'False', reason: 'NotReady', message: 'SimulatedCluster does not exist' } as const;
    api.given(
      aCluster().withInfrastructureRef().inPhase('Provisioning').withCondition('InfrastructureReady', condition),
    );
    const { code, text } = await ask('ns/c1', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(text)).toEqual({
      object: { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace: 'ns', name: 'c1' },
      waits: true,
      waitsFor: 'InfrastructureReady',
      condition: 'InfrastructureReady is False (NotReady): SimulatedCluster does not exist',
      pointsTo: ['SimulatedCluster ns/c1-infra, which does not exist'],
      remedies: ['create SimulatedCluster "c1-infra" in the namespace of the Cluster'],
      tree: {
        name: 'ns/c1',
        state: 'waiting',
        detail: 'Provisioning  waiting for InfrastructureReady: SimulatedCluster does not exist',
        children: [{ name: 'SimulatedCluster/c1-infra', state: 'missing', detail: 'does not exist', children: [] }],
      },
    });
  });

  it('lists all parts as JSON, where the text counts them', async () => {
    const machines = Array.from({ length: 12 }, (_, index) => aMachine().named(`m${index}`));
    api.given(aCluster().inPhase('Provisioned'), ...machines);
    const { code, text } = await ask('ns/c1', '--json');
    expect(code).toBe(0);
    const document: unknown = JSON.parse(text);
    expect(document).toMatchObject({ waits: false, pointsTo: [], remedies: [], tree: { state: 'ready' } });
    expect(document).not.toHaveProperty('waitsFor');
    expect(document).toHaveProperty('tree.children.length', 12);
    expect((await ask('ns/c1')).text).toContain('2 more');
  });

  it('has no tree as JSON for an object whose parts are not known', async () => {
    api.given(aCluster().build());
    expect(JSON.parse((await ask('topology', 'ns/c1', '--json')).text)).not.toHaveProperty('tree');
  });

  it('ends with 0 when nothing is waited for', async () => {
    api.given(aCluster().withInfrastructureRef().inPhase('Provisioned'), anInfraCluster().provisioned());
    const { code, text } = await ask('ns/c1');
    expect(code).toBe(0);
    expect(text).toContain('✓ SimulatedCluster/c1-infra');
    expect(text).toMatch(/\nCluster ns\/c1 waits for nothing\.\n$/);
  });

  it('names the definition that is not installed', async () => {
    const reference = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'Novel', name: 'n' };
    api.given(aCluster().withInfrastructureRef(reference).inPhase('Pending'));
    expect((await ask('ns/c1')).text).toContain(
      '? Novel/n  CustomResourceDefinition novels.infrastructure.cluster.x-k8s.io is not installed',
    );
  });

  it('reports a definition without contract label', async () => {
    api = createMemoryApi({ crds: [unlabelled] });
    const reference = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'Novel', name: 'n' };
    api.given(aCluster().withInfrastructureRef(reference).inPhase('Pending'));
    expect((await ask('ns/c1')).text).toContain('✗ Novel/n  cannot find any versions matching contract versions');
  });

  it('distinguishes a refused object from a missing one', async () => {
    api.given(aCluster().withInfrastructureRef().inPhase('Pending'), anInfraCluster());
    const failure = { reason: 'Forbidden', message: 'no right' } as const;
    api.calls.fail({ at: call => call.verb === 'get' && call.kind === 'SimulatedCluster', failure });
    expect((await ask('ns/c1')).text).toContain(
      '✗ SimulatedCluster/c1-infra  SimulatedCluster ns/c1-infra cannot be read: no right',
    );
  });

  it('takes a server that has no Machines for one without any', async () => {
    api.given(aCluster().inPhase('Provisioned'));
    api.calls.fail({ at: call => call.verb === 'list', failure: { reason: 'NotFound', message: 'no such page' } });
    expect((await ask('ns/c1')).code).toBe(0);
  });

  it('refuses a Cluster that is not there', async () => {
    await expect(ask('ns/missing')).rejects.toThrow(/^Cluster ns\/missing cannot be read: .*not found/);
  });

  it.each(['Machine', 'MachineDeployment'])('refuses when %s may not be listed', async kind => {
    api.given(aCluster());
    const failure = { reason: 'Forbidden', message: `no right to list ${kind}` } as const;
    api.calls.fail({ at: call => call.verb === 'list' && call.kind === kind, failure });
    await expect(ask('ns/c1')).rejects.toThrow(
      new UsageError(`Cluster ns/c1 cannot be read: no right to list ${kind}`),
    );
  });
});

describe('a workload cluster that does not answer', () => {
  const lost = () =>
    aCluster()
      .inPhase('Provisioned')
      .withCondition('RemoteConnectionProbe', { status: 'False', reason: 'ProbeFailed' });
  const secretWith = (value: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'c1-kubeconfig', namespace: 'ns' },
    data: { value: Buffer.from(value).toString('base64') },
  });

  it.each([
    ['', 'which has no kubeconfig under the key value'],
    ['%', 'whose value is not a kubeconfig'],
    ['a text', 'whose value is not a kubeconfig'],
    ['clusters: []', 'whose value is not a kubeconfig'],
    [`clusters: [${'a'.repeat(70_000)}]`, 'whose value is not a kubeconfig'],
  ])('has a Secret with %j', async (value, problem) => {
    api.given(lost());
    await api.others.create(secretWith(value));
    const { text } = await ask('ns/c1');
    expect(text).toContain(`This points to Secret ns/c1-kubeconfig, ${problem}.`);
    expect(text).toContain('What to do: the control plane provider writes this Secret');
  });

  it('has a kubeconfig, or one that may not be read', async () => {
    api.given(lost());
    await api.others.create(secretWith('clusters: [{name: c}]'));
    const points = 'This points to the API server that Secret ns/c1-kubeconfig leads to.';
    expect((await ask('ns/c1')).text).toContain(points);
    const failure = { reason: 'Forbidden', message: 'no right' } as const;
    api.calls.fail({ at: call => call.kind === 'Secret', failure });
    expect((await ask('ns/c1')).text).toContain(points);
  });
});

describe('a Machine that its owner does not remediate', () => {
  const refused = { status: 'False', reason: 'RemediationDeferred', message: 'too many remediations' } as const;
  const unhealthy = { status: 'False', reason: 'UnhealthyNode', message: 'the Node is lost' } as const;
  const machine = () => aMachine().inPhase('Running').withCondition('HealthCheckSucceeded', unhealthy);

  it.each([
    ['waits for the owner', machine().withCondition('OwnerRemediated', refused), 'its remediation'],
    [
      'waits for the health check until the owner has decided',
      machine().withCondition('OwnerRemediated', { ...refused, reason: 'WaitingForRemediation' }),
      'its remediation',
    ],
    [
      'waits for the end of its pause first',
      machine().withCondition('OwnerRemediated', refused).withCondition('Paused'),
      'its pause to end',
    ],
    [
      'waits for its deletion first',
      machine().withCondition('OwnerRemediated', refused).withCondition('Deleting'),
      'its deletion to end',
    ],
  ])('%s', async (_, object, waitsFor) => {
    api.given(object);
    const { text } = await ask('machine', 'ns/m1');
    expect(text).toContain(`Machine ns/m1 waits for ${waitsFor}.`);
  });

  it('names what the owner waits for', async () => {
    api.given(machine().withCondition('OwnerRemediated', refused));
    expect((await ask('machine', 'ns/m1')).text).toContain('RemediationDeferred): too many remediations.');
  });
});

describe('asking why without a name', () => {
  it('prints JSON with all objects that wait', async () => {
    const condition = { status: 'False', reason: 'NotReady', message: 'no network' } as const;
    api.given(aCluster().inPhase('Provisioning').withCondition('InfrastructureReady', condition));
    const { code, text } = await ask('--json');
    expect(code).toBe(1);
    expect(JSON.parse(text)).toMatchObject({
      waits: true,
      objects: [{ object: { kind: 'Cluster', name: 'c1' }, waitsFor: 'InfrastructureReady' }],
    });
  });

  it('counts the objects beyond a limit', async () => {
    api.given(...Array.from({ length: 53 }, (_, at) => aMachine().named(`m${at}`)));
    expect((await ask()).text).toContain(
      '\n3 more objects wait.\n\nFor what to do: npx capi-serverless why machine ns/',
    );
  });

  it('refuses if a kind may not be listed, and takes a kind that is not served for one without objects', async () => {
    api.calls.fail({ at: call => call.verb === 'list', failure: { reason: 'NotFound', message: 'no such page' } });
    expect(await ask()).toEqual({ code: 0, text: 'Nothing waits.\n' });
    api = createMemoryApi();
    api.calls.fail({ at: call => call.verb === 'list', failure: { reason: 'Forbidden', message: 'no right' } });
    await expect(ask()).rejects.toThrow(/^Objects of kind \w+ cannot be listed: no right$/);
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
  it('shows its handlers, and ends with 0 when they are known', async () => {
    const requestHook = { apiVersion: 'hooks.runtime.cluster.x-k8s.io/v1alpha1', hook: 'GeneratePatches' };
    const handlers = [{ name: 'first.ext1', requestHook }];
    api.given(anExtensionConfig().withStatus({ handlers }).withCondition('Discovered'));
    const { code, text } = await ask('extensionconfig', 'ext1');
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

  it('ends with 1 before its first discovery', async () => {
    api.given(anExtensionConfig());
    const { code, text } = await ask('extensionconfig', 'ext1');
    expect(code).toBe(1);
    expect(text).toContain('ExtensionConfig ext1 waits for its first discovery.');
  });

  it('fails for a missing one', async () => {
    await expect(ask('extensionconfig', 'missing')).rejects.toThrow('ExtensionConfig missing cannot be read: ');
  });
});

describe('asking why of what another reconciler reconciles', () => {
  it('prints what it waits for and the remedy', async () => {
    const blocked = { status: 'False', reason: 'ClusterClassNotReconciled', message: 'not yet' } as const;
    api.given(aCluster().withTopology({ class: 'cc' }).withCondition('TopologyReconciled', blocked));
    expect(await ask('topology', 'ns/c1')).toEqual({
      code: 1,
      text: [
        'Cluster ns/c1 waits for its ClusterClass to be reconciled.',
        'Condition TopologyReconciled is False (ClusterClassNotReconciled): not yet.',
        'What to do: see what its class waits for: npx capi-serverless why clusterclass ns/cc',
        '',
      ].join('\n'),
    });
  });

  it('ends with 0 when it waits for nothing', async () => {
    api.given(aCluster().withCondition('TopologyReconciled'));
    expect(await ask('topology', 'ns/c1')).toEqual({ code: 0, text: 'Cluster ns/c1 waits for nothing.\n' });
  });

  it('refuses an object that is not there', async () => {
    await expect(ask('topology', 'ns/c1')).rejects.toThrow('Cluster ns/c1 cannot be read: ');
  });
});
