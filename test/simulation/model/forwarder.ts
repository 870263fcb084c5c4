// The watch-forwarder of the model: the product's debouncing and messages behind a watch that is late, lossy and restarted.
import { Debouncer } from '../../../functions/watch-forwarder/debounce.ts';
import { debounce, mostAtOnce } from '../../../functions/watch-forwarder/lane.ts';
import type { Arrival, Bundle } from '../../../shared/event-source/bundle.ts';
import { toRequest, type WorkTarget } from '../../../shared/event-source/messages.ts';
import { type Key, toKeyText } from '../../../shared/workqueue/message.ts';
import { workQueueOf } from '../../../shared/workqueue/queue-names.ts';
import type { StepOwner } from '../engine/scheduler.ts';
import { type Change, keys, type Objects, reconcilerName } from './objects.ts';
import type { SourceOptions } from './source.ts';

const latestMs = 250;
const restartRate = 0.3;
const longestDownMs = 4_000;
const activeMs = 70_000;

export class ModelForwarder {
  readonly #options: SourceOptions;
  #run: ForwarderRun | undefined;

  constructor(options: SourceOptions, objects: Objects) {
    this.#options = options;
    this.#run = new ForwarderRun(options);
    objects.watch(change => this.#run?.see(change));
    const { scheduler, random } = options;
    if (random.chance(restartRate)) {
      scheduler.after(random.between(0, activeMs), () => this.#restart());
    }
  }

  /** It forgets what it had not sent; after a while it lists every object. */
  #restart(): void {
    const { scheduler, random } = this.#options;
    this.#run?.stop();
    this.#run = undefined;
    scheduler.after(random.between(500, longestDownMs), () => {
      this.#run = new ForwarderRun(this.#options);
      this.#run.list();
    });
  }
}

class ForwarderRun implements StepOwner {
  readonly #options: SourceOptions;
  readonly #debouncer = new Debouncer<WorkTarget>(debounce);
  #alive = true;
  #sending = false;
  #lastSeenAt = 0;
  #cancelWakeUp: () => void = () => undefined;

  constructor(options: SourceOptions) {
    this.#options = options;
  }

  get alive(): boolean {
    return this.#alive;
  }

  stop(): void {
    this.#alive = false;
  }

  list(): void {
    for (const key of keys) {
      this.#offer(key, { cause: 'list', source: { uid: `uid-${key.name}`, resourceVersion: '1' } });
    }
  }

  /** A watch shows changes late, but in order. */
  see({ object, uid, resourceVersion }: Change): void {
    const { scheduler, random, lossRate } = this.#options;
    const key = keys[object];
    if (key === undefined || random.chance(lossRate)) {
      return;
    }
    this.#lastSeenAt = Math.max(this.#lastSeenAt, scheduler.now + random.between(2, latestMs));
    const late = this.#lastSeenAt - scheduler.now;
    scheduler.after(late, () => this.#offer(key, { cause: 'event', source: { uid, resourceVersion } }), this);
  }

  #offer(key: Key, seen: Pick<Arrival<WorkTarget>, 'cause' | 'source'>): void {
    const arrival = { key: toKeyText(key), target: { reconciler: reconcilerName, key }, ...seen };
    this.#debouncer.offer(arrival, this.#options.scheduler.now);
    this.#plan();
  }

  #plan(): void {
    const { scheduler } = this.#options;
    const due = this.#debouncer.nextWakeUp(scheduler.now);
    this.#cancelWakeUp();
    if (due !== undefined && !this.#sending) {
      this.#cancelWakeUp = scheduler.after(due - scheduler.now, () => this.#send(), this);
    }
  }

  #send(): void {
    const { scheduler, network, newId, toMessage } = this.#options;
    const bundles = this.#debouncer.take(scheduler.now, mostAtOnce);
    const refused: Bundle<WorkTarget>[] = [];
    let open = bundles.length;
    this.#sending = open > 0;
    for (const bundle of bundles) {
      network.send(workQueueOf(reconcilerName), toMessage(toRequest(bundle, newId)), {
        owner: this,
        told: ok => {
          refused.push(...(ok ? [] : [bundle]));
          open -= 1;
          if (open === 0) {
            this.#settle(refused, bundles.length);
          }
        },
      });
    }
    if (open === 0) {
      this.#plan();
    }
  }

  #settle(refused: readonly Bundle<WorkTarget>[], sent: number): void {
    const { scheduler } = this.#options;
    this.#sending = false;
    this.#debouncer.giveBack(refused, scheduler.now);
    if (refused.length === sent) {
      this.#debouncer.outage(scheduler.now);
    } else {
      this.#debouncer.accepted();
    }
    this.#plan();
  }
}
