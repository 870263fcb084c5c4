// Watches the management cluster and tells the reconcilers' queues which objects to look at. Keeps no objects.
import { answered } from '../../shared/api/answer.ts';
import type { Unstructured } from '../../shared/api/object.ts';
import { locateProviderKind, referencedKindsOf } from '../../shared/event-source/referenced-kinds.ts';
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

export interface ForwarderOptions extends IntakeOptions {
  readonly kubernetes: { readonly reads: Pick<Reads, 'metadata'>; readonly watches: Watches };
}

/** A kind that is followed, as `Kind.group`. */
export interface SourceState {
  readonly name: string;
  readonly origin: Origin['origin'];
  readonly state: FollowState;
}

export interface Forwarder {
  /** Runs until `signal` aborts and what is pending was sent, or refused for 10 s. Call it once. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** How many messages wait or are being sent. */
  readonly pending: number;
  readonly sources: readonly SourceState[];
}

/** Clusters can name any kind; more than these are refused, because each costs a watch. */
const mostReferencedKinds = 100;

/** Wires watches, mapping and queues. Nothing starts before `run`. */
export function createForwarder(options: ForwarderOptions): Forwarder {
  return new WatchForwarder(options);
}

interface Following {
  readonly origin: Origin;
  readonly follower: Follower;
  readonly ended: Promise<void>;
}

class WatchForwarder implements Forwarder {
  readonly #options: ForwarderOptions;
  readonly #watchSet: WatchSet;
  readonly #intake: Intake;
  readonly #following: Following[] = [];
  /** Names of the referenced kinds that are followed. */
  readonly #referenced = new Set<string>();

  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.#watchSet = toWatchSet(options.declarations);
    this.#intake = new Intake(options);
  }

  get pending(): number {
    return this.#intake.pending;
  }

  get sources(): readonly SourceState[] {
    return this.#following.map(({ origin: { name, origin }, follower: { state } }) => ({ name, origin, state }));
  }

  async run(signal: AbortSignal): Promise<void> {
    const sending = new AbortController();
    const sent = this.#intake.run(sending.signal);
    for (const target of this.#watchSet.declared) {
      this.#followDeclared(target, signal);
    }
    // Grows while it is walked: a follower of Clusters starts others until the signal aborts.
    for (const { ended } of this.#following) {
      await ended;
    }
    sending.abort();
    await sent;
  }

  #followDeclared({ kind, as, routes }: WatchTarget, signal: AbortSignal): void {
    const name = toKindName(kind);
    this.#follow({ name, as, locate: async () => answered(kind) }, { name, origin: 'declared', routes }, signal);
  }

  #followReferenced(cluster: Unstructured, signal: AbortSignal): void {
    const { kubernetes, log } = this.#options;
    const routes = this.#watchSet.referenced;
    const as = routes.some(route => route.as === 'object') ? 'object' : 'metadata';
    for (const kind of referencedKindsOf(cluster)) {
      const name = toKindName(kind);
      if (this.#referenced.has(name)) {
        continue;
      }
      if (this.#referenced.size === mostReferencedKinds) {
        log.error('Refusing to follow one more referenced kind', undefined, {
          source: name,
          most: mostReferencedKinds,
        });
        continue;
      }
      this.#referenced.add(name);
      const locate = (): ReturnType<Source['locate']> => locateProviderKind(kubernetes.reads, kind);
      this.#follow({ name, as, locate }, { name, origin: 'referenced', routes }, signal);
    }
  }

  #follow(source: Source, origin: Origin, signal: AbortSignal): void {
    const { kubernetes, clock, log, metrics } = this.#options;
    const namesKinds =
      origin.origin === 'declared' && origin.name === clusterName && this.#watchSet.referenced.length > 0;
    const see: FollowOptions['see'] = (event, cause) => {
      const isOurs = this.#intake.see(origin, event, cause);
      if (isOurs && namesKinds && event.type !== 'DELETED') {
        this.#followReferenced(event.object, signal);
      }
    };
    const follower = new Follower(source, { watches: kubernetes.watches, clock, log, metrics, see });
    this.#following.push({ origin, follower, ended: follower.run(signal) });
  }
}
