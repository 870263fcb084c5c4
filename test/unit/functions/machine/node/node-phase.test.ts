import { changesAfter, concluded, noOutcomes } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { type NodeScope, planNodePhase, toNodeInfo } from '../../../../../functions/machine/phases/node/node-phase.ts';
import { aNode, aNodeMachine, aSync, settledAnnotations } from './node-fixtures.ts';

const target = { uid: 'c', namespace: 'ns', name: 'c1' };

function aScope(change: Partial<NodeScope> = {}): NodeScope {
  return {
    sync: aSync(),
    lookup: { state: 'found', node: aNode() },
    target,
    isControlPlaneInitialized: true,
    infrastructure: 'present',
    interruptibleError: undefined,
    ...change,
  };
}

/** The changes of the steps, before any write. */
const changesOf = (change: Partial<NodeScope> = {}) => changesAfter(planNodePhase(aScope(change)).steps, noOutcomes);

const named = aSync({ machine: aNodeMachine({ status: { nodeRef: { name: 'n1' } } }) });
const deleting = aSync({ machine: aNodeMachine({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }) });

describe('without a Node', () => {
  it('waits for the providerID', () => {
    expect(planNodePhase(aScope({ lookup: { state: 'noProviderID' } }))).toEqual(
      concluded({
        v1beta1: [{ type: 'NodeHealthy', status: 'False', reason: 'WaitingForNodeRef', severity: 'Info' }],
      }),
    );
  });

  it.each([
    {
      isControlPlaneInitialized: true,
      error: 'error creating watch machine-watchNodes for *v1.Node: connection to the workload cluster is down',
    },
    { isControlPlaneInitialized: false, error: 'error getting client: connection to the workload cluster is down' },
  ])('fails without a connection, control plane initialized: $isControlPlaneInitialized', ({ error, ...scope }) => {
    expect(changesOf({ ...scope, lookup: { state: 'notConnected' } })).toEqual([
      {
        deferredErrors: [error],
      },
    ]);
  });

  it('waits for a Node that does not exist yet', () => {
    expect(changesOf({ lookup: { state: 'missing' } })).toEqual([
      {
        v1beta1: [
          {
            type: 'NodeHealthy',
            status: 'False',
            reason: 'NodeProvisioning',
            severity: 'Warning',
            message: 'Waiting for a node with matching ProviderID to exist',
          },
        ],
      },
    ]);
  });

  it('fails if the Node of the Machine is gone', () => {
    expect(changesOf({ sync: named, lookup: { state: 'missing' } })).toEqual([
      {
        v1beta1: [{ type: 'NodeHealthy', status: 'False', reason: 'NodeNotFound', severity: 'Error' }],
        deferredErrors: [
          'no matching Node for Machine "m1" in namespace "ns": cannot find node with matching ProviderID',
        ],
      },
    ]);
  });

  it('changes nothing while the Machine is being deleted', () => {
    expect(changesOf({ sync: deleting, lookup: { state: 'missing' } })).toEqual([{}]);
  });

  it('reports a failed look-up with an event', () => {
    expect(changesOf({ lookup: { state: 'failed', error: 'boom' } })).toEqual([
      {
        v1beta1: [
          {
            type: 'NodeHealthy',
            status: 'Unknown',
            reason: 'NodeInspectionFailed',
            message: 'Failed to get the Node for this Machine by ProviderID',
          },
        ],
        errors: ['boom'],
        events: [{ type: 'Warning', reason: 'Failed to retrieve Node by ProviderID', message: 'boom' }],
      },
    ]);
  });
});

