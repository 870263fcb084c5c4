import { describe, expect, it } from 'vitest';
import { nodeConditions } from '../../../../../functions/machine/conditions/node.ts';
import { readCluster } from '../../../../../shared/api/cluster/reader.ts';
import { isUnreachable } from '../../../../../shared/api/node/reader.ts';
import { aNode, aNodeMachine, now } from './node-fixtures.ts';

type Scope = Parameters<typeof nodeConditions>[0];

const hour = 3_600_000;
const minute = 60_000;
const at = (ms: number) => new Date(ms).toISOString().replace('.000Z', 'Z');
const both = (status: string, reason: string, message: string) =>
  ['NodeReady', 'NodeHealthy'].map(type => ({ type, status, reason, message }));

interface ClusterChange {
  readonly status?: object;
  readonly conditions?: readonly object[];
}

const initialized = {
  type: 'ControlPlaneInitialized',
  status: 'True',
  reason: 'Initialized',
  lastTransitionTime: at(now - hour),
};

function aReadCluster({ conditions = [initialized], status = {} }: ClusterChange = {}) {
  return readCluster({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: { name: 'c1', namespace: 'ns', uid: 'c', resourceVersion: '1' },
    status: { initialization: { infrastructureProvisioned: true }, conditions, ...status },
  });
}

const connected = { isConnected: true, lastSuccessAt: now, consecutiveFailures: 0 };
const stored = ['NodeReady', 'NodeHealthy'].map(type => ({
  type,
  status: 'True',
  reason: 'r',
  lastTransitionTime: at(now - hour),
}));

function conditionsOf(change: Partial<Scope> = {}) {
  return nodeConditions({
    machine: aNodeMachine(),
    cluster: aReadCluster(),
    connection: connected,
    lookup: { state: 'found', node: aNode() },
    remoteConditionsGracePeriodMs: 5 * minute,
    now,
    ...change,
  });
}

describe('what the connection determines', () => {
  it('waits for the infrastructure of the Cluster, although the Node was found', () => {
    const cluster = aReadCluster({ status: { initialization: {} } });
    const message = 'Waiting for Cluster status.initialization.infrastructureProvisioned to be true';
    expect(conditionsOf({ cluster })).toEqual(both('Unknown', 'InspectionFailed', message));
  });

  it.each([[], [{ ...initialized, status: 'False' }]])('waits for the control plane %#', (...conditions) => {
    const message = 'Waiting for Cluster control plane to be initialized';
    expect(conditionsOf({ cluster: aReadCluster({ conditions }) })).toEqual(
      both('Unknown', 'InspectionFailed', message),
    );
  });

  const never = { isConnected: false, lastSuccessAt: undefined, consecutiveFailures: 4 };
  const lookup = { state: 'notConnected' } as const;

  it('reports a connection that was never established, once', () => {
    const message = 'Remote connection not established yet';
    expect(conditionsOf({ connection: never, lookup })).toEqual(both('Unknown', 'ConnectionDown', message));
    const [first] = stored;
    const half = aNodeMachine({ status: { conditions: [first] } });
    expect(conditionsOf({ connection: never, lookup, machine: half })).toHaveLength(2);
    expect(
      conditionsOf({ connection: never, lookup, machine: aNodeMachine({ status: { conditions: stored } }) }),
    ).toEqual([]);
  });

  it('reports a connection that failed too often without any success', () => {
    const connection = { ...never, consecutiveFailures: 5 };
    expect(conditionsOf({ connection, lookup })).toEqual(both('Unknown', 'ConnectionDown', ''));
  });

  it.each([
    { since: 5 * minute, flips: false },
    { since: 5 * minute + 1, flips: true },
  ])('flips after the grace period: $since ms', ({ since, flips }) => {
    const connection = { isConnected: false, lastSuccessAt: now - since, consecutiveFailures: 5 };
    const machine = aNodeMachine({ status: { conditions: stored } });
    expect(conditionsOf({ connection, lookup, machine })).toEqual(
      flips
        ? both('Unknown', 'ConnectionDown', `Last successful probe at ${at(Math.floor((now - since) / 1000) * 1000)}`)
        : [],
    );
  });

  it('gives a control plane that was just initialized the whole grace period', () => {
    const cluster = aReadCluster({ conditions: [{ ...initialized, lastTransitionTime: at(now - minute) }] });
    const connection = { isConnected: false, lastSuccessAt: now - hour, consecutiveFailures: 5 };
    expect(conditionsOf({ cluster, connection })[0]).toMatchObject({ type: 'NodeReady', status: 'True' });
  });

  it('counts from the last success if the condition of the control plane has no time', () => {
    const { lastTransitionTime: _, ...timeless } = initialized;
    const cluster = aReadCluster({ conditions: [timeless] });
    const connection = { isConnected: false, lastSuccessAt: now - hour, consecutiveFailures: 5 };
    expect(conditionsOf({ cluster, connection })[0]).toMatchObject({ type: 'NodeReady', reason: 'ConnectionDown' });
  });

  it('reports a new failure of a Machine without stored conditions', () => {
    const connection = { isConnected: false, lastSuccessAt: now - minute, consecutiveFailures: 1 };
    const message = `Last successful probe at ${at(now - minute)}`;
    expect(conditionsOf({ connection, lookup })).toEqual(both('Unknown', 'ConnectionDown', message));
  });

  it('reports any other error without its text', () => {
    const message = 'Please check controller logs for errors';
    expect(conditionsOf({ lookup: { state: 'failed', error: 'boom' } })).toEqual(
      both('Unknown', 'InternalError', message),
    );
  });
});

