// Upgrades of managed topologies from pass to pass, by scenario number.
import { describe, expect, it } from 'vitest';
import { pendingHooks, upgradeStep } from '../../../support/topology-upgrade.ts';
import { UpgradeLife } from './upgrade-life.ts';

const allHooks = [
  'BeforeClusterUpgrade',
  'BeforeControlPlaneUpgrade',
  'AfterControlPlaneUpgrade',
  'BeforeWorkersUpgrade',
  'AfterWorkersUpgrade',
  'AfterClusterUpgrade',
];
const reconciled = 'True | ReconcileSucceeded | ';

function upgrading(to: string, ...lines: readonly string[]): string {
  return `False | ClusterUpgrading | ${[`Cluster is upgrading to ${to}`, ...lines].join('\n  * ')}`;
}

/** The versions of the MachineDeployments in their order. */
function deployed(life: UpgradeLife): readonly string[] {
  return [...life.deployments.values()].map(({ version }) => version);
}

describe('an upgrade by one minor', () => {
  it('upgrades the control plane first, and the workers once it has its version', async () => {
    const life = new UpgradeLife({ version: 'v1.30.0', deployments: [{ name: 'm' }] });
    expect((await life.pass()).condition).toBe(reconciled);
    life.upgradeTo('v1.31.0');
    const first = await life.pass();
    const waiting = upgrading(
      'v1.31.0',
      'KubeadmControlPlane upgrading to version v1.31.0',
      'MachineDeployment c1-m pending upgrade to version v1.31.0',
    );
    expect(first.condition).toBe(waiting);
    expect(first.plan).toEqual({ controlPlane: ['v1.31.0'], workers: ['v1.31.0'] });
    expect([life.controlPlane?.version, ...deployed(life)]).toEqual(['v1.31.0', 'v1.30.0']);
    expect(life.annotations).toEqual({
      [pendingHooks]: 'AfterClusterUpgrade,AfterControlPlaneUpgrade,AfterWorkersUpgrade,BeforeWorkersUpgrade',
      [upgradeStep]: 'v1.31.0',
    });
    const second = await life.pass();
    expect(second.condition).toBe(waiting);
    expect(second.plan).toEqual({ controlPlane: [], workers: ['v1.31.0'] });
    expect(deployed(life)).toEqual(['v1.30.0']);
  });

  it('ends without the annotations: first those of hooks, in the next pass that of the step', async () => {
    const life = new UpgradeLife({ version: 'v1.30.0', deployments: [{ name: 'm' }] });
    life.upgradeTo('v1.31.0');
    await life.pass();
    life.arrive('controlPlane');
    expect((await life.pass()).condition).toBe(
      upgrading('v1.31.0', 'MachineDeployment c1-m upgrading to version v1.31.0'),
    );
    expect(life.annotations[pendingHooks]).toBe('AfterClusterUpgrade,AfterWorkersUpgrade');
    life.arrive('m');
    expect((await life.pass()).condition).toBe(reconciled);
    expect(life.annotations).toEqual({ [upgradeStep]: 'v1.31.0' });
    expect((await life.pass()).condition).toBe(reconciled);
    expect(life.annotations).toEqual({});
  });

  it('keeps no account of hooks without RuntimeSDK', async () => {
    const life = new UpgradeLife({ version: 'v1.30.0', deployments: [{ name: 'm' }], runtimeSdk: false });
    life.upgradeTo('v1.31.0');
    await life.pass();
    expect(life.annotations).toEqual({ [upgradeStep]: 'v1.31.0' });
    life.arrive();
    await life.pass();
    life.arrive();
    expect((await life.pass()).condition).toBe(reconciled);
    expect(life.annotations).toEqual({});
  });

  it.each([
    { id: '52', annotations: {}, waves: [1, 2, 3] },
    { id: '53', annotations: { 'topology.cluster.x-k8s.io/upgrade-concurrency': '2' }, waves: [2, 3] },
  ])('$id upgrades as many workers at once as it may, of each kind', async ({ annotations, waves }) => {
    const workers = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
    const pools = workers.map(({ name }) => ({ name: `pool-${name}` }));
    const life = new UpgradeLife({ version: 'v1.30.0', deployments: workers, pools, annotations });
    life.upgradeTo('v1.31.0');
    await life.pass();
    for (const count of waves) {
      life.arrive();
      await life.pass();
      await life.pass();
      expect(deployed(life).filter(version => version === 'v1.31.0')).toHaveLength(count);
      expect([...life.pools.values()].filter(({ version }) => version === 'v1.31.0')).toHaveLength(count);
    }
  });

  it('blocks a sequence, and reports that when no other part is pending', async () => {
    const hold = { 'topology.cluster.x-k8s.io/hold-upgrade-sequence': '' };
    const deployments = [{ name: 'a' }, { name: 'b', annotations: hold }, { name: 'c' }];
    const life = new UpgradeLife({ version: 'v1.30.0', deployments });
    life.upgradeTo('v1.31.0');
    await life.pass();
    life.arrive();
    await life.pass();
    life.arrive();
    const text =
      'MachineDeployments c1-b, c1-c upgrade to version v1.31.0 deferred using defer-upgrade or hold-upgrade-sequence annotations';
    const held = await life.pass();
    expect(deployed(life)).toEqual(['v1.31.0', 'v1.30.0', 'v1.30.0']);
    expect(held.condition).toBe(
      `False | MachineDeploymentsUpgradeDeferred | Cluster is upgrading to v1.31.0\n  * ${text}`,
    );
  });

  it('passes over a deferred one', async () => {
    const defer = { 'topology.cluster.x-k8s.io/defer-upgrade': '' };
    const deployments = [{ name: 'a' }, { name: 'b', annotations: defer }, { name: 'c' }];
    const life = new UpgradeLife({ version: 'v1.30.0', deployments });
    life.upgradeTo('v1.31.0');
    for (let index = 0; index < 4; index += 1) {
      await life.pass();
      life.arrive();
    }
    expect(deployed(life)).toEqual(['v1.31.0', 'v1.30.0', 'v1.31.0']);
  });

  it('counts a MachineDeployment whose Machines run another version', async () => {
    const life = new UpgradeLife({ version: 'v1.31.0', deployments: [{ name: 'm' }] });
    const running = life.deployments.get('m');
    if (running !== undefined) {
      running.runs = 'v1.30.0';
    }
    expect((await life.pass()).condition).toBe(
      upgrading('v1.31.0', 'MachineDeployment c1-m upgrading to version v1.31.0'),
    );
  });

  it('keeps the control plane while workers upgrade, even if the topology changes in the meantime', async () => {
    const life = new UpgradeLife({ version: 'v1.30.0', deployments: [{ name: 'm' }] });
    life.upgradeTo('v1.31.0');
    await life.pass();
    life.arrive('controlPlane');
    await life.pass();
    life.upgradeTo('v1.32.0');
    await life.pass();
    expect(life.controlPlane?.version).toBe('v1.31.0');
    life.arrive();
    await life.pass();
    expect(life.controlPlane?.version).toBe('v1.32.0');
  });

  it('fails over two minors without versions in the class', async () => {
    const life = new UpgradeLife({ version: 'v1.30.0', deployments: [{ name: 'm' }] });
    life.upgradeTo('v1.32.0');
    const { failure, plan, condition } = await life.pass();
    expect({ failure, plan, condition }).toEqual({
      failure: 'cannot compute an upgrade plan from v1.30.0 to v1.32.0',
      plan: undefined,
      condition: 'False | ReconcileFailed | cannot compute an upgrade plan from v1.30.0 to v1.32.0',
    });
  });

  it('counts another build of the same version as an upgrade', async () => {
    const life = new UpgradeLife({ version: 'v1.30.0+a' });
    life.upgradeTo('v1.30.0+b');
    await life.pass();
    expect(life.controlPlane?.version).toBe('v1.30.0+b');
    expect((await life.pass()).condition).toBe(
      upgrading('v1.30.0+b', 'KubeadmControlPlane upgrading to version v1.30.0+b'),
    );
  });

  it('waits while an annotation holds it up', async () => {
    const key = 'before-upgrade.hook.cluster.cluster.x-k8s.io/test';
    const life = new UpgradeLife({ version: 'v1.30.0', annotations: { [key]: '' }, hooks: ['BeforeClusterUpgrade'] });
    life.upgradeTo('v1.31.0');
    const held = await life.pass();
    expect(held).toMatchObject({ asked: [], retryAfterSeconds: 1200 });
    expect(held.condition).toBe(
      upgrading(
        'v1.31.0',
        `Following hooks are blocking upgrade: BeforeClusterUpgrade: annotation ${key} is set`,
        'KubeadmControlPlane pending upgrade to version v1.31.0',
      ),
    );
    expect(life.annotations).toEqual({ [key]: '' });
  });
});

