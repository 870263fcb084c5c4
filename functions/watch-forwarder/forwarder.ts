// Watches the management cluster and tells the reconcilers' queues which objects to look at. Keeps no objects.
import { answered } from '../../shared/api/answer.ts';
import type { Unstructured } from '../../shared/api/object.ts';
import type { Reads } from '../../shared/kernel/types.ts';
import type { Watches } from '../../shared/kubernetes/port.ts';
import { createFollower, type Follower, type FollowState, type Source } from './follow.ts';
import { createIntake, type IntakeOptions, type Origin } from './intake.ts';
import { locateProviderKind, referencedKindsOf } from './referenced-kinds.ts';
import { clusterName, toKindName, toWatchSet, type WatchTarget } from './watch-set.ts';

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
  const { kubernetes, log } = options;
  const watchSet = toWatchSet(options.declarations);
  const intake = createIntake(options);
  const followers: { readonly origin: Origin; readonly follower: Follower; readonly ended: Promise<void> }[] = [];
  const referenced = new Set<string>();

  function follow(source: Source, origin: Origin, signal: AbortSignal): void {
    const namesKinds = origin.origin === 'declared' && source.name === clusterName && watchSet.referenced.length > 0;
    const follower = createFollower(source, {
      ...options,
      watches: kubernetes.watches,
      see(event, cause) {
        const isOurs = intake.see(origin, event, cause);
        if (isOurs && namesKinds && event.type !== 'DELETED') {
          followReferenced(event.object, signal);
        }
      },
    });
    followers.push({ origin, follower, ended: follower.run(signal) });
  }

  function followDeclared({ kind, as, routes }: WatchTarget, signal: AbortSignal): void {
    const name = toKindName(kind);
    follow({ name, as, locate: async () => answered(kind) }, { name, origin: 'declared', routes }, signal);
  }

  function followReferenced(cluster: Unstructured, signal: AbortSignal): void {
    for (const kind of referencedKindsOf(cluster)) {
      const name = toKindName(kind);
      if (referenced.has(name)) {
        continue;
      }
      if (referenced.size === mostReferencedKinds) {
        log.error('Refusing to follow one more referenced kind', undefined, {
          source: name,
          most: mostReferencedKinds,
        });
        continue;
      }
      referenced.add(name);
      const routes = watchSet.referenced;
      const as = routes.some(route => route.as === 'object') ? 'object' : 'metadata';
      const locate = (): ReturnType<Source['locate']> => locateProviderKind(kubernetes.reads, kind);
      follow({ name, as, locate }, { name, origin: 'referenced', routes }, signal);
    }
  }

  return {
    async run(signal) {
      const sending = new AbortController();
      const sent = intake.run(sending.signal);
      for (const target of watchSet.declared) {
        followDeclared(target, signal);
      }
      // Grows while it is walked: a follower of Clusters starts others until the signal aborts.
      for (const { ended } of followers) {
        await ended;
      }
      sending.abort();
      await sent;
    },
    get pending() {
      return intake.pending;
    },
    get sources() {
      return followers.map(({ origin: { name, origin }, follower: { state } }) => ({ name, origin, state }));
    },
  };
}
