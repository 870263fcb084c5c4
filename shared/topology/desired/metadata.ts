// Labels and annotations of what a topology makes.
import { type Cluster, clusterApiVersion } from '../../api/cluster/reader.ts';
import type { OwnerReference, Unstructured } from '../../api/object.ts';
import { clusterNameLabel } from '../../contract/owner-references.ts';
import { ownedLabel } from '../model/keys.ts';
import { type TemplateMetadata, templateMetadata } from '../model/parts.ts';
import { isShimReference } from '../model/shim.ts';

export type Texts = Readonly<Record<string, string>>;

/** Of anything that has labels and annotations; what cannot be read counts as absent. */
export function readTemplateMetadata(raw: unknown): TemplateMetadata {
  return templateMetadata.parse(raw);
}

/** What every object of the topology carries. */
export function topologyLabels({ metadata }: Cluster): Texts {
  return { [clusterNameLabel]: metadata.name, [ownedLabel]: '' };
}

/** The topology's word counts more than the class's, key by key. */
export function topologyOverClass(topology: TemplateMetadata, classes: TemplateMetadata): TemplateMetadata {
  return {
    labels: { ...classes.labels, ...topology.labels },
    annotations: { ...classes.annotations, ...topology.annotations },
  };
}

/** As members of `metadata`: what a topology makes always has labels, and annotations where there are any. */
export function metadataFields({ labels, annotations }: TemplateMetadata): {
  readonly labels: Texts;
  readonly annotations?: Texts;
} {
  return { labels, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) };
}

/** The owner that lets the garbage collector find what nobody refers to; not a controller, so that one can be added. */
export function clusterAsOwner({ metadata }: Cluster): OwnerReference {
  return { apiVersion: clusterApiVersion, kind: 'Cluster', name: metadata.name, uid: metadata.uid };
}

/** The reference to the shim that this object has, which applying must not take away. */
export function shimOwnerOf(current: Unstructured | undefined, { metadata }: Cluster): OwnerReference | undefined {
  return current?.metadata.ownerReferences?.find(reference => isShimReference(reference, metadata.name));
}