describe('without a Node', () => {
  const lookup = { state: 'missing' } as const;
  const deletionTimestamp = at(now);
  const named = { nodeRef: { name: 'n1' } };

  it.each([
    {
      reason: 'deleting, with a Node before',
      metadata: { deletionTimestamp },
      status: named,
      state: ['False', 'NodeDeleted', 'Node n1 has been deleted'],
    },
    {
      reason: 'deleting, without a Node',
      metadata: { deletionTimestamp },
      status: {},
      state: ['Unknown', 'NodeDoesNotExist', 'Node does not exist'],
    },
    {
      reason: 'the Node is gone',
      metadata: {},
      status: named,
      state: ['False', 'NodeDeleted', 'Node n1 has been deleted while the Machine still exists'],
    },
    {
      reason: 'waiting for the Node',
      metadata: {},
      status: {},
      state: ['Unknown', 'InspectionFailed', 'Waiting for a Node with spec.providerID foo://1 to exist'],
    },
  ] as const)('$reason', ({ metadata, status, state }) => {
    expect(conditionsOf({ machine: aNodeMachine({ metadata, status }), lookup })).toEqual(
      both(state[0], state[1], state[2]),
    );
  });

  it('waits for the providerID', () => {
    const machine = aNodeMachine({ spec: { providerID: '' } });
    const message = 'Waiting for FooMachine to report spec.providerID';
    expect(conditionsOf({ machine, lookup: { state: 'noProviderID' } })).toEqual(
      both('Unknown', 'InspectionFailed', message),
    );
  });
});