describe('hooks of an upgrade', () => {
  it('are called in their order, each once, and with the versions that they concern', async () => {
    const life = new UpgradeLife({ version: 'v1.30.0', deployments: [{ name: 'm' }], hooks: allHooks });
    life.upgradeTo('v1.31.0');
    const asked: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      asked.push(...(await life.pass()).asked);
      life.arrive();
    }
    expect(asked).toEqual([
      'BeforeClusterUpgrade v1.30.0 → v1.31.0',
      'BeforeControlPlaneUpgrade v1.30.0 → v1.31.0',
      'AfterControlPlaneUpgrade v1.31.0',
      'BeforeWorkersUpgrade v1.30.0 → v1.31.0',
      'AfterWorkersUpgrade v1.31.0',
      'AfterClusterUpgrade v1.31.0',
    ]);
  });

  it('repeat for each step of a chain, those of workers only where workers stop', async () => {
    const versions = ['v1.29.0', 'v1.30.2', 'v1.31.4', 'v1.32.3', 'v1.33.0'];
    const life = new UpgradeLife({ version: 'v1.29.0', versions, deployments: [{ name: 'm' }], hooks: allHooks });
    life.upgradeTo('v1.33.0');
    const asked: string[] = [];
    const steps = new Set<string>();
    for (let index = 0; index < 9; index += 1) {
      const pass = await life.pass();
      asked.push(...pass.asked);
      steps.add(`${life.controlPlane?.version} ${deployed(life)} step ${life.annotations[upgradeStep]}`);
      life.arrive();
    }
    expect(asked).toEqual([
      'BeforeClusterUpgrade v1.29.0 → v1.33.0',
      'BeforeControlPlaneUpgrade v1.29.0 → v1.30.2',
      'AfterControlPlaneUpgrade v1.30.2',
      'BeforeControlPlaneUpgrade v1.30.2 → v1.31.4',
      'AfterControlPlaneUpgrade v1.31.4',
      'BeforeControlPlaneUpgrade v1.31.4 → v1.32.3',
      'AfterControlPlaneUpgrade v1.32.3',
      'BeforeWorkersUpgrade v1.29.0 → v1.32.3',
      'AfterWorkersUpgrade v1.32.3',
      'BeforeControlPlaneUpgrade v1.32.3 → v1.33.0',
      'AfterControlPlaneUpgrade v1.33.0',
      'BeforeWorkersUpgrade v1.32.3 → v1.33.0',
      'AfterWorkersUpgrade v1.33.0',
      'AfterClusterUpgrade v1.33.0',
    ]);
    expect([...steps]).toEqual([
      'v1.30.2 v1.29.0 step v1.30.2',
      'v1.31.4 v1.29.0 step v1.31.4',
      'v1.32.3 v1.29.0 step v1.32.3',
      'v1.32.3 v1.32.3 step v1.32.3',
      'v1.33.0 v1.32.3 step v1.33.0',
      'v1.33.0 v1.33.0 step v1.33.0',
      'v1.33.0 v1.33.0 step undefined',
    ]);
  });

  it.each([
    { hook: 'BeforeClusterUpgrade', line: 'KubeadmControlPlane pending upgrade to version v1.31.0', at: 0 },
    { hook: 'BeforeControlPlaneUpgrade', line: 'KubeadmControlPlane pending upgrade to version v1.31.0', at: 0 },
    { hook: 'AfterControlPlaneUpgrade', line: 'MachineDeployment c1-m pending upgrade to version v1.31.0', at: 1 },
    { hook: 'BeforeWorkersUpgrade', line: 'MachineDeployment c1-m pending upgrade to version v1.31.0', at: 1 },
    { hook: 'AfterWorkersUpgrade', line: undefined, at: 2 },
    { hook: 'AfterClusterUpgrade', line: undefined, at: 2 },
  ])('$hook blocks, is not called again before its time, and then continues', async ({ hook, line, at }) => {
    const life = new UpgradeLife({ version: 'v1.30.0', deployments: [{ name: 'm' }], hooks: allHooks });
    life.answers.set(hook, { message: 'wait', retryAfterSeconds: 30 });
    life.upgradeTo('v1.31.0');
    for (let index = 0; index < at; index += 1) {
      await life.pass();
      life.arrive();
    }
    const held = await life.pass();
    const pending = at === 0 ? ['MachineDeployment c1-m pending upgrade to version v1.31.0'] : [];
    expect(held.retryAfterSeconds).toBe(30);
    expect(held.condition).toBe(
      upgrading(
        'v1.31.0',
        `Following hooks are blocking upgrade: ${hook}: wait`,
        ...(line === undefined ? [] : [line]),
        ...pending,
      ),
    );
    life.now += 10_400;
    const again = await life.pass();
    expect(again).toMatchObject({ asked: [], retryAfterSeconds: 20, condition: held.condition });
    life.now += 20_000;
    life.answers.delete(hook);
    const conditions: (string | undefined)[] = [];
    for (let index = 0; index < 5; index += 1) {
      life.arrive();
      conditions.push((await life.pass()).condition);
    }
    expect(conditions.at(-1)).toBe(reconciled);
    expect(life.annotations).toEqual({});
  });

  it('fail the pass when an extension fails, and keep earlier answers', async () => {
    const life = new UpgradeLife({ version: 'v1.30.0', deployments: [{ name: 'm' }], hooks: allHooks });
    life.answers.set('BeforeControlPlaneUpgrade', 'fails');
    life.upgradeTo('v1.31.0');
    const failed = await life.pass();
    expect(failed.failure).toBe(
      'failed to compute ControlPlane: failed to call extension handlers for hook "BeforeControlPlaneUpgrade.hooks.runtime.cluster.x-k8s.io": failed to call extension handler "beforecontrolplaneupgrade.ext1": got failure response with message: no',
    );
    expect(failed.plan).toEqual({ controlPlane: ['v1.31.0'], workers: ['v1.31.0'] });
    expect(life.annotations).toEqual({ [pendingHooks]: 'AfterClusterUpgrade' });
    expect(life.controlPlane?.version).toBe('v1.30.0');
  });

  it('fail the pass at its end as well, and keep earlier answers', async () => {
    const life = new UpgradeLife({ version: 'v1.30.0', hooks: allHooks });
    life.answers.set('AfterClusterUpgrade', 'fails');
    life.upgradeTo('v1.31.0');
    await life.pass();
    life.arrive();
    const failed = await life.pass();
    expect(failed.asked).toEqual(['AfterControlPlaneUpgrade v1.31.0', 'AfterClusterUpgrade v1.31.0']);
    expect(failed.failure).toContain('failed to call extension handler "afterclusterupgrade.ext1"');
    expect(life.annotations[pendingHooks]).toBe('AfterClusterUpgrade');
    life.answers.delete('AfterClusterUpgrade');
    expect((await life.pass()).asked).toEqual(['AfterClusterUpgrade v1.31.0']);
  });
});

