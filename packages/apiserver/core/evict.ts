// The eviction subresource of Pods: a deletion that PodDisruptionBudgets can refuse.
// https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/
import { type DeleteOptions, sameJson } from '@capi-serverless/apimachinery';
import { type Context, liveAt, put } from './context.ts';
import { checkPreconditions, deleteObject } from './delete.ts';
import { isFree, isProtected, protects, withDisruption, withEvicted } from './disruption-budgets.ts';
import type { Address } from './kinds.ts';
import type { Stored } from './object.ts';
import { StatusError } from './status.ts';
import { updateObject } from './update.ts';

const tooManyBudgets =
  'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';

/** The manager of the status of budgets in the managed fields. */
const manager = 'kube-apiserver';

/** Deletes the Pod, if its budget allows it. A Pod that does not run is deleted without its budgets. */
export function evictObject(context: Context, address: Address, options: DeleteOptions = {}): void {
  const pod = liveAt(context, address);
  const [budget, other] = isProtected(pod) ? budgetsOf(context, pod) : [];
  if (other !== undefined) {
    throw new StatusError(500, '', tooManyBudgets);
  }
  if (budget !== undefined && !isFree(budget, pod)) {
    useBudget(context, budget, pod.metadata.name);
  }
  remove(context, address, { pod, options });
}

function budgetsOf({ registry, store }: Context, pod: Stored): readonly Stored[] {
  const resource = registry.ofGroupKind('policy/v1', 'PodDisruptionBudget');
  return resource === undefined ? [] : store.list(resource).filter(budget => protects(budget, pod));
}

/** The budget is used even if a precondition then keeps the Pod, as in kube-apiserver. */
function useBudget(context: Context, budget: Stored, pod: string): void {
  const { name, namespace = '' } = budget.metadata;
  const endpoint = context.registry.endpointOfKind('policy/v1', 'PodDisruptionBudget');
  const status = withDisruption(budget, pod, context.now());
  const write = { ...context.write, manager };
  updateObject({ ...context, write }, { endpoint, namespace, name }, { ...budget, status }, 'status');
}

interface Removal {
  readonly pod: Stored;
  readonly options: DeleteOptions;
}

function remove(context: Context, address: Address, { pod, options }: Removal): void {
  checkPreconditions(address, pod, options);
  const status = withEvicted(pod, context.now());
  const evicted = sameJson(pod.status, status) ? pod : put(context, address.endpoint.resource, { ...pod, status });
  const { resourceVersion } = evicted.metadata;
  deleteObject(context, address, options.resourceVersion === undefined ? options : { ...options, resourceVersion });
}
