// Section `plain`: Clusters with provisioned infrastructure. Compares this project with upstream's manager.
import {
  aProvisionedStaticCluster,
  aStaticallyProvidedCluster,
  staticClusterCrd,
} from '../../test/support/static-provider.ts';
import { phaseOf } from '../../test/support/world-client.ts';
import type { Section } from '../section.ts';
import {
  type CompareOptions,
  compare,
  upstreamAsReleased,
  upstreamWithoutRateLimit,
} from '../subjects/compared-section.ts';
import { measureObjects, type ObjectSizes } from '../subjects/measure-objects.ts';
import { toRows } from '../subjects/rows.ts';
import { withSubject } from '../subjects/running-subject.ts';
import { BenchWorkload, type MeasuredWork, namespace } from '../subjects/workload.ts';

export const fullSizes: ObjectSizes = { warmUp: 10, oneByOne: 10, atOnce: [49, 200] };
export const quickSizes: ObjectSizes = { warmUp: 2, oneByOne: 2, atOnce: [5, 20] };

const clusters: MeasuredWork = {
  kind: { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster' },
  phase: 'Provisioned',
  hasArrived: cluster => phaseOf(cluster) === 'Provisioned',
  prepared: name => [aProvisionedStaticCluster(namespace, name)],
  created: name => aStaticallyProvidedCluster(namespace, name),
};

/** Each subject has its own control plane. */
export function measurePlain(sizes: ObjectSizes, options: CompareOptions): Promise<Section> {
  const { say } = options;
  return compare(
    {
      name: 'plain',
      title: 'Plain Clusters whose infrastructure is provisioned already',
      upstreams: program => [upstreamAsReleased(program), upstreamWithoutRateLimit(program)],
      measure: (subject, crds) =>
        withSubject(subject, { crds: [...crds, staticClusterCrd], say }, async running => {
          const workload = await BenchWorkload.open(running, clusters);
          try {
            return await measureObjects(running, workload, sizes);
          } finally {
            workload.close();
          }
        }),
      toRows: measured => toRows(clusters, measured),
    },
    options,
  );
}
