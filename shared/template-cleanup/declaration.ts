// The common part of the declarations of the two reconcilers that clean up templates.

import type { Name } from '@capi-serverless/apimachinery';
import { pausedAnnotation } from '@capi-serverless/cluster-api/conditions';
import type { DeclarationOf, PolicyRule, SourceEvent } from '@capi-serverless/reconciler';
import { clusterGroup, coreKind } from '../api/cluster/reader.ts';
import { ownedLabel } from '../topology/model/keys.ts';

interface Describing {
  readonly name: string;
  readonly kind: 'MachineDeployment' | 'MachineSet';
  readonly eventSource: string;
  /** RBAC rules in addition to those for the Cluster and the templates. */
  readonly rules: readonly PolicyRule[];
}

/**
 * The reconcilers watch only their primaries. When a Cluster is resumed, the controllers of its MachineDeployments and
 * MachineSets write the condition Paused. These writes enqueue the objects.
 */
export function toDeclaration({ name, kind, eventSource, rules }: Describing): DeclarationOf<never> {
  const primary = coreKind(kind);
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
  { apiGroups: [clusterGroup], resources: ['clusters'], verbs: ['get'], why: 'reads whether the Cluster is paused' },
  {
    apiGroups: ['infrastructure.cluster.x-k8s.io', 'bootstrap.cluster.x-k8s.io'],
    resources: ['*'],
    verbs: ['get', 'delete'],
    why: 'deletes templates that no MachineSet uses (reads their metadata only)',
  },
  {
    apiGroups: ['apiextensions.k8s.io'],
    resources: ['customresourcedefinitions'],
    verbs: ['get'],
    why: 'reads from CRD labels in which version to delete a template (metadata only)',
  },
];
