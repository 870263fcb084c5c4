// The label with the name of the Cluster stands for `spec.clusterName` in IPAddressClaims of v1alpha1.
import { isJsonObject, memberOf, toRecord, unlessEmpty } from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import type { Struct } from './codec.ts';
import { valueAtPath } from './paths.ts';

/** Remembers that the label was not there. */
const labelSetAnnotation = 'conversion.cluster.x-k8s.io/cluster-name-label-set';

/** Returns the spec with the name of the Cluster, and the metadata without what a conversion added. */
export function fromClusterLabel(
  converted: Struct,
  metadata: unknown,
): { readonly spec: unknown; readonly metadata: unknown } {
  const labels = memberOf(metadata, 'labels');
  const annotations = memberOf(metadata, 'annotations');
  if (!isJsonObject(labels) || !isJsonObject(metadata)) {
    return { spec: converted['spec'], metadata };
  }
  const clusterName = labels[clusterNameLabel];
  const hasName = typeof clusterName === 'string' && clusterName !== '';
  const spec = hasName ? { ...toRecord(converted['spec']), clusterName } : converted['spec'];
  const wasSet = memberOf(annotations, labelSetAnnotation);
  if (!isJsonObject(annotations) || wasSet === undefined) {
    return { spec, metadata };
  }
  const { labels: _, annotations: __, ...others } = metadata;
  const remaining = {
    labels: wasSet === 'false' ? withoutMember(labels, clusterNameLabel) : labels,
    annotations: withoutMember(annotations, labelSetAnnotation),
  };
  const filled = Object.entries(remaining).filter(([, map]) => unlessEmpty(map) !== undefined);
  return { spec, metadata: { ...others, ...Object.fromEntries(filled) } };
}

function withoutMember(map: Readonly<Record<string, unknown>>, key: string): Readonly<Record<string, unknown>> {
  const { [key]: _, ...others } = map;
  return others;
}

/** Returns the metadata with the label. */
export function toClusterLabel(stored: Struct, metadata: unknown): unknown {
  const clusterName = valueAtPath(stored, ['spec', 'clusterName']);
  if (clusterName === undefined) {
    return metadata;
  }
  const labels = memberOf(metadata, 'labels');
  const annotations = memberOf(metadata, 'annotations');
  const isSet = memberOf(labels, clusterNameLabel) !== undefined;
  const remembered = isSet ? {} : { annotations: { ...toRecord(annotations), [labelSetAnnotation]: 'false' } };
  return {
    ...toRecord(metadata),
    ...remembered,
    labels: { ...toRecord(labels), [clusterNameLabel]: clusterName },
  };
}
