// An actuator, the first generation of Cluster API providers. It handles the Cluster itself. This example reserves
// racks.

import { defineClusterActuator, RequeueAfter, Terminal } from '@capi-serverless/provider-sdk';
import * as z from 'zod';
import type { Racks } from './racks.ts';

const spec = z.object({ racks: z.array(z.string()).default([]) });
const status = z.object({ reservedRacks: z.array(z.string()) });

/** A reconciler of Clusters in group cluster.k8s.io. Each step reserves one rack. */
export function defineRackActuator(racks: Racks) {
  return defineClusterActuator({
    group: 'cluster.k8s.io',
    version: 'v1alpha1',
    name: 'rack-actuator',
    children: ['Machine'],
    spec,
    status,
    async reconcile({ cluster, spec: wanted, status: { reservedRacks = [] }, patchStatus }) {
      if (wanted.racks.length === 0) {
        throw new Terminal('InvalidConfiguration', 'spec.racks names no rack');
      }
      const next = wanted.racks.find(name => !reservedRacks.includes(name));
      // Existing reservations are requested again, because they may have been removed.
      for (const name of wanted.racks.filter(rack => rack === next || reservedRacks.includes(rack))) {
        await racks.reserve(name, cluster.metadata.uid);
      }
      if (next !== undefined) {
        patchStatus({ reservedRacks: [...reservedRacks, next] });
        throw new RequeueAfter(1);
      }
    },
    async delete({ cluster }) {
      await racks.release(cluster.metadata.uid);
    },
  });
}
