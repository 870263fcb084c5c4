import { type Checked, invalid, valid } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { readHookState, withStart } from '../../../../../functions/topology/plan/upgrade/hook-state.ts';
import { isClusterUpgraded } from '../../../../../functions/topology/plan/upgrade/life-hooks.ts';
import { readMachine } from '../../../../../shared/api/machine/reader.ts';
import {
  nodesOfPool,
  upgradingMachineDeployments,
  upgradingMachinePools,
} from '../../../../../shared/topology/upgrade/workers-upgrading.ts';
import { aMachine, aMachineDeployment, aMachinePool } from '../../../../support/builders.ts';
import { settledVersions } from '../../../../support/settled-topology.ts';
import { marked } from '../../../../support/topology-upgrade.ts';

const deployment = aMachineDeployment().withVersion('v1.31.0');

function machine(version: string, kubeletVersion = '', labels: Readonly<Record<string, string>> = { pool: 'md1' }) {
  return readMachine(
    aMachine().labelled(labels).withVersion(version).withStatus({ nodeInfo: { kubeletVersion } }).build(),
  );
}

describe('a MachineDeployment', () => {
  it.each([
    { reason: 'no Machine', machines: [], upgrading: [] },
    { reason: 'a Machine that is there', machines: [machine('v1.31.0', 'v1.31.0')], upgrading: [] },
    { reason: 'a Machine without a kubelet yet', machines: [machine('v1.31.0')], upgrading: [] },
    { reason: 'a Machine of an older version', machines: [machine('v1.31.0'), machine('v1.30.0')], upgrading: ['md1'] },
    { reason: 'an older kubelet', machines: [machine('v1.31.0', 'v1.30.0')], upgrading: ['md1'] },
    { reason: "another one's Machine", machines: [machine('v1.30.0', '', { pool: 'md2' })], upgrading: [] },
  ])('with $reason', ({ machines, upgrading }) => {
    const found = upgradingMachineDeployments([deployment.build()], machines);
    expect(found).toEqual({ ok: true, value: new Set(upgrading) });
  });

  it('selects its Machines by expressions, too', () => {
    const matchExpressions = [{ key: 'pool', operator: 'In', values: ['md1', 'md2'] }];
    const object = deployment.withSpec({ selector: { matchExpressions } }).build();
    const machines = [machine('v1.30.0', '', { pool: 'md2' }), machine('v1.30.0', '', { pool: 'md3' })];
    expect(upgradingMachineDeployments([object], machines)).toEqual({ ok: true, value: new Set(['md1']) });
    expect(upgradingMachineDeployments([object], machines.slice(1))).toEqual({ ok: true, value: new Set() });
  });

  it('without a version is ignored', () => {
    const object = aMachineDeployment().withVersion('').build();
    expect(upgradingMachineDeployments([object], [machine('')])).toEqual({ ok: true, value: new Set() });
  });

  it('cannot be computed from a Machine without a version', () => {
    const bare = readMachine({ ...aMachine().labelled({ pool: 'md1' }).build(), spec: {} });
    const error = 'failed to check if MachineDeployment md1 is upgrading: Machine m1 has no version';
    expect(upgradingMachineDeployments([deployment.build()], [bare])).toEqual({ ok: false, error });
    expect(upgradingMachineDeployments([deployment.build()], [machine('')])).toEqual({ ok: false, error });
  });

  it('selects Machines without labels where it selects all', () => {
    const { labels: _, ...metadata } = machine('v1.30.0').metadata;
    const object = deployment.withSpec({ selector: {} }).build();
    const found = upgradingMachineDeployments([object], [{ ...machine('v1.30.0'), metadata }]);
    expect(found).toEqual({ ok: true, value: new Set(['md1']) });
  });
});

describe('a MachinePool', () => {
  const pool = aMachinePool()
    .withVersion('v1.31.0')
    .withStatus({ nodeRefs: [{ name: 'n1' }, { name: '' }, { name: 'n2' }] });

  it('names its Nodes', () => {
    expect(nodesOfPool(pool.build())).toEqual(['n1', 'n2']);
    expect(nodesOfPool(aMachinePool().build())).toEqual([]);
  });

  it.each<{
    readonly reason: string;
    readonly nodes: readonly (readonly [string, Checked<string>])[];
    readonly found: unknown;
  }>([
    {
      reason: 'all Nodes are there',
      nodes: [
        ['n1', valid('v1.31.0')],
        ['n2', valid('v1.31.0')],
      ],
      found: valid(new Set()),
    },
    {
      reason: 'one is not, and the rest does not matter',
      nodes: [['n1', valid('v1.30.0')]],
      found: valid(new Set(['mp1'])),
    },
    {
      reason: 'one has not reported yet',
      nodes: [
        ['n1', valid('v1.31.0')],
        ['n2', valid('')],
      ],
      found: valid(new Set(['mp1'])),
    },
    {
      reason: 'one cannot be read',
      nodes: [['n1', invalid('no answer')]],
      found: invalid('failed to check if MachinePool mp1 is upgrading: failed to get Node n1: no answer'),
    },
    {
      reason: 'one was left out',
      nodes: [],
      found: invalid('failed to check if MachinePool mp1 is upgrading: failed to get Node n1: it was not read'),
    },
  ])('$reason', ({ nodes, found }) => {
    expect(upgradingMachinePools([pool.build()], new Map(nodes))).toEqual(found);
  });

  it('without a version is ignored', () => {
    expect(upgradingMachinePools([pool.withVersion('').build()], new Map())).toEqual(valid(new Set()));
  });
});

describe('the end of an upgrade', () => {
  const pending = marked('AfterClusterUpgrade');
  const versions = settledVersions();

  it('is when everything has its version and only the last hook remains', () => {
    expect(isClusterUpgraded(versions, readHookState(pending))).toBe(true);
  });

  it.each([
    { reason: 'no upgrade was begun', hookState: readHookState({}), now: versions },
    {
      reason: 'AfterControlPlaneUpgrade is left',
      hookState: readHookState(marked('AfterClusterUpgrade', 'AfterControlPlaneUpgrade')),
      now: versions,
    },
    {
      reason: 'AfterWorkersUpgrade is left',
      hookState: readHookState(marked('AfterClusterUpgrade', 'AfterWorkersUpgrade')),
      now: versions,
    },
    {
      reason: 'a step begins in this pass',
      hookState: withStart(readHookState(pending), 'v1.32.0', [{ name: 'AfterControlPlaneUpgrade' }]),
      now: versions,
    },
    {
      reason: 'the control plane is on its way',
      hookState: readHookState(pending),
      now: { ...versions, controlPlane: { ...versions.controlPlane, isUpgrading: true } },
    },
    ...(['upgrading', 'pendingUpgrade', 'deferredUpgrade', 'pendingCreate'] as const).flatMap(state =>
      (['machineDeployments', 'machinePools'] as const).map(kind => ({
        reason: `${kind} have ${state}`,
        hookState: readHookState(pending),
        now: { ...versions, [kind]: { ...versions[kind], [state]: new Set(['x']) } },
      })),
    ),
  ])('is not when $reason', ({ hookState, now }) => {
    expect(isClusterUpgraded(now, hookState)).toBe(false);
  });
});
