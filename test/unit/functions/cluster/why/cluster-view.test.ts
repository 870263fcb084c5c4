import { describe, expect, it } from 'vitest';
import { viewCluster } from '../../../../../functions/cluster/why/cluster-view.ts';
import { aCluster } from '../../../../support/builders.ts';

type Shown = readonly [type: string, status: 'True' | 'False' | 'Unknown', message?: string];

const settled: readonly Shown[] = [
  ['Paused', 'False'],
  ['Deleting', 'False'],
  ['InfrastructureReady', 'True'],
  ['ControlPlaneInitialized', 'True'],
  ['ControlPlaneAvailable', 'True'],
  ['WorkersAvailable', 'True'],
  ['Available', 'True'],
];

/** Returns a Cluster with these conditions. They replace the settled ones. */
function view(phase: string, ...changes: readonly Shown[]) {
  const all = new Map([...settled, ...changes].map(condition => [condition[0], condition]));
  const conditions = [...all.values()].map(([type, status, message = '']) => ({
    type,
    status,
    reason: `${type}Reason`,
    message,
  }));
  return viewCluster(aCluster().withStatus({ phase, conditions }).build());
}

describe('what a Cluster waits for', () => {
  it('is nothing when all is well', () => {
    expect(view('Provisioned')).toEqual({
      phase: 'Provisioned',
      provisioned: true,
      paused: false,
      available: true,
      waitingFor: '',
    });
  });

  it('is its first reconcile until a phase is known', () => {
    const before = viewCluster(aCluster().build());
    expect(before).toMatchObject({ phase: '', provisioned: false, waitingFor: 'its first reconcile' });
    const onTheWay = aCluster().withStatus({ conditions: [{ type: 'Paused', status: 'False', reason: 'NotPaused' }] });
    expect(viewCluster(onTheWay.build())).toEqual(before);
  });

  it('is the end of its pause when it was paused before its first reconcile', () => {
    const conditions = [{ type: 'Paused', status: 'True', reason: 'Paused', message: 'spec.paused is true' }];
    expect(viewCluster(aCluster().withStatus({ conditions }).build())).toMatchObject({
      paused: true,
      waitingFor: 'its pause to end: spec.paused is true',
    });
  });

  it.each<{ changes: readonly Shown[]; waitingFor: string; reason: string }>([
    {
      changes: [['InfrastructureReady', 'False', 'Creating the network']],
      waitingFor: 'InfrastructureReady: Creating the network',
      reason: 'the message',
    },
    {
      changes: [['InfrastructureReady', 'Unknown']],
      waitingFor: 'InfrastructureReady: InfrastructureReadyReason',
      reason: 'the reason where there is no message',
    },
    {
      changes: [
        ['WorkersAvailable', 'False', 'too few'],
        ['InfrastructureReady', 'False', 'no network'],
      ],
      waitingFor: 'InfrastructureReady: no network',
      reason: 'the first step of the lifecycle of a Cluster',
    },
    {
      changes: [
        ['InfrastructureReady', 'False', 'no network'],
        ['Paused', 'True', 'spec.paused is true'],
      ],
      waitingFor: 'its pause to end: spec.paused is true',
      reason: 'nothing goes on while it is paused',
    },
    {
      changes: [
        ['InfrastructureReady', 'False', 'gone'],
        ['Deleting', 'True', '* MachineDeployments: md1\n* Control plane: c1'],
      ],
      waitingFor: 'what belongs to it to go: MachineDeployments: md1; Control plane: c1',
      reason: 'a deleted Cluster does not get ready',
    },
    {
      changes: [['ControlPlaneAvailable', 'False', '* Machine m1:\n  * NodeHealthy: no node\n\n']],
      waitingFor: 'ControlPlaneAvailable: Machine m1: NodeHealthy: no node',
      reason: 'lists become one line',
    },
    {
      changes: [['Available', 'False', '* Backup: never ran']],
      waitingFor: 'Available: Backup: never ran',
      reason: "a gate of the Cluster's author",
    },
  ])('is $waitingFor ($reason)', ({ changes, waitingFor }) => {
    expect(view('Provisioning', ...changes).waitingFor).toBe(waitingFor);
  });

  it('reads a status that another writer gave another shape', () => {
    const odd = { phase: 7, conditions: ['Ready', { type: 'InfrastructureReady', status: 'False', reason: 1 }] };
    expect(viewCluster(aCluster().withStatus(odd).build())).toMatchObject({
      phase: '',
      waitingFor: 'InfrastructureReady: ',
    });
    expect(viewCluster(aCluster().withStatus({ phase: 'Pending', conditions: 'none' }).build())).toMatchObject({
      phase: 'Pending',
      waitingFor: '',
    });
  });
});
