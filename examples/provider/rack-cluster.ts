// RackCluster: a cluster in racks of one's own. Racks are failure domains; the user chooses the endpoint of the control plane.
import * as z from 'zod';
import { defineInfrastructureProvider, Terminal } from '../../shared/actuator/index.ts';
import type { Racks } from './racks.ts';

const spec = z.object({
  racks: z.array(z.object({ name: z.string(), controlPlane: z.boolean().default(false) })).default([]),
});
const status = z.object({ reservedRacks: z.array(z.string()) });

/** A reconciler of RackClusters, which reserves one rack in each step. */
export function defineRackCluster(racks: Racks) {
  return defineInfrastructureProvider({
    group: 'rack.example.com',
    version: 'v1',
    kind: 'RackCluster',
    contract: 'v1beta2',
    endpoint: 'fromCluster',
    spec,
    status,
    async reconcileNormal({ object, spec: wanted, status: { reservedRacks = [] } }) {
      if (wanted.racks.length > 0 && !wanted.racks.some(({ controlPlane }) => controlPlane)) {
        throw new Terminal('NoControlPlaneRack', 'No rack of spec.racks has controlPlane: true');
      }
      const next = wanted.racks.find(({ name }) => !reservedRacks.includes(name));
      // What is reserved already is asked for again: it may have been taken away.
      for (const { name } of wanted.racks.filter(rack => rack === next || reservedRacks.includes(rack.name))) {
        await racks.reserve(name, object.metadata.uid);
      }
      return next === undefined
        ? { ready: true, failureDomains: wanted.racks }
        : { ready: false, status: { reservedRacks: [...reservedRacks, next.name] }, requeueAfter: 1 };
    },
    async reconcileDelete({ object }) {
      await racks.release(object.metadata.uid);
      return { done: true };
    },
  });
}
