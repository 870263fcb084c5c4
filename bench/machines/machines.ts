// Section `machines`: Machines until they are Running with a Node. Compares this project with upstream's manager.
import { groupOf, valueAt } from '@capi-serverless/apimachinery';
import { staticConfigKind, staticMachineKind } from '../../test/support/static-provider.ts';
import { phaseOf } from '../../test/support/world-client.ts';
import type { Section } from '../section.ts';
import { type CompareOptions, compare, upstreamAsReleased } from '../subjects/compared-section.ts';
import { measureObjects, type ObjectSizes } from '../subjects/measure-objects.ts';
import { toRows } from '../subjects/rows.ts';
import { BenchWorkload, type MeasuredWork, namespace } from '../subjects/workload.ts';
import { clusterLabels, clusterName } from './owning-cluster.ts';
import { withMachines } from './with-machines.ts';

export const fullSizes: ObjectSizes = { warmUp: 5, oneByOne: 5, atOnce: [100] };
export const quickSizes: ObjectSizes = { warmUp: 1, oneByOne: 2, atOnce: [10] };

const version = 'v1.35.0';

const machines: MeasuredWork = {
  kind: { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine' },
  phase: 'Running',
  hasArrived: machine => phaseOf(machine) === 'Running' && valueAt(machine.status, 'nodeRef.name') !== undefined,
  prepared: name =>
    [staticConfigKind, staticMachineKind].map(kind => ({
      ...kind,
      metadata: { namespace, name, labels: clusterLabels },
      spec: {},
    })),
  created: name => ({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Machine',
    metadata: { namespace, name, labels: clusterLabels },
    spec: {
      clusterName,
      version,
      bootstrap: { configRef: refOf(staticConfigKind, name) },
      infrastructureRef: refOf(staticMachineKind, name),
    },
  }),
};

function refOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }, name: string) {
  return { apiGroup: groupOf(apiVersion), kind, name };
}

/** Each subject has its own control plane. */
export function measureMachines(sizes: ObjectSizes, options: CompareOptions): Promise<Section> {
  const { say } = options;
  const open = (running: Parameters<typeof BenchWorkload.open>[0]) => BenchWorkload.open(running, machines);
  return compare(
    {
      name: 'machines',
      title: 'Machines of one Cluster until they are Running',
      upstreams: program => [upstreamAsReleased(program)],
      measure: (subject, crds) =>
        withMachines(subject, { crds, say, open }, (workload, running) => measureObjects(running, workload, sizes)),
      toRows: measured => toRows(machines, measured),
    },
    options,
  );
}
