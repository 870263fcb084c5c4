import { describe, expect, it } from 'vitest';
import { explain } from '../../../../../functions/cluster/why/explain.ts';
import { aCluster, aControlPlane, aMachineDeployment } from '../../../../support/builders.ts';
import { snapshotOf } from './snapshot-of.ts';

const rolling = { status: 'True', reason: 'RollingOut', message: 'Rolling out 1 not up-to-date replicas' } as const;
const cluster = aCluster().inPhase('Provisioned').withCondition('RollingOut', rolling).build();

describe('a Cluster during a rollout', () => {
  it('waits for the MachineDeployments that roll out', () => {
    const machineDeployments = [
      aMachineDeployment().withCondition('RollingOut', rolling).build(),
      aMachineDeployment().named('md2').build(),
    ];
    expect(explain(snapshotOf(cluster, { machineDeployments }), () => undefined)).toMatchObject({
      waitsFor: 'its rollout to end',
      pointsTo: ['MachineDeployment ns/md1'],
      remedies: ['see how far it is, and what stops it: npx capi-serverless why machinedeployment ns/md1'],
    });
  });

  it('waits for its control plane if no MachineDeployment rolls out', () => {
    const object = aControlPlane().build();
    const controlPlane = { state: 'found', kind: object.kind, name: object.metadata.name, object } as const;
    const remedies = ['nothing to do: the control plane provider replaces its Machines one by one'];
    expect(explain(snapshotOf(cluster, { controlPlane }), () => undefined)).toMatchObject({
      pointsTo: ['SimulatedControlPlane ns/c1-control-plane'],
      remedies,
    });
    expect(explain(snapshotOf(cluster), () => undefined)).toMatchObject({ pointsTo: [], remedies });
  });
});
