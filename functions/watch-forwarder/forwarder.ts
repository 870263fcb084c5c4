// Watches the management cluster and enqueues the objects that changes affect. Does not cache objects.

import { answered, type GroupKind, type Instant, type Reads, type Watches } from '@capi-serverless/apimachinery';
import { locateProviderKind } from '../../shared/event-source/referenced-kinds.ts';
import type { Origin } from '../../shared/event-source/router.ts';
import {
  type Referrer,
  toKindName,
  toWatchSet,
  type WatchSet,
  type WatchTarget,
  withContentParts,
} from '../../shared/event-source/watch-set.ts';
import { type FollowedSource, Follower, type FollowOptions, type FollowState } from './follow.ts';
import { Intake, type IntakeOptions } from './intake.ts';
import { type NodeAccess, NodeWatches } from './nodes/node-watches.ts';
import { ReferencedKinds } from './referenced.ts';

export interface ForwarderOptions extends IntakeOptions {
  readonly kubernetes: { readonly reads: Pick<Reads, 'metadata'>; readonly watches: Watches };
  /** Default: Nodes of workload clusters are not watched. */
  readonly nodes?: NodeAccess;
}

/** The state of a watched kind, named `Kind.group`. */
export interface SourceState {
  readonly name: string;
  readonly origin: Origin['origin'];
  readonly state: FollowState;
  /** Whether all objects were listed once. */
  readonly isListed: boolean;
  /** The time of the last data of this kind, or of the last answer that the server does not serve the kind. */
  readonly lastActivityAt: Instant | undefined;
}

export interface Forwarder {
  /** Runs until `signal` aborts, then sends pending messages for up to 10 s. Must be called once. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** The number of messages that wait or are being sent. */
  readonly pending: number;
  readonly sources: readonly SourceState[];
  /** The number of workload clusters whose Nodes are watched. */
  readonly workloadClusters: number;
}

/** Connects watches, mapping and queues. No watch starts before `run`. */
export function createForwarder(options: ForwarderOptions): Forwarder {
  return new WatchForwarder(options);
}

/** Sending starts after every kind was listed once or its list failed. It starts after this time at the latest. */
const longestSilenceMs = 10_000;

interface Following {
  readonly origin: Origin;
  readonly follower: Follower;
  readonly ended: Promise<void>;
}

class WatchForwarder implements Forwarder {
  readonly #options: ForwarderOptions;
  readonly #watchSet: WatchSet;
  readonly #intake: Intake;
  /** A kind may occur several times: as a declared watch and as a kind that others reference, with different routes. */
  readonly #following = new Set<Following>();
  /** By the name of the referrer. */
  readonly #referenced: ReadonlyMap<string, ReferencedKinds>;
  readonly #nodes: NodeWatches | undefined;
  /** True after sending has started. Earlier gaps are ignored, because every listed object is enqueued. */
  #isSending = false;

  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.#watchSet = toWatchSet(options.declarations);
    this.#intake = new Intake(options);
    this.#referenced = new Map(
      this.#watchSet.referrers.map(referrer => [
        referrer.name,
        new ReferencedKinds({
          ...options,
          referrer,
          watches: options.kubernetes.watches,
          start: (kind, signal) => this.#followReferenced(referrer, kind, signal),
        }),
      ]),
    );
    this.#nodes =
      options.nodes === undefined ? undefined : new NodeWatches({ ...options, ...options.nodes, intake: this.#intake });
  }

  get pending(): number {
    return this.#intake.pending;
  }

  get sources(): readonly SourceState[] {
    return [...this.#following].map(({ origin: { name, origin }, follower }) => {
      const { state, isListed, lastActivityAt } = follower;
      return { name, origin, state, isListed, lastActivityAt };
    });
  }

  get workloadClusters(): number {
    return this.#nodes?.size ?? 0;
  }

  async run(signal: AbortSignal): Promise<void> {
    const sending = new AbortController();
    const tidied = Promise.all([...this.#referenced.values()].map(kinds => kinds.run(signal)));
    for (const target of this.#watchSet.declared) {
      this.#followDeclared(target, signal);
    }
    const sent = this.#send(sending.signal);
    await Promise.all([tidied, this.#nodes?.run(signal)]);
    // No new kind is followed after the signal has aborted.
    await Promise.all([...this.#following].map(({ ended }) => ended));
    sending.abort();
    await sent;
  }

  async #send(signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    await Promise.race([this.#firstLists(), this.#options.clock.sleep(longestSilenceMs, over.signal)]);
    over.abort();
    this.#isSending = true;
    await this.#intake.run(signal);
  }

  /** Also waits for the kinds that the listed objects reference. */
  async #firstLists(): Promise<void> {
    let awaited: readonly Following[] = [];
    while (awaited.length < this.#following.size) {
      awaited = [...this.#following];
      await Promise.all(awaited.map(({ follower, ended }) => Promise.race([follower.begun, ended])));
    }
  }

  #followDeclared({ kind, as, parts, routes }: WatchTarget, signal: AbortSignal): void {
    const name = toKindName(kind);
    const reading = withContentParts({ as, parts }, routes);
    const locate: FollowedSource['locate'] = async () => answered(kind);
    this.#follow({ name, ...reading, locate }, { name, origin: 'declared', routes }, signal);
  }

  #followReferenced({ name: referrer, as, routes }: Referrer, kind: GroupKind, signal: AbortSignal): void {
    const name = toKindName(kind);
    const locate: FollowedSource['locate'] = async () => {
      const located = await locateProviderKind(this.#options.kubernetes.reads, kind);
      this.#referenced.get(referrer)?.located(kind, located);
      return located;
    };
    this.#follow({ name, ...withContentParts({ as }, routes), locate }, { name, origin: 'referenced', routes }, signal);
  }

  #follow(source: FollowedSource, origin: Origin, signal: AbortSignal): void {
    const { kubernetes, clock, log, metrics } = this.#options;
    const isDeclared = origin.origin === 'declared';
    const referenced = isDeclared ? this.#referenced.get(origin.name) : undefined;
    const nodes = isDeclared ? this.#nodes : undefined;
    const see: FollowOptions['see'] = (event, cause) => {
      const isOurs = this.#intake.receive(origin, event, cause);
      if (isOurs) {
        referenced?.see(event, cause);
        nodes?.see(origin.name, event, cause);
      }
    };
    const listed = (): void => {
      nodes?.listed(origin.name);
      if (this.#isSending) {
        this.#intake.receiveGap(origin);
      }
    };
    const follower = new Follower(source, { watches: kubernetes.watches, clock, log, metrics, see, listed });
    const following: Following = { origin, follower, ended: follower.run(signal) };
    this.#following.add(following);
    void following.ended.then(() => this.#following.delete(following));
  }
}
