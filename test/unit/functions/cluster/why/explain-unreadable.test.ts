import { expect, it } from 'vitest';
import { explain } from '../../../../../functions/cluster/why/explain.ts';
import type { ClusterSnapshot } from '../../../../../functions/cluster/why/snapshot.ts';
import { aCluster } from '../../../../support/builders.ts';

const cluster = aCluster()
  .withFinalizers('other')
  .deleting()
  .inPhase('Deleting')
  .withCondition('Deleting', { status: 'True', reason: 'InternalError', message: 'Please check controller logs' })
  .build();
const members = { machineDeployments: [], machines: [], machinePools: [], machineHealthChecks: [] };
const infrastructure = { kind: 'SimulatedCluster', name: 'c1-infra', state: 'notInstalled', crd: 'xs.group' } as const;
const controlPlane = { kind: 'CP', name: 'cp', state: 'unreadable', error: 'refused' } as const;

function causeOf(parts: Pick<ClusterSnapshot, 'infrastructure' | 'controlPlane'>) {
  return explain({ cluster, ...members, ...parts }, () => undefined);
}

it('a Cluster that cannot be deleted names the kinds that are no longer installed', () => {
  expect(causeOf({ infrastructure, controlPlane: undefined })).toMatchObject({
    pointsTo: ['SimulatedCluster ns/c1-infra, which cannot exist: CustomResourceDefinition xs.group is not installed'],
    remedies: ['install the provider that brings CustomResourceDefinition xs.group'],
  });
  expect(causeOf({ infrastructure, controlPlane })?.pointsTo).toHaveLength(2);
});
