// An actuator of the first generation: it acts on the Cluster itself, here by reserving racks for it.
import * as z from 'zod';
import { defineClusterActuator, RequeueAfter, Terminal } from '../../shared/actuator/index.ts';
import type { Racks } from './racks.ts';

const spec = z.object({ racks: z.array(z.string()).default([]) });
const status = z.object({ reservedRacks: z.array(z.string()) });

/** A reconciler of Clusters of group cluster.k8s.io, which reserves one rack in each step. */
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
      // What is reserved already is asked for again: it may have been taken away.
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