describe('a plan of an extension', () => {
  const planExtension = { controlPlane: ['v1.31.1', 'v1.32.0'], workers: [] };

  it('is requested once while nothing changes', async () => {
    const life = new UpgradeLife({ version: 'v1.30.0', planExtension, deployments: [{ name: 'm' }] });
    expect((await life.pass()).asked).toEqual([]);
    life.upgradeTo('v1.32.0');
    const first = await life.pass();
    expect(first.asked).toEqual(['GenerateUpgradePlan']);
    expect(first.plan).toEqual({ controlPlane: ['v1.31.1', 'v1.32.0'], workers: ['v1.32.0'] });
    expect((await life.pass()).asked).toEqual(['GenerateUpgradePlan']);
    expect((await life.pass()).asked).toEqual([]);
  });

  it('is refused when it may not be followed', async () => {
    const life = new UpgradeLife({ version: 'v1.30.0', planExtension: { controlPlane: ['v1.32.0'], workers: [] } });
    life.upgradeTo('v1.32.0');
    expect((await life.pass()).failure).toBe(
      'invalid ControlPlane upgrade plan: item 0; expecting a version with minor 30 or 31, found version v1.32.0',
    );
  });

  it('cannot be had without RuntimeSDK', async () => {
    const life = new UpgradeLife({ version: 'v1.30.0', planExtension, runtimeSdk: false });
    life.upgradeTo('v1.32.0');
    expect((await life.pass()).failure).toBe(
      'can not use GenerateUpgradePlan extension "plan.ext1" if RuntimeSDK feature flag is disabled',
    );
  });
});

