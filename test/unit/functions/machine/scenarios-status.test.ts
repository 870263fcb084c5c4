// Scenarios of the status of a Machine: certificates, availability, readiness gates, UpToDate.
import { describe, expect, it } from 'vitest';
import { timestamp } from '../../../support/object-builder.ts';
import { aRunningMachine, changed, reconcileOnce, runningWorld } from './machine-pass.ts';
import { aMachine, bootstrapOk, infraOk, logs, md1, ms1, nodeOk, now, templateOf } from './scenario-objects.ts';

const expiry = 'machine.cluster.x-k8s.io/certificates-expiry';
const controlPlane = { 'cluster.x-k8s.io/control-plane': '' };

describe('the expiry date of certificates', () => {
  const member = aMachine().labelled(controlPlane);
  const withExpiry = (value: string) => ({ objects: [bootstrapOk().annotated({ [expiry]: value }), infraOk()] });

  it('comes from the bootstrap config (scenario 58)', async () => {
    const pass = await reconcileOnce(member, withExpiry('2027-01-01T00:00:00+01:00'));
    expect(pass.status['certificatesExpiryDate']).toBe('2026-12-31T23:00:00Z');
  });

  it('is an error if it cannot be parsed (scenario 59)', async () => {
    const pass = await reconcileOnce(member, withExpiry('tomorrow'));
    expect(pass.result).toBe(
      'failed to reconcile certificates expiry: failed to parse expiry date from annotation on ns/b1: ' +
        'parsing time "tomorrow" as "2006-01-02T15:04:05Z07:00": cannot parse "tomorrow" as "2006"',
    );
  });

  it('is removed with the annotation (scenario 60)', async () => {
    const { machine } = await reconcileOnce(member, withExpiry('2027-01-01T00:00:00Z'));
    const removed = await reconcileOnce(machine, { objects: [bootstrapOk(), infraOk()] });
    expect(removed.status).not.toHaveProperty('certificatesExpiryDate');
    const missing = await reconcileOnce(machine, { objects: [infraOk()] });
    expect(missing.status).not.toHaveProperty('certificatesExpiryDate');
  });

  it('stays while the bootstrap config cannot be read', async () => {
    const { machine } = await reconcileOnce(member, withExpiry('2027-01-01T00:00:00Z'));
    const readFaults = [{ at: 'get FooConfig ns/b1', message: 'boom' }];
    const pass = await reconcileOnce(machine, { ...withExpiry('2028-01-01T00:00:00Z'), readFaults });
    expect(pass.status['certificatesExpiryDate']).toBe('2027-01-01T00:00:00Z');
  });

  it('of the Machine has precedence', async () => {
    const own = member.annotated({ [expiry]: '2029-01-01T00:00:00Z' });
    const pass = await reconcileOnce(own, withExpiry('2027-01-01T00:00:00Z'));
    expect(pass.status['certificatesExpiryDate']).toBe('2029-01-01T00:00:00Z');
  });

  it('does not concern workers', async () => {
    const pass = await reconcileOnce(aMachine(), withExpiry('tomorrow'));
    expect(pass.status).not.toHaveProperty('certificatesExpiryDate');
  });
});

describe('the condition Available', () => {
  it('follows minReadySeconds after Ready (scenario 61)', async () => {
    const machine = changed(aMachine().build(), { spec: { minReadySeconds: 30 } });
    const pass = await reconcileOnce(machine, runningWorld);
    expect(pass.condition('Ready')).toBe('True/Ready');
    expect(pass.condition('Available')).toBe('False/WaitingForMinReadySeconds');
    expect(pass.result).toBe('requeueAfter 30000');
  });

  it('is True when the time has passed', async () => {
    const machine = changed(await aRunningMachine(), { spec: { minReadySeconds: 30 } });
    const conditions = (machine.status as { conditions: { type: string }[] }).conditions.map(each =>
      each.type === 'Ready' ? { ...each, lastTransitionTime: timestamp(now - 30_000) } : each,
    );
    const pass = await reconcileOnce(changed(machine, { status: { conditions } }), runningWorld);
    expect(pass.condition('Available')).toBe('True/Available');
    expect(pass.result).toBe('done');
  });
});

