// A client of a real API server for functions in virtual time. Time does not advance while a request is in progress, or
// after a write until all watches have delivered the write.
import type { Answer, Intent, Kubernetes, ObjectRef, Unstructured } from '@capi-serverless/apimachinery';
import type { WorkloadClients } from '../../shared/kubernetes/rest/workload-clients.ts';
import type { WorkloadReads } from '../../shared/workload/api.ts';
import type { Scheduler } from '../simulation/engine/scheduler.ts';
import type { Deliveries } from './deliveries.ts';
import type { Observer } from './observer.ts';

interface Holding {
  readonly scheduler: Scheduler;
  readonly deliveries: Deliveries;
  readonly observer: Observer;
}

export function holdTime(client: Kubernetes, holding: Holding): Kubernetes {
  const { scheduler, deliveries } = holding;
  const write = (of: ObjectRef, send: () => Promise<Answer<Unstructured | undefined>>) =>
    scheduler.hold(deliver(of, send, holding));
  const writeOne = (of: ObjectRef, send: () => Promise<Answer<Unstructured>>): Promise<Answer<Unstructured>> =>
    write(of, send) as Promise<Answer<Unstructured>>; // true: it is the answer of `send` itself
  return {
    get: ((of: ObjectRef) => scheduler.hold(client.get(of))) as Kubernetes['get'], // true: the caller parses the object
    list: ((...args: Parameters<Kubernetes['list']>) => scheduler.hold(client.list(...args))) as Kubernetes['list'], // true: the caller parses the objects
    metadata: of => scheduler.hold(client.metadata(of)),
    dryRun: { apply: (object, options) => scheduler.hold(client.dryRun.apply(object, options)) },
    create: (object, options) => writeOne(toRef(object), () => client.create(object, options)),
    mergePatch: (of, body, options) => writeOne(of, () => client.mergePatch(of, body, options)),
    jsonPatch: (of, body, options) => writeOne(of, () => client.jsonPatch(of, body, options)),
    apply: (object, options) => writeOne(toRef(object), () => client.apply(object, options)),
    delete: (of, options) => write(of, () => client.delete(of, options)),
    watches: {
      page: (query, options) => scheduler.hold(client.watches.page(query, options)),
      watch: (query, options) => {
        const stream = client.watches.watch(query, options);
        if (query.namespace !== undefined || query.labels !== undefined) {
          return stream;
        }
        const followed = deliveries.follow(query, options.resourceVersion, stream);
        void scheduler.hold(deliveries.until(query));
        return followed;
      },
    },
    within: signal => holdTime(client.within(signal), holding),
  };
}

/** The clients of workload clusters on the same API server. */
export function holdWorkload(
  { api, writers }: WorkloadClients,
  users: Pick<Kubernetes, 'metadata'>,
  holding: Holding,
): WorkloadClients {
  const { scheduler } = holding;
  return {
    api: {
      reads: (target, signal) => {
        const reads = api.reads(target, signal);
        return {
          get: ((...args: Parameters<WorkloadReads['get']>) =>
            scheduler.hold(reads.get(...args))) as WorkloadReads['get'], // true: the caller parses the object
          list: ((...args: Parameters<WorkloadReads['list']>) =>
            scheduler.hold(reads.list(...args))) as WorkloadReads['list'], // true: the caller parses the objects
          nodes: () => scheduler.hold(reads.nodes()),
          resources: apiVersion => scheduler.hold(reads.resources(apiVersion)),
        };
      },
    },
    writers: target => {
      const writes = writers(target);
      return {
        mergePatch: (of, body, options) =>
          scheduler.hold(deliver(of, () => writes.mergePatch(of, body, options), holding)),
        delete: (of, options) => scheduler.hold(deliver(of, () => writes.delete(of, options), holding)),
        metadata: of => scheduler.hold(writes.metadata(of)),
        createManifest: (object, place) =>
          scheduler.hold(deliver(place, () => writes.createManifest(object, place), holding)),
        evict: (pod, options) =>
          scheduler.hold(deliverEviction(pod, () => writes.evict(pod, options), { ...holding, users })),
      };
    },
  };
}

/** The answer does not show whether the Pod remains for its grace period. */
async function deliverEviction(
  pod: ObjectRef,
  send: () => Promise<Answer<undefined>>,
  { deliveries, observer, users }: Holding & { readonly users: Pick<Kubernetes, 'metadata'> },
): Promise<Answer<undefined>> {
  const removals = observer.removals(pod);
  const answer = await send();
  if (answer.ok) {
    const remaining = await users.metadata(pod);
    if (remaining.ok) {
      await deliveries.until(pod, Number(remaining.value.resourceVersion));
    } else {
      const what = () => `the removal of Pod ${pod.namespace}/${pod.name}`;
      await deliveries.when(() => observer.removals(pod) > removals, what);
    }
  }
  return answer;
}

function toRef({ apiVersion, kind, metadata: { name, namespace } }: Intent): ObjectRef {
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

async function deliver<T extends Unstructured | undefined>(
  of: ObjectRef,
  send: () => Promise<Answer<T>>,
  { deliveries, observer }: Holding,
): Promise<Answer<T>> {
  const removals = observer.removals(of);
  const answer = await send();
  if (!answer.ok || !observer.follows(of)) {
    return answer;
  }
  if (isRemoved(answer.value)) {
    const what = () => `the removal of ${of.kind} ${of.namespace}/${of.name}`;
    await deliveries.when(() => observer.removals(of) > removals, what);
  }
  await deliveries.until(of, Number(answer.value?.metadata.resourceVersion ?? 0));
  return answer;
}

function isRemoved(object: Unstructured | undefined): boolean {
  const {
    deletionTimestamp,
    deletionGracePeriodSeconds = 0,
    finalizers = [],
  } = object?.metadata ?? {
    deletionTimestamp: '',
  };
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length === 0;
}
