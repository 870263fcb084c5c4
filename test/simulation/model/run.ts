// One run of the model: what one seed does to one queue design.
import { decideForwardings } from '../../../functions/timer/timer.ts';
import { toSpread } from '../../../shared/workqueue/ids.ts';
import { parseRequest, type Request } from '../../../shared/workqueue/message.ts';
import { toDelayedMessage, toEventMessage } from '../../../shared/workqueue/outgoing.ts';
import type { OutgoingMessage } from '../../../shared/workqueue/port.ts';
import { deadLetterQueueOf, delayQueue, workQueueOf } from '../../../shared/workqueue/queue-names.ts';
import { timerTimeoutSeconds } from '../../../shared/workqueue/queue-specs.ts';
import { createRandom, type Random } from '../engine/random.ts';
import { Scheduler } from '../engine/scheduler.ts';
import { ModelAudit } from './audit.ts';
import { ModelForwarder } from './forwarder.ts';
import { Journal, type Verdict } from './journal.ts';
import { crashRate, type Invocation, Mapping } from './mapping.ts';
import { keys, Objects, reconcilerName, toObjectId } from './objects.ts';
import { type Channel, createChannels, functionTimeoutSeconds, Network } from './queues.ts';
import { ModelReconciler } from './reconciler.ts';
import type { SourceOptions } from './source.ts';
import type { Variant } from './variants.ts';

const start = Date.UTC(2026, 0, 1);
/** Clocks are at most this far off, in ms; instances draw once. */
const worstSkewMs = 500;
const outageRate = 0.2;
const longestOutageMs = 10_000;
const activeMs = 70_000;
/** A run with a resync never falls silent: it is over when every lost change must have been found. */
const resyncRunMs = 420_000;

/** Everything that the parts of one run share. */
class ModelRun {
  readonly variant: Variant;
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly journal = new Journal();
  readonly objects: Objects;
  readonly channels: ReturnType<typeof createChannels>;
  readonly network: Network;
  #ids = 0;

  constructor(variant: Variant, seed: string) {
    this.variant = variant;
    this.random = createRandom(seed);
    this.scheduler = new Scheduler(start + this.random.below(60_000));
    this.objects = new Objects(this.scheduler, this.random.fork('objects'), this.journal);
    this.channels = createChannels(variant);
    this.network = new Network(this.scheduler, this.random.fork('network'), this.channels);
    this.#startSources();
    this.#startReconciler();
    this.#startTimer();
    this.#startResync();
    this.objects.plan();
    if (this.random.chance(outageRate)) {
      this.network.planOutage(this.random.between(0, activeMs), this.random.between(0, longestOutageMs));
    }
  }

  async verdict(): Promise<Verdict> {
    const until = this.variant.resyncPeriodMs === undefined ? Infinity : this.scheduler.now + resyncRunMs;
    await this.scheduler.run(() => this.scheduler.now > until);
    for (const queue of [workQueueOf(reconcilerName), delayQueue]) {
      for (const { body } of this.#channel(deadLetterQueueOf(queue)).queue.messages(this.scheduler.now)) {
        this.journal.gaveUp(toObjectId(parseRequest(body).key));
      }
    }
    return this.journal.judge(until);
  }

  readonly newId = (): string => {
    this.#ids += 1;
    return `id-${this.#ids}`;
  };