describe('readiness gates', () => {
  const withGates = async (gates: readonly object[], conditions: readonly (readonly [string, string, string])[]) => {
    const machine = conditions.reduce(
      (each, [type, status, message]) =>
        each.withCondition(type, { status: status === 'True' ? 'True' : 'False', message }),
      aMachine().withSpec({ readinessGates: gates }),
    );
    return reconcileOnce(machine, runningWorld);
  };

  it('are part of Ready, with their polarity (scenario 62)', async () => {
    const gates = [{ conditionType: 'Foo' }, { conditionType: 'Bar', polarity: 'Negative' }];
    const pass = await withGates(gates, [['Bar', 'True', 'bar is on']]);
    expect(pass.condition('Ready')).toBe('False/NotReady * Foo: Condition not yet reported\n* Bar: bar is on');
  });

  const components = ['APIServerPodHealthy', 'ControllerManagerPodHealthy', 'EtcdPodHealthy', 'EtcdMemberHealthy'];
  const gates = components.map(conditionType => ({ conditionType }));

  it.each([
    {
      etcd: 'down',
      message: '* Control plane components: down\n* EtcdMemberHealthy: member',
      reason: 'the same text of all components is one line (scenario 63)',
    },
    {
      etcd: 'other',
      message:
        '* APIServerPodHealthy: down\n* ControllerManagerPodHealthy: down\n* EtcdPodHealthy: other\n* EtcdMemberHealthy: member',
      reason: 'different texts are lines of their own (scenario 64)',
    },
  ])('$reason', async ({ etcd, message }) => {
    const [api = '', manager = '', pod = '', member = ''] = components;
    const pass = await withGates(gates, [
      [api, 'False', 'down'],
      [manager, 'False', 'down'],
      [pod, 'False', etcd],
      [member, 'False', 'member'],
    ]);
    expect(pass.condition('Ready')).toBe(`False/NotReady ${message}`);
  });

  it('one component keeps its line', async () => {
    const pass = await withGates(
      [{ conditionType: 'SchedulerPodHealthy' }],
      [['SchedulerPodHealthy', 'False', 'down']],
    );
    expect(pass.condition('Ready')).toBe('False/NotReady * SchedulerPodHealthy: down');
  });

  it('a gate of type Ready makes Ready Unknown (scenario 65)', async () => {
    const pass = await withGates([{ conditionType: 'Ready' }], []);
    expect(pass.condition('Ready')).toBe(`Unknown/InternalError ${logs}`);
    expect(pass.condition('Available')).toBe('False/NotReady');
  });

  it('conditions of the health check are used and left alone (scenario 66)', async () => {
    const text = 'Health check failed: Node failed to report startup in 10m';
    const pass = await withGates(
      [],
      [
        ['HealthCheckSucceeded', 'False', text],
        ['OwnerRemediated', 'False', 'Waiting for remediation'],
      ],
    );
    expect(pass.condition('Ready')).toBe(`False/NotReady * HealthCheckSucceeded: ${text}`);
    expect(pass.condition('HealthCheckSucceeded')).toContain(text);
    expect(pass.condition('OwnerRemediated')).toContain('Waiting for remediation');
  });
});

