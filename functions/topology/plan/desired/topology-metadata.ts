// Labels and annotations of the objects of a topology.

import type { OwnerReference, Unstructured } from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import { type Cluster, clusterApiVersion } from '../../../../shared/api/cluster/reader.ts';
import { type TemplateMetadata, templateMetadata } from '../../../../shared/api/topology-parts.ts';
import { ownedLabel } from '../../../../shared/topology/model/keys.ts';
import { isShimReference } from '../names/shim-name.ts';

export type Texts = Readonly<Record<string, string>>;

/** Reads the labels and annotations of any object. Unreadable values are treated as absent. */
export function readTemplateMetadata(raw: unknown): TemplateMetadata {
  return templateMetadata.parse(raw);
}

/** The labels of every object of the topology. */
export function topologyLabels({ metadata }: Cluster): Texts {
  return { [clusterNameLabel]: metadata.name, [ownedLabel]: '' };
}

/** Values of the topology have precedence over values of the class, key by key. */
export function topologyOverClass(topology: TemplateMetadata, classes: TemplateMetadata): TemplateMetadata {
  return {
    labels: { ...classes.labels, ...topology.labels },
    annotations: { ...classes.annotations, ...topology.annotations },
  };
}

/** Returns the members of `metadata`. Labels are always present. Annotations may be absent. */
export function metadataFields({ labels, annotations }: TemplateMetadata): {
  readonly labels: Texts;
  readonly annotations?: Texts;
} {
  return { labels, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) };
}

/**
 * The owner for garbage collection of unreferenced objects. It is not a controller reference, so that one can be added.
 */
export function clusterAsOwner({ metadata }: Cluster): OwnerReference {
  return { apiVersion: clusterApiVersion, kind: 'Cluster', name: metadata.name, uid: metadata.uid };
}

/** Returns the existing owner reference of this object to the shim. An apply must not remove it. */
export function shimOwnerOf(current: Unstructured | undefined, { metadata }: Cluster): OwnerReference | undefined {
  return current?.metadata.ownerReferences?.find(reference => isShimReference(reference, metadata.name));
}