describe('a pass that crashes', () => {
  it.each(['beforeBookkeeping', 'beforeControlPlane', 'beforeCluster', 'beforeWorkers'] as const)(
    'at any step, %s, is followed by a pass that continues',
    async crash => {
      const life = new UpgradeLife({ version: 'v1.30.0', deployments: [{ name: 'm' }], hooks: allHooks });
      life.upgradeTo('v1.31.0');
      const asked: string[] = [];
      for (let index = 0; index < 5; index += 1) {
        asked.push(...(await life.pass(crash)).asked);
        asked.push(...(await life.pass()).asked);
        life.arrive();
      }
      expect(life.controlPlane?.version).toBe('v1.31.0');
      expect(deployed(life)).toEqual(['v1.31.0']);
      expect(life.annotations).toEqual({});
      // Each hook is called at least once, in order.
      const order = allHooks.map(hook => asked.findIndex(each => each.startsWith(`${hook} `)));
      expect(order).toEqual(order.toSorted((a, b) => a - b));
      expect(order).not.toContain(-1);
      // The answer of a hook after a step is used for this step only.
      expect(asked).not.toContain('AfterControlPlaneUpgrade v1.30.0');
      expect(asked).not.toContain('AfterWorkersUpgrade v1.30.0');
      expect(asked).not.toContain('BeforeWorkersUpgrade v1.30.0 → v1.30.0');
    },
  );

  it('between the marks and the control plane repeats the step, and not the whole upgrade', async () => {
    const life = new UpgradeLife({ version: 'v1.30.0', deployments: [{ name: 'm' }], hooks: allHooks });
    life.upgradeTo('v1.31.0');
    await life.pass('beforeControlPlane');
    expect((await life.pass()).asked).toEqual(['BeforeControlPlaneUpgrade v1.30.0 → v1.31.0']);
  });
});
