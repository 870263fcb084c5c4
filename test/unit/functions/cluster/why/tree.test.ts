import type { Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../../../functions/cluster/why/snapshot.ts';
import { toRootRow, toTree } from '../../../../../functions/cluster/why/tree.ts';
import { toLines } from '../../../../../local/view/tree-lines.ts';
import type { Referred } from '../../../../../shared/explain/referred.ts';
import {
  aCluster,
  aControlPlane,
  aMachine,
  aMachineDeployment,
  aMachinePool,
  anInfraCluster,
} from '../../../../support/builders.ts';
import { ObjectBuilder } from '../../../../support/object-builder.ts';

const deploymentLabel = 'cluster.x-k8s.io/deployment-name';
const setLabel = 'cluster.x-k8s.io/set-name';

function condition(type: string, status: 'True' | 'False', reason: string, message = '') {
  return { conditions: [{ type, status, reason, message }] };
}

function found(object: Unstructured): Referred {
  return { state: 'found', kind: object.kind, name: object.metadata.name, object };
}

function snapshot(parts: Partial<ClusterSnapshot> = {}): ClusterSnapshot {
  return {
    cluster: aCluster().withStatus({ phase: 'Provisioned' }).build(),
    infrastructure: undefined,
    controlPlane: undefined,
    machineDeployments: [],
    machinePools: [],
    machineHealthChecks: [],
    machines: [],
    ...parts,
  };
}

const lines = (of: ClusterSnapshot, width = 200): readonly string[] => toLines(toTree(of), { width, color: false });
const rowsBelow = (of: ClusterSnapshot) => toTree(of).slice(1);

describe('a tree', () => {
  it('shows the objects of a Cluster with their states', () => {
    const machine = (name: string, deployment: string) =>
      aMachine()
        .named(name)
        .labelled({ [deploymentLabel]: deployment });
    const infrastructure = anInfraCluster().withStatus(condition('Ready', 'False', 'CreatingNetwork', 'Creating it'));
    const deployment = aMachineDeployment().withReplicas(2).withCounters({ readyReplicas: 1 });
    const cluster = aCluster().withStatus({
      phase: 'Provisioning',
      ...condition('InfrastructureReady', 'False', 'NotReady', 'Creating it'),
    });
    expect(
      lines({
        cluster: cluster.build(),
        infrastructure: found(infrastructure.build()),
        controlPlane: { state: 'missing', kind: 'SimulatedControlPlane', name: 'cp' },
        machineDeployments: [deployment.build()],
        machinePools: [],
        machineHealthChecks: [],
        machines: [machine('a', 'md1').inPhase('Running').build(), machine('b', 'none').build()],
      }),
    ).toEqual([
      '… ns/c1                         Provisioning  waiting for InfrastructureReady: Creating it',
      '├─ … SimulatedCluster/c1-infra  CreatingNetwork: Creating it',
      '├─ ? SimulatedControlPlane/cp   does not exist',
      '├─ · MachineDeployment/md1      1/2 ready',
      '│  └─ · Machine/a               Running',
      '└─ · Machine/b',
    ]);
  });

  it('shows the MachineSets of a rollout, those with the old template first', () => {
    const member = (name: string, set: string, version: string | undefined, fields: { old?: true; ready?: true }) => {
      const machine = aMachine()
        .named(name)
        .labelled({ [deploymentLabel]: 'md1', [setLabel]: set })
        .withSpec({ version });
      const current = machine.withCondition('UpToDate', { status: fields.old === true ? 'False' : 'True' });
      return (fields.ready === true ? current.withCondition('Ready') : current).build();
    };
    const deployment = aMachineDeployment().withReplicas(3).withCounters({ readyReplicas: 2 });
    const machines = [
      member('a', 'new', 'v1.31.0', {}),
      member('b', 'old', 'v1.30.0', { old: true, ready: true }),
      member('c', 'new', 'v1.31.0', { ready: true }),
      member('d', 'another', undefined, { ready: true }),
    ];
    expect(lines(snapshot({ machineDeployments: [deployment.build()], machines })).slice(1)).toEqual([
      '└─ · MachineDeployment/md1  2/3 ready',
      '   ├─ ✓ MachineSet/old      1/1 ready  v1.30.0  old template',
      '   │  └─ ✓ Machine/b',
      '   ├─ ✓ MachineSet/another  1/1 ready  current template',
      '   │  └─ ✓ Machine/d',
      '   └─ … MachineSet/new      1/2 ready  v1.31.0  current template',
      '      ├─ · Machine/a',
      '      └─ ✓ Machine/c',
    ]);
  });

  it('counts the children beyond the limit', () => {
    const machines = Array.from({ length: 12 }, (_, number) => aMachine().named(`m${number}`).build());
    expect(rowsBelow(snapshot({ machines })).map(({ name }) => name)).toEqual([
      ...machines.slice(0, 10).map(({ metadata }) => `Machine/${metadata.name}`),
      '2 more',
    ]);
  });

  it.each<{ cluster: Unstructured; mark: string; detail: string }>([
    { cluster: aCluster().build(), mark: 'waiting', detail: 'new  waiting for its first reconcile' },
    { cluster: aCluster().inPhase('Pending').build(), mark: 'waiting', detail: 'Pending' },
    {
      cluster: aCluster()
        .withStatus({ phase: 'Provisioned', ...condition('Available', 'True', 'Available') })
        .build(),
      mark: 'ready',
      detail: 'Provisioned  Available',
    },
    {
      cluster: aCluster()
        .withStatus({ phase: 'Provisioned', ...condition('Paused', 'True', 'Paused', 'spec.paused') })
        .build(),
      mark: 'paused',
      detail: 'Provisioned  waiting for its pause to end: spec.paused',
    },
    {
      cluster: aCluster()
        .withStatus({ phase: 'Deleting', ...condition('Deleting', 'True', 'Waiting') })
        .build(),
      mark: 'deleting',
      detail: 'Deleting  waiting for what belongs to it to go: Waiting',
    },
    {
      cluster: aCluster()
        .withStatus({ phase: 'Failed', ...condition('InfrastructureReady', 'False', 'Broken') })
        .build(),
      mark: 'failing',
      detail: 'Failed  waiting for InfrastructureReady: Broken',
    },
  ])('marks a Cluster as $mark: $detail', ({ cluster, mark, detail }) => {
    expect(toRootRow(snapshot({ cluster }))).toEqual({ branch: '', name: 'ns/c1', mark, detail });
  });

  it.each<{ infrastructure: Referred; mark: string; detail: string; reason: string }>([
    {
      infrastructure: found(
        anInfraCluster()
          .withStatus(condition('Ready', 'True', 'Ready'))
          .build(),
      ),
      mark: 'ready',
      detail: '',
      reason: 'its condition reports it',
    },
    {
      infrastructure: found(anInfraCluster().provisioned().build()),
      mark: 'ready',
      detail: '',
      reason: 'a provider without conditions',
    },
    {
      infrastructure: found(
        anInfraCluster()
          .withStatus(condition('Ready', 'False', 'SimulatedFailure', 'dark'))
          .build(),
      ),
      mark: 'failing',
      detail: 'SimulatedFailure: dark',
      reason: 'its reason names a failure',
    },
    {
      infrastructure: found(
        anInfraCluster()
          .withStatus(condition('Ready', 'False', 'Waiting'))
          .build(),
      ),
      mark: 'waiting',
      detail: 'Waiting',
      reason: 'a reason without message is printed once',
    },
    {
      infrastructure: found(
        anInfraCluster()
          .withStatus({ failureReason: 'Quota', failureMessage: 'used up', ...condition('Ready', 'True', 'Ready') })
          .build(),
      ),
      mark: 'failing',
      detail: 'Quota: used up',
      reason: 'no retry can fix it',
    },
    {
      infrastructure: found(anInfraCluster().annotated({ 'cluster.x-k8s.io/paused': '' }).build()),
      mark: 'paused',
      detail: 'annotation cluster.x-k8s.io/paused',
      reason: 'no controller reconciles it',
    },
    {
      infrastructure: { state: 'pending', kind: 'SimulatedCluster', name: 'x' },
      mark: 'unknown',
      detail: '',
      reason: 'it has not been read yet',
    },
    {
      infrastructure: { state: 'notInstalled', kind: 'SimulatedCluster', name: 'x', crd: 'xs.group' },
      mark: 'missing',
      detail: 'CustomResourceDefinition xs.group is not installed',
      reason: 'there is no such kind',
    },
    {
      infrastructure: { state: 'unreadable', kind: 'SimulatedCluster', name: 'x', error: 'no right' },
      mark: 'failing',
      detail: 'no right',
      reason: 'what was refused',
    },
  ])('marks infrastructure as $mark ($reason)', ({ infrastructure, mark, detail }) => {
    expect(rowsBelow(snapshot({ infrastructure }))).toMatchObject([{ mark, detail }]);
  });

  it('prefers Available for a control plane and reads the newer conditions of an object that has both', () => {
    const status = {
      ...condition('Available', 'True', 'Old'),
      v1beta2: {
        conditions: [
          { type: 'Ready', status: 'True', reason: 'Ready', message: '' },
          { type: 'Available', status: 'False', reason: 'NotAvailable', message: 'no machine' },
        ],
      },
    };
    expect(rowsBelow(snapshot({ controlPlane: found(aControlPlane().withStatus(status).build()) }))).toMatchObject([
      { mark: 'waiting', detail: 'NotAvailable: no machine' },
    ]);
  });

  it('fits the width it is given, and a message cannot steer the terminal', () => {
    const status = condition('Ready', 'False', 'Broken', 'first\x1b[2J and then a lot more');
    const infrastructure = found(anInfraCluster().withStatus(status).build());
    const [, line = ''] = lines(snapshot({ infrastructure }), 50);
    expect(line).toHaveLength(50);
    expect(line.endsWith('…')).toBe(true);
    expect(line).not.toContain('\x1b');
  });

  it('colours the marks', () => {
    const [line = ''] = toLines(toTree(snapshot()), { width: 80, color: true });
    expect(line).toContain('\x1b[32m✓\x1b[0m');
  });
});

describe('a tree with Machines', () => {
  const controlPlane = aControlPlane().named('cp').withReplicas(3).withVersion('v1.36.0');
  const upgrading = controlPlane.withStatus({
    replicas: 3,
    readyReplicas: 3,
    versions: [
      { version: 'v1.35.0', replicas: 1 },
      { version: 'v1.36.0', replicas: 2 },
    ],
  });
  const pool = aMachinePool()
    .withVersion('v1.36.0')
    .withStatus({ versions: [{ version: 'v1.35.0', replicas: 1 }] });
  const check = new ObjectBuilder({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineHealthCheck', name: 'mhc' })
    .withCondition('RemediationAllowed')
    .withStatus({ expectedMachines: 3, currentHealthy: 2 });
  const machine = aMachine().named('cp-1').ownedBy(controlPlane, { controller: true }).withCondition('Available');

  it('puts the Machines of a control plane below it, with versions and health', () => {
    const snapshot = {
      cluster: aCluster().build(),
      infrastructure: undefined,
      controlPlane: { kind: 'SimulatedControlPlane', name: 'cp', state: 'found', object: upgrading.build() },
      machineDeployments: [],
      machines: [machine.build()],
      machinePools: [pool.withStatus({ readyReplicas: 1 }).build()],
      machineHealthChecks: [check.build()],
    } as const;
    expect(
      toLines(toTree(snapshot), { width: 100, color: false }).map(line => line.replaceAll(/ +/g, ' ').trim()),
    ).toEqual([
      '… ns/c1 new waiting for its first reconcile',
      '├─ · SimulatedControlPlane/cp 3/3 ready v1.35.0 ×1, v1.36.0 ×2',
      '│ └─ ✓ Machine/cp-1',
      '├─ · MachinePool/mp1 1/1 ready v1.35.0 → v1.36.0',
      '└─ … MachineHealthCheck/mhc 2/3 healthy',
    ]);
  });

  it.each([
    { phase: 'Running', line: '✓ MachinePool/mp1 1/1 ready v1.35.0', reason: 'it has its replicas' },
    { phase: 'ScalingUp', line: '… MachinePool/mp1 1/1 ready v1.35.0 ScalingUp', reason: 'it does not have them' },
  ])('marks a MachinePool by its phase: $reason', ({ phase, line }) => {
    const running = pool.withVersion('v1.35.0').withStatus({ readyReplicas: 1, phase });
    const snapshot = {
      cluster: aCluster().build(),
      infrastructure: undefined,
      controlPlane: undefined,
      machineDeployments: [],
      machines: [],
      machinePools: [running.build()],
      machineHealthChecks: [],
    } as const;
    const [, shown] = toLines(toTree(snapshot), { width: 100, color: false });
    expect(shown?.replaceAll(/ +/g, ' ').trim()).toBe(`└─ ${line}`);
  });
});