describe('with a Node', () => {
  const nodeInfo = {
    architecture: '',
    bootID: '',
    containerRuntimeVersion: '',
    kernelVersion: '',
    kubeProxyVersion: '',
    kubeletVersion: 'v1.31.0',
    machineID: '',
    operatingSystem: '',
    osImage: '',
    systemUUID: '',
  };

  const healthy = { v1beta1: [{ type: 'NodeHealthy', status: 'True' }] };

  it('names it in the status, with an event', () => {
    expect(planNodePhase(aScope()).actions).toEqual([]);
    expect(changesOf()).toEqual([
      { nodeRef: 'n1', nodeInfo, events: [{ type: 'Normal', reason: 'SuccessfulSetNodeRef', message: 'n1' }] },
      healthy,
    ]);
  });

  it('keeps the name of another Node', () => {
    const sync = aSync({ machine: aNodeMachine({ status: { nodeRef: { name: 'n0' } } }) });
    expect(changesOf({ sync })).toEqual([{ nodeInfo }, healthy]);
  });

  it('writes to the Node of the workload cluster with the version that was read', () => {
    const [action] = planNodePhase(aScope({ lookup: { state: 'found', node: aNode({ annotations: {} }) } })).actions;
    expect(action).toEqual({
      id: 'node:patch',
      onError: 'continue',
      do: 'patch',
      ref: { apiVersion: 'v1', kind: 'Node', name: 'n1' },
      body: { metadata: { annotations: settledAnnotations } },
      resourceVersion: '7',
      target,
    });
  });

  it('is not judged after a failed write', () => {
    const node = aNode({ annotations: {} });
    const { steps } = planNodePhase(aScope({ sync: named, lookup: { state: 'found', node } }));
    const outcome = { state: 'failed', failure: { reason: 'Forbidden', message: 'no' } } as const;
    expect(changesAfter(steps, new Map([['node:patch', outcome]]))).toEqual([
      { nodeInfo },
      { errors: ['failed to reconcile Node n1: no'] },
    ]);
  });

  it('records an event for the label of interruptible Nodes', () => {
    const sync = aSync({ isInterruptible: true });
    const [action] = planNodePhase(aScope({ sync })).actions;
    expect(action?.toEvent?.(undefined)).toEqual({
      type: 'Normal',
      reason: 'SuccessfulSetInterruptibleNodeLabel',
      message: 'n1',
    });
  });

  it('fails before the write if the field of the infrastructure has a wrong type', () => {
    const interruptibleError = 'failed to get status interruptible from infra machine ns/i1: not a bool';
    const lookup = { state: 'found', node: aNode({ annotations: {} }) } as const;
    const plan = planNodePhase(aScope({ sync: named, lookup, interruptibleError }));
    expect(plan).toEqual(concluded({ nodeInfo, errors: [interruptibleError] }));
  });

  it('fails without a write if the revision cannot be read', () => {
    const revision = { metadata: { annotations: { 'machinedeployment.clusters.x-k8s.io/revision': 'x' } } };
    const machine = aNodeMachine({ status: { nodeRef: { name: 'n1' } } });
    const sync = aSync({ machine, machineSet: revision, machineDeployment: revision });
    const lookup = { state: 'found', node: aNode({ annotations: {} }) } as const;
    const error =
      'failed to reconcile Node n1: failed to check if Node n1 is outdated: strconv.ParseInt: parsing "x": invalid syntax';
    expect(planNodePhase(aScope({ sync, lookup }))).toEqual(concluded({ nodeInfo, errors: [error] }));
  });

  it.each(['absent', 'deleting'] as const)('is not judged while the infrastructure is %s', infrastructure => {
    expect(changesOf({ infrastructure }).at(-1)).toEqual({
      v1beta1: [{ type: 'NodeHealthy', status: 'False', reason: 'Deleting', severity: 'Info' }],
    });
  });

  const condition = (type: string, status: string) => ({ type, status });
  const reason = 'NodeConditionsFailed';

  it.each([
    { why: 'no condition is reported', conditions: [], health: { status: 'True' } },
    { why: 'other conditions do not count', conditions: [condition('Foo', 'False')], health: { status: 'True' } },
    {
      why: 'three are Unknown',
      conditions: ['Ready', 'MemoryPressure', 'DiskPressure'].map(type => condition(type, 'Unknown')),
      health: { status: 'True' },
    },
    {
      why: 'four are Unknown',
      conditions: ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'].map(type => condition(type, 'Unknown')),
      health: {
        status: 'Unknown',
        reason,
        message:
          'Node condition Ready is Unknown. Node condition MemoryPressure is Unknown. ' +
          'Node condition DiskPressure is Unknown. Node condition PIDPressure is Unknown',
      },
    },
    {
      why: 'one is bad',
      conditions: [
        condition('Ready', 'False'),
        condition('MemoryPressure', 'Unknown'),
        condition('DiskPressure', 'False'),
      ],
      health: {
        status: 'False',
        reason,
        severity: 'Warning',
        message: 'Node condition Ready is False. Node condition MemoryPressure is Unknown',
      },
    },
  ])('sets NodeHealthy: $why', ({ conditions, health }) => {
    const changes = changesOf({ lookup: { state: 'found', node: aNode({ conditions }) } });
    expect(changes.at(-1)).toEqual({ v1beta1: [{ type: 'NodeHealthy', ...health }] });
  });
});

it.each([
  { size: 'the longest field stays', osImage: 'x'.repeat(256), copied: 'x'.repeat(256) },
  { size: 'a longer field is cut', osImage: 'x'.repeat(257), copied: `${'x'.repeat(255)}…` },
])('nodeInfo of a Node: $size', ({ osImage, copied }) => {
  expect(toNodeInfo({ osImage })).toMatchObject({ osImage: copied });
});