describe('the condition UpToDate', () => {
  it('lists all differences of the templates (scenario 67)', async () => {
    const machineDeployment = md1().withSpec({
      rollout: { after: timestamp(now - 3_600_000) },
      template: templateOf({
        version: 'v1.32.0',
        bootstrap: { configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'FooConfigTemplate', name: 'bt2' } },
        infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'FooMachineTemplate', name: 'it2' },
        failureDomain: 'z',
      }),
    });
    const pass = await reconcileOnce(await aRunningMachine(), { ...runningWorld, machineDeployment });
    expect(pass.condition('UpToDate')).toBe(
      'False/NotUpToDate * Version v1.31.0, v1.32.0 required\n* FooConfig is not up-to-date\n' +
        '* FooMachine is not up-to-date\n* Failure domain , z required\n* MachineDeployment spec.rolloutAfter expired',
    );
  });

  it.each([
    { after: now + 1000, createdAt: now - 7_200_000, reason: 'the time has not passed' },
    { after: now - 3_600_000, createdAt: now - 1000, reason: 'the MachineSet is newer than the time' },
  ])('stays True if $reason', async ({ after, createdAt }) => {
    const machineDeployment = md1().withSpec({ rollout: { after: timestamp(after) } });
    const machineSet = ms1().createdAt(createdAt);
    const pass = await reconcileOnce(await aRunningMachine(), { ...runningWorld, machineSet, machineDeployment });
    expect(pass.condition('UpToDate')).toBe('True/UpToDate');
  });

  it.each([
    { current: { dataSecretName: 'a' }, desired: { dataSecretName: 'b' }, message: 'a, b' },
    { current: {}, desired: { dataSecretName: 'b' }, message: 'nil, b' },
    { current: { dataSecretName: 'a' }, desired: {}, message: 'a, nil' },
  ])('compares inline data secrets: $message', async ({ current, desired, message }) => {
    const machineSet = ms1().withSpec({ template: templateOf({ bootstrap: current }) });
    const machineDeployment = md1().withSpec({ template: templateOf({ bootstrap: desired }) });
    const pass = await reconcileOnce(await aRunningMachine(), { ...runningWorld, machineSet, machineDeployment });
    expect(pass.condition('UpToDate')).toBe(`False/NotUpToDate * spec.bootstrap.dataSecretName ${message} required`);
  });

  it('is True for equal inline data secrets', async () => {
    const template = templateOf({ bootstrap: { dataSecretName: 'a' } });
    const world = {
      ...runningWorld,
      machineSet: ms1().withSpec({ template }),
      machineDeployment: md1().withSpec({ template }),
    };
    expect((await reconcileOnce(await aRunningMachine(), world)).condition('UpToDate')).toBe('True/UpToDate');
  });

  it('waits for the kubelet (scenario 68)', async () => {
    const machine = changed(await aRunningMachine(), { spec: { version: 'v1.32.0' } });
    const pass = await reconcileOnce(machine, runningWorld);
    expect(pass.condition('UpToDate')).toBe(
      'False/Updating * Node.status.nodeInfo.kubeletVersion v1.31.0, v1.32.0 required',
    );
    expect(pass.condition('Ready')).toBe('True/Ready');
    const disconnected = await reconcileOnce(pass.machine, { ...runningWorld, isConnected: false });
    expect(disconnected.condition('UpToDate')).toBe(pass.condition('UpToDate'));
  });

  it('belongs to others without MachineDeployment (scenario 69)', async () => {
    const machine = await aRunningMachine(each =>
      each.withCondition('UpToDate', { status: 'False', message: 'theirs' }),
    );
    const stored = changed(machine, {
      status: {
        conditions: [
          { type: 'Paused', status: 'False', reason: 'NotPaused', message: '' },
          { type: 'UpToDate', status: 'False', reason: 'X', message: 'theirs', lastTransitionTime: timestamp(now) },
        ],
      },
    });
    const pass = await reconcileOnce(stored, { ...runningWorld, machineSet: ms1().onlyLabelled({}) });
    expect(pass.condition('UpToDate')).toBe('False/X theirs');
  });

  it('a Node without nodeInfo changes nothing', async () => {
    const node = changed(nodeOk().build(), { status: { nodeInfo: null } });
    const pass = await reconcileOnce(await aRunningMachine(), { ...runningWorld, workload: [node] });
    expect(pass.status['nodeInfo']).toMatchObject({ kubeletVersion: 'v1.31.0' });
  });

  it('the swap space of a Node is copied, unknown fields are not', async () => {
    const nodeInfo = { kubeletVersion: 'v1.31.0', bootID: 1, swap: { capacity: 5 }, future: 'x' };
    const node = changed(nodeOk().build(), { status: { nodeInfo } });
    const pass = await reconcileOnce(await aRunningMachine(), { ...runningWorld, workload: [node] });
    expect(pass.status['nodeInfo']).toMatchObject({ bootID: '', swap: { capacity: 5 } });
    expect(pass.status['nodeInfo']).not.toHaveProperty('future');
  });
});
