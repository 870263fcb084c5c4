// What the two reconcilers that clean up templates declare alike.
import { clusterGroup, pausedAnnotation } from '../api/cluster/reader.ts';
import type { Kind, Name } from '../api/object.ts';
import type { Declaration, PolicyRule, SourceEvent } from '../kernel/types.ts';
import { ownedLabel } from '../topology/model/keys.ts';

export interface Describing {
  readonly name: string;
  readonly kind: 'MachineDeployment' | 'MachineSet';
  readonly eventSource: string;
  /** Beside the object, its Cluster and its templates. */
  readonly rules: readonly PolicyRule[];
}

/**
 * Only its own objects are watched: when a Cluster is resumed, the controllers of its MachineDeployments and MachineSets
 * write their conditions Paused, which wakes those that wait.
 */
export function toDeclaration({ name, kind, eventSource, rules }: Describing): Declaration {
  const primary: Kind = { group: clusterGroup, version: 'v1beta2', kind, scope: 'Namespaced' };
  return {
    name,
    primary,
    gate: 'ClusterTopology',
    timeoutSeconds: 30,
    fieldManager: 'capi-serverless',
    eventSource,
    owns: { conditions: [], v1beta1: [], status: [] },
    ports: [],
    rules: [...rules, ...commonRules],
    watches: [{ source: primary, as: 'metadata', map: toOwned }],
  };
}

function toOwned({ object: { metadata } }: SourceEvent): readonly Name[] {
  const { labels = {}, annotations = {}, namespace = '', name } = metadata;
  return ownedLabel in labels && !(pausedAnnotation in annotations) ? [{ namespace, name }] : [];
}

const commonRules: readonly PolicyRule[] = [
  { apiGroups: [clusterGroup], resources: ['clusters'], verbs: ['get'], why: 'asks whether the Cluster is paused' },
  {
    apiGroups: ['infrastructure.cluster.x-k8s.io', 'bootstrap.cluster.x-k8s.io'],
    resources: ['*'],
    verbs: ['get', 'delete'],
    why: 'deletes templates that no MachineSet uses any more (reads their metadata only)',
  },
  {
    apiGroups: ['apiextensions.k8s.io'],
    resources: ['customresourcedefinitions'],
    verbs: ['get'],
    why: 'reads from CRD labels in which version to delete a template (metadata only)',
  },
];
