// The writes of one pass over a Cluster: finalizer | owner references, endpoint, deletes | finalizer off.

import type { Cluster } from '../../shared/api/cluster/reader.ts';
import { type Instant, toRef } from '../../shared/api/object.ts';
import type { Action, Outcomes } from '../../shared/kernel/types.ts';
import { deletionActions } from './phases/deletion.ts';
import { endpointActions } from './phases/endpoint.ts';
import { ownAction } from './phases/external.ts';
import { clusterFinalizer, isDeleting } from './phases/gate.ts';
import { kubeconfigActions } from './phases/kubeconfig.ts';
import { failingSinceActions } from './phases/remote-connection.ts';
import { runPhases } from './phases/run.ts';
import type { Seen, WholeView } from './seen.ts';

export const addFinalizerId = 'finalizer:add';

/** Every prefix is a safe place to crash: what was not written is decided again. */
export function decide(seen: Seen, now: Instant): readonly Action[] {
  switch (seen.step) {
    case 'finalizer':
      return [addFinalizer(seen.cluster)];
    case 'pausedCondition':
    case 'clusterClassError':
    case 'topologyWait':
      return [];
    case 'phases':
      return phaseActions(seen, now);
  }
}

function addFinalizer({ object, metadata }: Cluster): Action {
  return {
    id: addFinalizerId,
    onError: 'stop',
    do: 'patch',
    ref: toRef(object),
    body: { metadata: { finalizers: [...metadata.finalizers, clusterFinalizer] } },
    resourceVersion: metadata.resourceVersion,
  };
}

/** Planned as if every write succeeded; what depends on an earlier write looks at its outcome before it goes out. */
function phaseActions(seen: WholeView, now: Instant): readonly Action[] {
  const { cluster, infrastructure, controlPlane } = seen;
  const { context } = runPhases(seen, new Map(), now);
  const progressAfter = (outcomes: Outcomes) => runPhases(seen, outcomes, now).progress;
  return [
    ...ownAction('infrastructure', infrastructure, cluster),
    ...ownAction('controlPlane', controlPlane, cluster),
    ...endpointActions(cluster, outcomes => progressAfter(outcomes).endpoint),
    ...kubeconfigActions(seen, progressAfter),
    ...failingSinceActions(seen, now),
    ...(isDeleting(cluster) ? deletionActions(context) : []),
  ];
}
