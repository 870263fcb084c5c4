// Declares the permissions and watches of the ClusterResourceSetBinding reconciler. A binding has no status.
import { declare, type PolicyRule } from '@capi-serverless/reconciler';
import { addonsGroup, coreGroup } from '../../shared/api/schema/core.ts';
import { bindingKind, bindingWatches } from './watches.ts';

const rules: readonly PolicyRule[] = [
  {
    apiGroups: [addonsGroup],
    resources: ['clusterresourcesetbindings'],
    verbs: ['get', 'patch', 'delete'],
    why: 'deletes the bindings of Clusters that end, repairs those of old versions',
  },
  { apiGroups: [coreGroup], resources: ['clusters'], verbs: ['get'], why: 'reads whether the Cluster exists' },
];

export const clusterResourceSetBindingDeclaration = declare({
  name: 'clusterresourcesetbinding',
  primary: bindingKind,
  gate: 'ClusterResourceSet',
  timeoutSeconds: 60,
  fieldManager: 'capi-serverless',
  eventSource: 'clusterresourcesetbinding-controller',
  owns: { conditions: [], v1beta1: [], status: [] },
  ports: [],
  rules,
  watches: bindingWatches,
});
