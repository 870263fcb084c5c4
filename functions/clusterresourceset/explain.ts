// The public interface of the ClusterResourceSet reconciler for CLI commands.
import { toDisplayName } from '@capi-serverless/apimachinery';
import { type EarlyEnd, isEarlyEnd } from '@capi-serverless/reconciler';
import { type ExplainedAction, toFace } from '../../shared/explain/face.ts';
import { workloadApiAsReported } from '../../shared/explain/workload-api-as-reported.ts';
import type { PlannedCluster } from './phases/plan-clusters.ts';
import type { ResourceSetPlan } from './plan.ts';
import { clusterResourceSetReconciler } from './reconciler.ts';
import type { SetResource } from './seen.ts';
import { remediesOfResourceSet, waitOfResourceSet } from './why/resource-set-wait.ts';

export const face = toFace({
  reconciler: clusterResourceSetReconciler,
  asReported: { workloadApi: workloadApiAsReported },
  whyOf: whyOfResourceSet,
  conclude: concludeResourceSet,
  waitOf: waitOfResourceSet,
  remediesOf: remediesOfResourceSet,
});

const reasons: Readonly<Record<string, string>> = {
  finalizer: 'the finalizer is added before all other work, and removed last',
  own: 'the resource lacks the owner reference of the ClusterResourceSet, which clusterctl move needs',
  binding: 'the binding records what was applied to the workload cluster',
};

/** The id of an action begins with what it writes. */
export function whyOfResourceSet({ action }: ExplainedAction<ResourceSetPlan | EarlyEnd>): string | undefined {
  if (action.do === 'manifest') {
    return action.change === undefined
      ? 'the object is not recorded as applied; an existing object is kept with ApplyOnce'
      : 'the data have changed, so the object is replaced';
  }
  return reasons[action.id.split(':')[0] ?? ''];
}

/** The maximum number of resources that are named. */
const mostNamed = 10;

/** What is applied to which Cluster, and what prevents it. Contents of Secrets are not shown. */
export function concludeResourceSet(plan: ResourceSetPlan | EarlyEnd): readonly string[] {
  if (isEarlyEnd(plan)) {
    return [];
  }
  switch (plan.step) {
    case 'unmatched':
    case 'blocked':
      return [`Nothing is applied: ${plan.error}`];
    case 'deletion':
      return ['Objects in workload clusters stay.'];
    case 'clusters': {
      const { clusters } = plan.clusters;
      const problems = plan.resources.flatMap(problemOf).slice(0, mostNamed);
      return [...problems, ...(plan.clusters.isBlocked ? ['Nothing is applied.'] : clusters.flatMap(clusterLine))];
    }
  }
}

function problemOf(resource: SetResource): readonly string[] {
  const name = `${resource.kind} ${resource.name}`;
  switch (resource.state) {
    case 'missing':
    case 'unreadable':
      return [`${name}: ${resource.error}`];
    case 'wrongType':
      return [`${name} has another type than addons.cluster.x-k8s.io/resource-set.`];
    case 'found':
      return resource.content?.ok === false ? [`${name}: ${resource.content.error}`] : [];
  }
}

function clusterLine({ cluster, isDown, isPostponed, resources }: PlannedCluster): readonly string[] {
  const name = `Cluster ${toDisplayName(cluster)}`;
  if (isDown) {
    return [`${name}: the workload cluster does not answer.`];
  }
  const refused = resources.flatMap(({ objects }) =>
    objects.flatMap(({ write }) => (write.do === 'refuse' ? [`${name}: ${write.error}`] : [])),
  );
  return [
    ...(resources.length === 0 ? [`${name}: nothing is due.`] : []),
    ...refused.slice(0, mostNamed),
    ...(isPostponed ? [`${name}: further resources follow in the next pass.`] : []),
  ];
}
