// The common schema parts of the definitions of the simulated kinds.
import { column, conditionColumn } from '../../../shared/api/schema/definition.ts';
import { filledObject, seconds, time } from '../../../shared/api/schema/json-schema.ts';
import { rolloutAfter } from '../../../shared/api/schema/machine-parts.ts';

export const infrastructureGroup = 'infrastructure.cluster.x-k8s.io';
export const controlPlaneGroup = 'controlplane.cluster.x-k8s.io';
export const bootstrapGroup = 'bootstrap.cluster.x-k8s.io';

/** The duration of the simulated work. */
export const durations = {
  provisionSeconds: seconds('How long provisioning takes; 0 means done in the first reconcile.', 1),
  deletionSeconds: seconds('How long deletion takes.', 1),
};

export const controlPlaneRollout = filledObject('When Machines are replaced.', { after: rolloutAfter });

export const startedAt = time('When provisioning began.');

export const clusterColumn = column('Cluster', ".metadata.labels['cluster\\.x-k8s\\.io/cluster-name']");
export const readyColumn = conditionColumn('Ready');
