// Watches the management cluster and tells the reconcilers' queues which objects to look at. Keeps no objects.
import { answered } from '../../shared/api/answer.ts';
import type { Instant } from '../../shared/api/object.ts';
import { type KindName, locateProviderKind } from '../../shared/event-source/referenced-kinds.ts';
import type { Origin } from '../../shared/event-source/router.ts';
import {
  clusterName,
  toKindName,
  toWatchSet,
  type WatchSet,
  type WatchTarget,
} from '../../shared/event-source/watch-set.ts';
import type { Reads } from '../../shared/kernel/types.ts';
import type { Watches } from '../../shared/kubernetes/port.ts';
import { Follower, type FollowOptions, type FollowState, type Source } from './follow.ts';
import { Intake, type IntakeOptions } from './intake.ts';
import { ReferencedKinds } from './referenced.ts';

export interface ForwarderOptions extends IntakeOptions {
  readonly kubernetes: { readonly reads: Pick<Reads, 'metadata'>; readonly watches: Watches };
}

/** A kind that is followed, as `Kind.group`. */
export interface SourceState {
  readonly name: string;
  readonly origin: Origin['origin'];
  readonly state: FollowState;
  /** Whether all its objects were shown once. */
  readonly isListed: boolean;
  /** When the server last showed something of this kind, or that it does not serve it. */
  readonly heardAt: Instant | undefined;
}

export interface Forwarder {
  /** Runs until `signal` aborts and what is pending was sent, or refused for 10 s. Call it once. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** How many messages wait or are being sent. */
  readonly pending: number;
  readonly sources: readonly SourceState[];
}

/** Wires watches, mapping and queues. Nothing starts before `run`. */
export function createForwarder(options: ForwarderOptions): Forwarder {
  return new WatchForwarder(options);
}

/** Nothing is sent before every kind was listed, or could not be; but no list may hold up the others for longer than this. */
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
  /** A kind may be there twice: declared, and named by Clusters, for different targets. */
  readonly #following = new Set<Following>();
  readonly #referenced: ReferencedKinds;
  /** Whether messages go out. What is listed before needs no second look: everything that was listed is looked at afterwards. */
  #isSending = false;

  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.#watchSet = toWatchSet(options.declarations);
    this.#intake = new Intake(options);
    this.#referenced = new ReferencedKinds({
      ...options,
      watches: options.kubernetes.watches,
      start: (kind, signal) => this.#followReferenced(kind, signal),
    });
  }

  get pending(): number {
    return this.#intake.pending;
  }

  get sources(): readonly SourceState[] {
    return [...this.#following].map(({ origin: { name, origin }, follower }) => {
      const { state, isListed, heardAt } = follower;
      return { name, origin, state, isListed, heardAt };
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const sending = new AbortController();
    const tidied = this.#referenced.run(signal);
    for (const target of this.#watchSet.declared) {
      this.#followDeclared(target, signal);
    }
    const sent = this.#send(sending.signal);
    await tidied;
    // Nobody starts to follow anything once the signal has aborted.
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

  /** Those of the kinds, too, that the listed Clusters name. */
  async #firstLists(): Promise<void> {
    let awaited: readonly Following[] = [];
    while (awaited.length < this.#following.size) {
      awaited = [...this.#following];
      await Promise.all(awaited.map(({ follower, ended }) => Promise.race([follower.begun, ended])));
    }
  }

  #followDeclared({ kind, as, routes }: WatchTarget, signal: AbortSignal): void {
    const name = toKindName(kind);
    this.#follow({ name, as, locate: async () => answered(kind) }, { name, origin: 'declared', routes }, signal);
  }

  #followReferenced(kind: KindName, signal: AbortSignal): void {
    const name = toKindName(kind);
    const routes = this.#watchSet.referenced;
    const as = routes.some(route => route.as === 'object') ? 'object' : 'metadata';
    const locate = (): ReturnType<Source['locate']> => locateProviderKind(this.#options.kubernetes.reads, kind);
    this.#follow({ name, as, locate }, { name, origin: 'referenced', routes }, signal);
  }

  #follow(source: Source, origin: Origin, signal: AbortSignal): void {
    const { kubernetes, clock, log, metrics } = this.#options;
    const namesKinds =
      origin.origin === 'declared' && origin.name === clusterName && this.#watchSet.referenced.length > 0;
    const see: FollowOptions['see'] = (event, cause) => {
      const isOurs = this.#intake.see(origin, event, cause);
      if (isOurs && namesKinds) {
        this.#referenced.see(event, cause);
      }
    };
    const listed = (): void => {
      if (this.#isSending) {
        this.#intake.seeGap(origin);
      }
    };
    const follower = new Follower(source, { watches: kubernetes.watches, clock, log, metrics, see, listed });
    const following: Following = { origin, follower, ended: follower.run(signal) };
    this.#following.add(following);
    void following.ended.then(() => this.#following.delete(following));
  }
}
