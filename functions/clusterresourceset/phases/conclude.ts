// What a pass over the Clusters led to: the errors, the condition, and what remains.
import { toAggregateText, toDisplayName } from '@capi-serverless/apimachinery';
import { internalErrorMessage } from '@capi-serverless/cluster-api/conditions';
import { failureOf, type Outcomes } from '@capi-serverless/reconciler';
import type { MatchedPlan } from '../plan.ts';
import {
  createBindingId,
  type ObjectResult,
  objectResult,
  type PlannedCluster,
  type PlannedResource,
  patchBindingId,
} from './plan-clusters.ts';

/** The state of `ResourcesApplied` in both families. */
export type AppliedState =
  | { readonly status: 'True' }
  | {
      readonly status: 'False';
      readonly reason: string;
      readonly message: string;
      readonly v1beta1: {
        readonly reason: string;
        readonly severity: 'Warning' | 'Error';
        readonly message?: string;
      };
    };

export interface SetConclusion {
  /** `undefined`: the stored condition is kept. */
  readonly applied: AppliedState | undefined;
  readonly errors: readonly string[];
  /** Whether only a change of a resource can help. */
  readonly isStatic: boolean;
  /** Whether something due was not tried. */
  readonly isPostponed: boolean;
  /** Whether the objects of a resource were applied, and bindings record it. */
  readonly hasProgress: boolean;
}

const wrongTypeProblem = 'unsupported secret type';
const downProblem = 'error getting client: connection to the workload cluster is down';

/** The condition if the Clusters could not be found. */
export function unmatchedState(error: string): AppliedState {
  return internalErrorState({ reason: 'ClusterMatchFailed', severity: 'Warning', message: error });
}

export function conclude(plan: MatchedPlan, outcomes: Outcomes): SetConclusion {
  const results = resultsOf(plan.clusters.clusters, outcomes);
  const readErrors = readErrorsOf(plan);
  const dynamic = [...ownErrors(plan, outcomes), ...clusterErrors(plan, outcomes), ...results.flatMap(errorsOf)];
  const errors = [...readErrors.errors, ...dynamic];
  return {
    applied: stateOf(plan, results, errors),
    errors,
    isStatic: readErrors.areStatic && dynamic.length === 0,
    isPostponed:
      plan.clusters.clusters.some(({ isPostponed }) => isPostponed) ||
      results.some(({ objects }) => objects.some(({ state }) => state === 'postponed')),
    hasProgress:
      plan.clusters.clusters.every(each => bindingErrors(each, outcomes).length === 0) &&
      results.some(({ objects }) => objects.every(({ state }) => state === 'applied')),
  };
}

/** The results of the objects of one resource in one Cluster. */
interface ResourceResult {
  readonly cluster: string;
  readonly objects: readonly ObjectResult[];
}

/** Sorted by the names of the Clusters, then in the order of the spec. */
function resultsOf(clusters: readonly PlannedCluster[], outcomes: Outcomes): readonly ResourceResult[] {
  return clusters
    .toSorted((a, b) => (a.cluster.name < b.cluster.name ? -1 : 1))
    .flatMap(({ cluster, resources }) =>
      resources.map(({ resource, objects }: PlannedResource) => ({
        cluster: cluster.name,
        objects: objects.map(object => objectResult(object, resource, outcomes)),
      })),
    );
}

function errorsOf({ objects }: Pick<ResourceResult, 'objects'>): readonly string[] {
  return objects.flatMap(object => (object.state === 'failed' ? [object.error] : []));
}

interface ReadErrors {
  readonly errors: readonly string[];
  readonly areStatic: boolean;
}

/** The errors of resources that block all work. Otherwise those of data that cannot be parsed. */
function readErrorsOf({ resources }: MatchedPlan): ReadErrors {
  const unreadable = resources.flatMap(resource => (resource.state === 'unreadable' ? [resource.error] : []));
  const wrong = resources.some(({ state }) => state === 'wrongType') ? [wrongTypeProblem] : [];
  const blocking = [...wrong, ...unreadable];
  return { errors: blocking.length > 0 ? blocking : parseErrorsOf(resources), areStatic: unreadable.length === 0 };
}

