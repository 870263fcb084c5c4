// Objects and templates made from the templates of a class.

import type { Cluster } from '../../api/cluster/reader.ts';
import { toRecord } from '../../api/fields.ts';
import { memberOf } from '../../api/json.ts';
import { groupOf, type Intent, type OwnerReference, type Unstructured } from '../../api/object.ts';
import { clonedFromGroupKindAnnotation, clonedFromNameAnnotation, lastAppliedAnnotation } from '../model/keys.ts';
import type { TemplateMetadata } from '../model/parts.ts';
import { metadataFields, readTemplateMetadata, type Texts, topologyLabels } from './metadata.ts';

/** What a topology makes always says where. */
export type NamespacedIntent = Intent & { readonly metadata: { readonly namespace: string } };

export interface Cloning {
  readonly cluster: Cluster;
  readonly template: Unstructured;
  readonly name: string;
  readonly owner?: OwnerReference | undefined;
  /** On top of the template's; labels of the topology come last. */
  readonly metadata?: TemplateMetadata;
  /** The label of one topology of workers. */
  readonly topologyLabel?: Texts;
}

/** What an object made from this template is: as `spec.template` says, else the template's kind without its suffix. */
export function instanceKindOf(template: Unstructured): { readonly apiVersion: string; readonly kind: string } {
  const { apiVersion, kind } = toRecord(memberOf(template.spec, 'template'));
  return {
    apiVersion: typeof apiVersion === 'string' && apiVersion !== '' ? apiVersion : template.apiVersion,
    kind: typeof kind === 'string' && kind !== '' ? kind : template.kind.replace(/Template$/, ''),
  };
}

/** An object with the body of `spec.template`. */
export function templateToObject(cloning: Cloning): NamespacedIntent {
  const body = toRecord(memberOf(cloning.template.spec, 'template'));
  return {
    ...instanceKindOf(cloning.template),
    metadata: toMetadata(cloning, readTemplateMetadata(body['metadata'])),
    ...(body['spec'] === undefined ? {} : { spec: body['spec'] }),
  };
}

/** A copy of the template, in the namespace of the Cluster. */
export function templateToTemplate(cloning: Cloning): NamespacedIntent {
  const { apiVersion, kind, metadata, spec } = cloning.template;
  const { labels = {}, annotations: { [lastAppliedAnnotation]: _, ...annotations } = {} } = metadata;
  return {
    apiVersion,
    kind,
    metadata: toMetadata(cloning, { labels, annotations }),
    ...(spec === undefined ? {} : { spec }),
  };
}

/** As references without a version name it. */
export function toContractReference({ apiVersion, kind, metadata }: Intent) {
  return { apiGroup: groupOf(apiVersion), kind, name: metadata.name } as const;
}

function toMetadata(cloning: Cloning, ofTemplate: TemplateMetadata): NamespacedIntent['metadata'] {
  const { cluster, template, name, owner, metadata, topologyLabel } = cloning;
  const group = groupOf(template.apiVersion);
  return {
    name,
    namespace: cluster.metadata.namespace,
    ...metadataFields({
      labels: { ...ofTemplate.labels, ...metadata?.labels, ...topologyLabels(cluster), ...topologyLabel },
      annotations: {
        ...ofTemplate.annotations,
        ...metadata?.annotations,
        [clonedFromNameAnnotation]: template.metadata.name,
        [clonedFromGroupKindAnnotation]: group === '' ? template.kind : `${template.kind}.${group}`,
      },
    }),
    ...(owner === undefined ? {} : { ownerReferences: [owner] }),
  };
}
