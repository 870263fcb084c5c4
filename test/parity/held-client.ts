// A client of a real API server for functions in virtual time. Time does not advance while a request is in progress, or
// after a write until all watches have delivered the write.
import type { Answer } from '../../packages/apimachinery/answer.ts';
import type { Kubernetes } from '../../packages/apimachinery/client.ts';
import type { Intent, ObjectRef, Unstructured } from '../../packages/apimachinery/object.ts';
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
  const { deletionTimestamp, finalizers = [] } = object?.metadata ?? { deletionTimestamp: '' };
  return deletionTimestamp !== undefined && finalizers.length === 0;
}