describe('with a Node', () => {
  const withConditions = (...conditions: readonly object[]) =>
    conditionsOf({ lookup: { state: 'found', node: aNode({ conditions }) } });
  const lastTransitionTime = at(now - minute);
  const good = ['MemoryPressure', 'DiskPressure', 'PIDPressure'].map(type => ({ type, status: 'False' }));

  it('reports a healthy Node with the transition time of the Node', () => {
    expect(conditionsOf()).toEqual([
      {
        type: 'NodeReady',
        status: 'True',
        reason: 'NodeReady',
        message: '',
        lastTransitionTime: '2026-01-01T11:00:00Z',
      },
      { type: 'NodeHealthy', status: 'True', reason: 'NodeHealthy', message: '' },
    ]);
  });

  it.each([
    { ready: { status: 'False', message: 'down' }, state: ['False', 'NodeNotReady', '* Node.Ready: down'] },
    { ready: { status: 'False' }, state: ['False', 'NodeNotReady', ''] },
    { ready: { status: 'Unknown', message: 'lost' }, state: ['Unknown', 'NodeReadyUnknown', '* Node.Ready: lost'] },
  ])('reports a Node that is not ready: $state', ({ ready, state }) => {
    const [status, reason, message] = state;
    const [nodeReady] = withConditions({ type: 'Ready', lastTransitionTime, ...ready }, ...good);
    expect(nodeReady).toEqual({ type: 'NodeReady', status, reason, message, lastTransitionTime });
  });

  it('uses the last of several conditions Ready, and no time if there is none', () => {
    const [nodeReady] = withConditions({ type: 'Ready', status: 'True' }, { type: 'Ready', status: 'False' });
    expect(nodeReady).toEqual({ type: 'NodeReady', status: 'False', reason: 'NodeNotReady', message: '' });
  });

  it('reports conditions that are missing', () => {
    const [nodeReady, nodeHealthy] = withConditions();
    const missing = 'Condition not yet reported';
    expect(nodeReady).toEqual({
      type: 'NodeReady',
      status: 'Unknown',
      reason: 'NodeReadyUnknown',
      message: `* Node.Ready: ${missing}`,
    });
    expect(nodeHealthy).toEqual({
      type: 'NodeHealthy',
      status: 'Unknown',
      reason: 'NodeHealthyUnknown',
      message: `* Node.Ready: ${missing}\n* Node.MemoryPressure: ${missing}\n* Node.DiskPressure: ${missing}\n* Node.PIDPressure: ${missing}`,
    });
  });

  it.each([
    {
      reason: 'an issue, an unknown and a missing condition, each with a line',
      conditions: [
        { type: 'Ready', status: 'False', message: 'container runtime is down' },
        { type: 'MemoryPressure', status: 'Unknown' },
        { type: 'DiskPressure', status: 'False' },
      ],
      state: [
        'False',
        'NodeNotHealthy',
        '* Node.Ready: container runtime is down\n* Node.MemoryPressure: Condition is Unknown\n* Node.PIDPressure: Condition not yet reported',
      ],
    },
    {
      reason: 'issues without a message (scenario 132)',
      conditions: [
        { type: 'Ready', status: 'False' },
        { type: 'MemoryPressure', status: 'False' },
        { type: 'DiskPressure', status: 'True' },
        { type: 'PIDPressure', status: 'False' },
      ],
      state: ['False', 'NodeNotHealthy', '* Node.Ready: Condition is False\n* Node.DiskPressure: Condition is True'],
    },
    {
      reason: 'all Unknown with one text',
      conditions: ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'].map(type => ({
        type,
        status: 'Unknown',
        message: 'Kubelet stopped posting node status.',
      })),
      state: ['Unknown', 'NodeHealthyUnknown', '* Node.AllConditions: Kubelet stopped posting node status.'],
    },
    {
      reason: 'one text of the reported ones also replaces the lines of missing ones',
      conditions: [
        { type: 'Ready', status: 'False', message: 'x' },
        { type: 'DiskPressure', status: 'True', message: 'x' },
      ],
      state: ['False', 'NodeNotHealthy', '* Node.AllConditions: x'],
    },
    {
      reason: 'a single reported one keeps its line',
      conditions: [{ type: 'Ready', status: 'False', message: 'x' }, ...good],
      state: ['False', 'NodeNotHealthy', '* Node.Ready: x'],
    },
    {
      reason: 'other conditions do not count',
      conditions: [{ type: 'Ready', status: 'True' }, ...good, { type: 'Foo', status: 'Unknown' }],
      state: ['True', 'NodeHealthy', ''],
    },
  ])('reports the health: $reason', ({ conditions, state }) => {
    const [status, reason, message] = state;
    expect(withConditions(...conditions)[1]).toEqual({ type: 'NodeHealthy', status, reason, message });
  });

  it('is unreachable while the condition Ready is Unknown', () => {
    const node = (status: string, type = 'Ready') => aNode({ conditions: [{ type, status }] });
    expect([node('Unknown'), node('False'), node('Unknown', 'Foo')].map(isUnreachable)).toEqual([true, false, false]);
  });
});
