// Clusters whose infrastructure is provisioned already, in a virtual system.
import {
  aProvisionedStaticCluster,
  aStaticallyProvidedCluster,
  staticClusterKind,
} from '../../../support/static-provider.ts';
import type { VirtualSystem } from '../../../support/virtual-system.ts';

export const namespace = 'ns';

export async function createCluster({ api: { others } }: VirtualSystem, name: string): Promise<void> {
  const { status, ...object } = aProvisionedStaticCluster(namespace, name);
  await others.create(object);
  await others.mergePatch({ ...staticClusterKind, namespace, name }, { status }, { subresource: 'status' });
  await others.create(aStaticallyProvidedCluster(namespace, name));
}

/** Runs a resync, and what it enqueues in this time. */
export async function resyncFor(system: VirtualSystem, ms: number): Promise<void> {
  const resyncing = system.resync();
  await system.api.clock.advance(ms);
  await resyncing;
}
