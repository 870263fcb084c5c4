// The audit webhook of the model: batches that overtake one another and are sent again, and a function without a memory.
import { mergeBundles, toBundle } from '../../../shared/event-source/bundle.ts';
import { toRequest, type WorkTarget } from '../../../shared/event-source/messages.ts';
import { type Request, toKeyText } from '../../../shared/workqueue/message.ts';
import { workQueueOf } from '../../../shared/workqueue/queue-names.ts';
import type { ObjectId } from './journal.ts';
import { type Change, keys, type Objects, reconcilerName } from './objects.ts';
import type { SourceOptions } from './source.ts';

const batchMs = 1_000;
/** From the shortest to the longest way of a batch, in ms; most are short. */
const way = [5, 3_000] as const;
const failureRate = 0.03;
/** https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/#webhook-backend: it starts with 10 s. */
const retryMs = 10_000;

export class ModelAudit {
  readonly #options: SourceOptions;
  #batch: Change[] = [];

  constructor(options: SourceOptions, objects: Objects) {
    this.#options = options;
    objects.watch(change => this.#see(change));
  }

  #see(change: Change): void {
    const { scheduler, random, lossRate } = this.#options;
    if (random.chance(lossRate)) {
      return;
    }
    this.#batch.push(change);
    if (this.#batch.length === 1) {
      scheduler.after(random.between(0, batchMs), () => {
        const batch = this.#batch;
        this.#batch = [];
        const [shortest, longest] = way;
        this.#deliver(batch, shortest * (longest / shortest) ** random.next());
      });
    }
  }

  /** One message per object of the batch; if one of them is not taken, the whole batch comes again. */
  #deliver(batch: readonly Change[], ms: number): void {
    const { scheduler, random, network, toMessage } = this.#options;
    scheduler.after(ms, () => {
      const objects = Map.groupBy(batch, ({ object }) => object);
      let open = objects.size;
      let failed = random.chance(failureRate);
      for (const [object, changes] of objects) {
        network.send(workQueueOf(reconcilerName), toMessage(this.#toRequest(object, changes)), {
          told: ok => {
            failed ||= !ok;
            open -= 1;
            if (open === 0 && failed) {
              this.#deliver(batch, retryMs * random.between(1, 1.2));
            }
          },
        });
      }
    });
  }

  #toRequest(object: ObjectId, changes: readonly Change[]): Request {
    const key = keys[object];
    if (key === undefined) {
      throw new Error(`The model has no object ${object}`);
    }
    const target: WorkTarget = { reconciler: reconcilerName, key };
    const [first, ...others] = changes.map(source => toBundle({ key: toKeyText(key), target, cause: 'event', source }));
    if (first === undefined) {
      throw new Error('A batch names an object without a change');
    }
    const bundle = others.reduce((all, other) => mergeBundles(all, other), first);
    return toRequest(bundle, this.#options.newId);
  }
}