/** They name the key and the line, or the exceeded limit. They quote no data. */
function parseErrorsOf(resources: MatchedPlan['resources']): readonly string[] {
  return resources.flatMap(resource =>
    resource.state === 'found' && resource.content?.ok === false ? [resource.content.error] : [],
  );
}

function ownErrors({ clusters }: MatchedPlan, outcomes: Outcomes): readonly string[] {
  return clusters.owning.flatMap(({ id }) => failureOf(outcomes, id)?.message ?? []);
}

/** An unconnected Cluster that its own reconciler has not reached either is no error: its condition enqueues the set. */
function clusterErrors({ clusters }: MatchedPlan, outcomes: Outcomes): readonly string[] {
  return clusters.clusters.flatMap(plan => [
    ...(plan.isDown && plan.cluster.isProbed ? [downProblem] : []),
    ...bindingErrors(plan, outcomes),
  ]);
}

function bindingErrors({ cluster }: PlannedCluster, outcomes: Outcomes): readonly string[] {
  const name = toDisplayName(cluster);
  const created = failureOf(outcomes, createBindingId(cluster));
  const patched = failureOf(outcomes, patchBindingId(cluster));
  return [
    ...(created === undefined
      ? []
      : [`failed to create clusterResourceSetBinding for cluster: ${name}: ${created.message}`]),
    ...(patched === undefined ? [] : [`failed to patch ClusterResourceSetBinding ${name}: ${patched.message}`]),
  ];
}

/** The first row that holds for a Cluster decides. Without a Cluster, the stored condition is kept. */
function stateOf(
  { resources, clusters }: MatchedPlan,
  results: readonly ResourceResult[],
  errors: readonly string[],
): AppliedState | undefined {
  const wrong = resources.find(({ state }) => state === 'wrongType');
  if (wrong !== undefined) {
    return {
      status: 'False',
      reason: 'WrongSecretType',
      message: `Secret type of resource ${wrong.name} is not supported`,
      v1beta1: { reason: 'WrongSecretType', severity: 'Warning', message: wrongTypeProblem },
    };
  }
  const unread = resources.find(({ state }) => state === 'missing' || state === 'unreadable');
  if (unread !== undefined && 'error' in unread) {
    return internalErrorState({ reason: 'RetrievingResourceFailed', severity: 'Warning', message: unread.error });
  }
  if (clusters.clusters.some(({ isDown }) => isDown)) {
    return internalErrorState({ reason: 'RemoteClusterClientFailed', severity: 'Error', message: downProblem });
  }
  const unparsed = parseErrorsOf(resources);
  if (unparsed.length > 0) {
    return notApplied(toAggregateText(unparsed));
  }
  const failed = results.find(result => errorsOf(result).length > 0);
  if (failed !== undefined) {
    return notApplied(toAggregateText(errorsOf(failed)));
  }
  const isPostponed = clusters.clusters.some(each => each.isPostponed) || results.some(hasPostponed);
  return clusters.clusters.length === 0 || errors.length > 0 || isPostponed ? undefined : { status: 'True' };
}

function hasPostponed({ objects }: ResourceResult): boolean {
  return objects.some(({ state }) => state === 'postponed');
}

function notApplied(message: string): AppliedState {
  return {
    status: 'False',
    reason: 'NotApplied',
    message: 'Failed to apply ClusterResourceSet resources to Cluster',
    v1beta1: { reason: 'ApplyFailed', severity: 'Warning', message },
  };
}

function internalErrorState(v1beta1: Extract<AppliedState, { status: 'False' }>['v1beta1']): AppliedState {
  return { status: 'False', reason: 'InternalError', message: internalErrorMessage, v1beta1 };
}
