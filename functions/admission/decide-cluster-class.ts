// The hook of ClusterClasses. Changes and deletions depend on the Clusters that use the class.
import { isJsonObject, pagesOf, sameJson, type Unstructured } from '@capi-serverless/apimachinery';
import { denialOfClass, forbidsClassDeletion, usesClass } from '../../shared/admission/cluster-class.ts';
import { denialStatus, undeletableStatus } from '../../shared/admission/denial-status.ts';
import { clusterApiVersion, clusterGroup } from '../../shared/api/cluster/reader.ts';
import { ReviewReadError } from '../../shared/lambda/review-read-error.ts';
import type { Decider, DecisionPorts } from './decider.ts';
import { toReadable } from './readable.ts';

const ofKind = { group: clusterGroup, kind: 'ClusterClass' };

export function createClusterClassDecider(ports: DecisionPorts): Decider {
  const { gates } = ports;
  return {
    async validate({ name, object, old }) {
      const isCompared = gates.clusterTopology && old !== undefined && !sameJson(old['spec'], object['spec']);
      const usedBy = isCompared ? await clustersOf(toReadable(old), ports) : [];
      const denial = denialOfClass({ old: old && toReadable(old), new: toReadable(object), usedBy, gates });
      return denial === undefined
        ? { allowed: true }
        : { allowed: false, status: denialStatus({ ...ofKind, name }, denial) };
    },
    async validateDelete({ name, object }) {
      const why = forbidsClassDeletion(await clustersOf(toReadable(object), ports));
      return why === undefined
        ? { allowed: true }
        : { allowed: false, status: undeletableStatus({ ...ofKind, name }, why) };
    },
  };
}

/** Keeps the topology of the Clusters only. The Clusters of all namespaces may use a class. */
async function clustersOf(of: Unstructured, { connect, signal }: DecisionPorts): Promise<readonly Unstructured[]> {
  const { watches } = await connect();
  const { namespace = '', name } = of.metadata;
  const query = { apiVersion: clusterApiVersion, kind: 'Cluster', as: 'object' } as const;
  const using: Unstructured[] = [];
  for await (const page of pagesOf(watches, query, signal)) {
    if (!page.ok) {
      throw new ReviewReadError(`could not retrieve Clusters using ClusterClass: ${page.failure.message}`);
    }
    if (page.value.detail === 'metadata') {
      throw new ReviewReadError('could not retrieve Clusters using ClusterClass: a Cluster is too large to be read');
    }
    using.push(...page.value.items.filter(cluster => usesClass(cluster, { namespace, name })).map(projected));
  }
  return using;
}

function projected({ apiVersion, kind, metadata, spec }: Unstructured): Unstructured {
  const topology = isJsonObject(spec) ? spec['topology'] : undefined;
  const { name, namespace = '', uid, resourceVersion } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion }, spec: { topology } };
}
