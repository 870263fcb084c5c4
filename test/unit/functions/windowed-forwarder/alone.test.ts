// The windowed forwarder as the only event source, in virtual time, without the resync.

import type { ObjectRef } from '@capi-serverless/apimachinery';
import { expect, it } from 'vitest';
import { clusterReconciler } from '../../../../functions/cluster/reconciler.ts';
import { simulatedCluster } from '../../../../local/provider/simulated-cluster.ts';
import { simulatedControlPlane } from '../../../../local/provider/simulated-control-plane.ts';
import { served } from '../../../support/event-path.ts';
import { fakeSigner, fakeWorkload } from '../../../support/fake-remote.ts';
import { startVirtualSystem } from '../../../support/virtual-system.ts';

const namespace = 'ns';
const name = 'c1';
const windowSeconds = 60;

const clusterRef: ObjectRef = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace, name };
const infrastructureRef: ObjectRef = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'SimulatedCluster',
  namespace,
  name,
};
const controlPlaneRef: ObjectRef = {
  apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
  kind: 'SimulatedControlPlane',
  namespace,
  name,
};

function startWorld() {
  const system = startVirtualSystem({
    reconcilers: [
      served(clusterReconciler, { workload: fakeWorkload(), signer: fakeSigner() }),
      served(simulatedCluster, {}),
      served(simulatedControlPlane, {}),
    ],
    requestMs: 2,
    requestSlots: 4,
    sendMs: 5,
    windowSeconds,
  });
  const { api } = system;
  const phase = (): unknown => (api.find(clusterRef)?.status as { readonly phase?: string } | undefined)?.phase; // true: by the schema of the kind
  return {
    ...system,
    phase,
    async createCluster() {
      const { others } = api;
      await others.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      for (const { apiVersion, kind, ...metadata } of [infrastructureRef, controlPlaneRef]) {
        const spec = kind === 'SimulatedControlPlane' ? { version: 'v1.35.0', replicas: 1 } : {};
        await others.create({ apiVersion, kind, metadata, spec });
      }
      const { apiVersion, kind, ...metadata } = clusterRef;
      const toReference = (ref: ObjectRef) => ({ apiGroup: ref.apiVersion.split('/')[0], kind: ref.kind, name });
      await others.create({
        apiVersion,
        kind,
        metadata,
        spec: {
          infrastructureRef: toReference(infrastructureRef),
          controlPlaneRef: toReference(controlPlaneRef),
        },
      });
    },
    /** Returns the number of windows until the condition is true. */
    async windowsUntil(isSo: () => boolean, most: number): Promise<number> {
      for (let windows = 1; windows <= most; windows += 1) {
        await api.clock.advance(windowSeconds * 1_000);
        if (isSo()) {
          return windows;
        }
      }
      throw new Error(`The condition does not hold after ${most} windows`);
    },
  };
}

it('a Cluster is provisioned and deleted, and each change is seen in the next window', async () => {
  const world = startWorld();
  await world.api.clock.advance(windowSeconds * 1_000);
  await world.createCluster();
  const created = await world.windowsUntil(() => world.phase() === 'Provisioned', 8);
  await world.api.others.delete(clusterRef);
  const isGone = (): boolean =>
    [clusterRef, infrastructureRef, controlPlaneRef].every(ref => world.api.find(ref) === undefined);
  const deleted = await world.windowsUntil(isGone, 8);
  console.log(
    `Windowed forwarder alone: Provisioned after ${created} windows of ${windowSeconds} s, gone after ${deleted}`,
  );
  await world.stop();
  expect(world.deadLetters()).toBe(0);
});