  #channel(name: string): Channel {
    const channel = this.channels.get(name);
    if (channel === undefined) {
      throw new Error(`The model has no queue ${name}`);
    }
    return channel;
  }

  #skew(): number {
    return this.random.between(-worstSkewMs, worstSkewMs);
  }

  /** Gives a message to the work queue the id that the variant wants. */
  #adapt(message: OutgoingMessage, skewMs: number): OutgoingMessage {
    const { deduplicationId: right } = message;
    const now = this.scheduler.now + skewMs;
    return right === undefined || this.variant.idOf === undefined
      ? message
      : {
          ...message,
          deduplicationId: this.variant.idOf(parseRequest(message.body), { right, now, newId: this.newId }),
        };
  }

  #startSources(): void {
    const { variant } = this;
    const drawn = this.random.pick(['forwarder', 'forwarder', 'two forwarders', 'audit', 'both'] as const);
    const source = variant.source ?? drawn;
    if (source !== 'audit') {
      new ModelForwarder(this.#sourceOptions('forwarder'), this.objects);
    }
    if (source === 'two forwarders') {
      new ModelForwarder(this.#sourceOptions('second forwarder'), this.objects);
    }
    if (source === 'audit' || source === 'both') {
      new ModelAudit(this.#sourceOptions('audit'), this.objects);
    }
  }

  #sourceOptions(name: string): SourceOptions {
    const { scheduler, network, newId, variant } = this;
    const skewMs = this.#skew();
    return {
      scheduler,
      network,
      newId,
      random: this.random.fork(name),
      lossRate: variant.lossRate ?? 0,
      toMessage: request => {
        const message = toEventMessage(request, { newId, design: variant.design, now: scheduler.now + skewMs });
        return this.#adapt(message, skewMs);
      },
    };
  }

  #startReconciler(): void {
    const channel = this.#channel(workQueueOf(reconcilerName));
    const random = this.random.fork('reconciler');
    // Each instance of the function runs on a machine of its own.
    const skews = [this.#skew(), this.#skew(), this.#skew()] as const;
    const skew = (): number => random.pick(skews);
    const adapt = (message: OutgoingMessage, skewMs: number): OutgoingMessage => this.#adapt(message, skewMs);
    const reconciler = new ModelReconciler({ ...this.#parts(), random, channel, skew, adapt });
    new Mapping({
      scheduler: this.scheduler,
      random,
      channel,
      timeoutSeconds: functionTimeoutSeconds,
      protects: this.variant.visibilitySeconds === undefined,
      serve: invocation => reconciler.serve(invocation),
    });
  }

  #parts() {
    const { variant, scheduler, objects, journal, network, newId } = this;
    return { variant, scheduler, objects, journal, network, newId };
  }

  #startTimer(): void {
    const random = this.random.fork('timer');
    const skewMs = this.#skew();
    new Mapping({
      scheduler: this.scheduler,
      random,
      channel: this.#channel(delayQueue),
      timeoutSeconds: timerTimeoutSeconds,
      protects: true,
      serve: invocation => this.#serveTimers(invocation, { random, skewMs }),
    });
  }

  #serveTimers(invocation: Invocation, { random, skewMs }: { readonly random: Random; readonly skewMs: number }): void {
    const { scheduler, network, newId } = this;
    if (random.chance(crashRate)) {
      scheduler.after(random.between(0, 100), () => invocation.kill(), invocation);
    }
    const now = Math.floor(scheduler.now + skewMs);
    const failed: string[] = [];
    let open = invocation.messages.length;
    for (const forwarding of decideForwardings(invocation.messages, { now, newId, hasQueue: () => true })) {
      if (forwarding.kind === 'poison') {
        throw new Error(`The model sent what it cannot read: ${forwarding.problem}`);
      }
      network.send(forwarding.queue, this.#adapt(forwarding.message, skewMs), {
        owner: invocation,
        told: ok => {
          failed.push(...(ok ? [] : [forwarding.messageId]));
          open -= 1;
          if (open === 0) {
            invocation.end(failed);
          }
        },
      });
    }
  }

  #startResync(): void {
    const { resyncPeriodMs } = this.variant;
    if (resyncPeriodMs === undefined) {
      return;
    }
    const random = this.random.fork('resync');
    const resync = (): void => {
      for (const key of keys) {
        const request: Request = { v: 1, reconciler: reconcilerName, key, cause: 'resync', attempt: 0, trace: 't' };
        const delaySeconds = toSpread(key, resyncPeriodMs / 1_000);
        this.network.send(delayQueue, toDelayedMessage(request, delaySeconds), { told: () => undefined });
      }
      this.scheduler.after(resyncPeriodMs, resync);
    };
    this.scheduler.after(random.between(0, resyncPeriodMs), resync);
  }
}

/** Equal seeds give equal verdicts. */
export function runModel(variant: Variant, seed: string): Promise<Verdict> {
  return new ModelRun(variant, seed).verdict();
}
