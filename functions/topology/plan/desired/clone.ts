// Objects and templates created from the templates of a class.

import {
  groupOf,
  type Intent,
  memberOf,
  type OwnerReference,
  toRecord,
  type Unstructured,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import type { Cluster } from '../../../../shared/api/cluster/reader.ts';
import type { TemplateMetadata } from '../../../../shared/api/topology-parts.ts';
import {
  clonedFromGroupKindAnnotation,
  clonedFromNameAnnotation,
  lastAppliedAnnotation,
} from '../../../../shared/topology/model/keys.ts';
import { metadataFields, readTemplateMetadata, type Texts, topologyLabels } from './topology-metadata.ts';

/** Objects of a topology always have a namespace. */
export type NamespacedIntent = Intent & { readonly metadata: { readonly namespace: string } };

interface Cloning {
  readonly cluster: Cluster;
  readonly template: Unstructured;
  readonly name: string;
  readonly owner?: OwnerReference | undefined;
  /** Added to the metadata of the template. Labels of the topology have precedence. */
  readonly metadata?: TemplateMetadata;
  /** The label of one topology of workers. */
  readonly topologyLabel?: Texts;
}

/**
 * Returns the kind of the object that is created from this template. It is the kind in `spec.template`, or the
 * template's kind without its suffix.
 */
export function instanceKindOf(template: Unstructured): { readonly apiVersion: string; readonly kind: string } {
  const { apiVersion, kind } = toRecord(memberOf(template.spec, 'template'));
  return {
    apiVersion: typeof apiVersion === 'string' && apiVersion !== '' ? apiVersion : template.apiVersion,
    kind: typeof kind === 'string' && kind !== '' ? kind : template.kind.replace(/Template$/, ''),
  };
}

/** Creates an object with the content of `spec.template`. */
export function templateToObject(cloning: Cloning): NamespacedIntent {
  const body = toRecord(memberOf(cloning.template.spec, 'template'));
  return {
    ...instanceKindOf(cloning.template),
    metadata: toMetadata(cloning, readTemplateMetadata(body['metadata'])),
    ...withoutUndefined({ spec: body['spec'] }),
  };
}

/** Creates a copy of the template in the namespace of the Cluster. */
export function templateToTemplate(cloning: Cloning): NamespacedIntent {
  const { apiVersion, kind, metadata, spec } = cloning.template;
  const { labels = {}, annotations: { [lastAppliedAnnotation]: _, ...annotations } = {} } = metadata;
  return {
    apiVersion,
    kind,
    metadata: toMetadata(cloning, { labels, annotations }),
    ...withoutUndefined({ spec }),
  };
}

/** Returns a reference in the form without a version. */
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
