// Reads the changes since the previous run for every kind that affects a reconciler.
import { hash } from 'node:crypto';
import {
  type Answer,
  type ApiFailure,
  answered,
  type GroupKind,
  type Kind,
  type Kubernetes,
  toApiVersion,
} from '@capi-serverless/apimachinery';
import { type Declaration, toError, type Watch } from '@capi-serverless/reconciler';
import { FollowedKinds } from '../../shared/event-source/followed-kinds.ts';
import { locateProviderKind } from '../../shared/event-source/referenced-kinds.ts';
import {
  type ChangeReceiver,
  type Origin,
  type ReceivedEvent,
  type RouterOptions,
  routeEvent,
  routeGap,
} from '../../shared/event-source/router.ts';
import { brokenEvents, sourceEvents, sourceFailures } from '../../shared/event-source/source-metrics.ts';
import {
  type Referrer,
  toKindName,
  toReading,
  toWatchSet,
  type WatchSet,
} from '../../shared/event-source/watch-set.ts';
import { catchUp } from './catch-up.ts';
import type { StoredVersion, StoredVersions } from './stored-versions.ts';

export interface WindowOptions extends RouterOptions {
  readonly declarations: readonly Declaration[];
  readonly kubernetes: Kubernetes;
  /** Aborts at the deadline of the invocation. */
  readonly signal: AbortSignal;
}

/** The result of one kind. */
export interface KindOutcome {
  /**
   * `Kind.group`, or `referenced.Referrer.Kind.group`, as in `referenced.Cluster.AWSCluster.group`. A kind may be both
   * declared and referenced, with different routes.
   */
  readonly name: string;
  /** The position at which the next run resumes. If undefined, the next run lists all objects. */
  readonly stored: StoredVersion | undefined;
  readonly isListed: boolean;
  /**
   * The reason why the version is not the current one. Failures of referenced kinds are only logged. An object may
   * reference a kind that cannot be watched, and this must not make every run fail.
   */
  readonly failure?: string;
}

interface Source {
  /** The name of the kind in the outcome. */
  readonly name: string;
  readonly origin: Origin;
  readonly as: Watch['as'];
  readonly parts?: readonly string[] | undefined;
  locate(): Promise<Answer<Kind>>;
}

/** The kinds that the objects of one kind reference. */
interface Referenced {
  readonly referrer: Referrer;
  /** The kinds in the stored versions. */
  readonly known: readonly GroupKind[];
  readonly followed: FollowedKinds;
}

export class WatchWindow {
  /** A hash of all settings that affect the mapping of changes. Versions with another hash are ignored. */
  readonly settings: string;
  readonly #options: WindowOptions;
  readonly #exits: ChangeReceiver;
  readonly #watchSet: WatchSet;
  readonly #versions: ReadonlyMap<string, StoredVersion>;
  readonly #referenced: readonly Referenced[];

  constructor(options: WindowOptions, stored: StoredVersions, exits: ChangeReceiver) {
    this.#options = options;
    this.#exits = exits;
    this.#watchSet = toWatchSet(options.declarations);
    this.settings = toSettings(options, this.#watchSet);
    this.#versions = stored.settings === this.settings ? stored.versions : new Map();
    const { watches } = options.kubernetes;
    this.#referenced = this.#watchSet.referrers.map(referrer => {
      const known = [...this.#versions.keys()].flatMap(name => toReferencedKind(referrer, name));
      return { referrer, known, followed: new FollowedKinds({ ...options, referrer, watches, known }) };
    });
  }

  /** Reads declared kinds and known referenced kinds first, then kinds that are referenced for the first time. */
  async catchUp(): Promise<readonly KindOutcome[]> {
    const declared = this.#watchSet.declared.map(({ kind, as, parts, routes }): Source => {
      const name = toKindName(kind);
      return { name, origin: { name, origin: 'declared', routes }, as, parts, locate: async () => answered(kind) };
    });
    const known = this.#referenced.flatMap(one => one.known.map(kind => this.#toReferenced(one, kind)));
    const sources = [...declared, ...known];
    const outcomes = await Promise.all(sources.map(source => this.#catchUpOne(source)));
    const changes = await Promise.all(this.#referenced.map(one => this.#tidy(one, outcomes)));
    const dropped = new Set(changes.flatMap(one => one.dropped));
    this.#seeGaps(sources, outcomes);
    // There is no gap. Each object that references such a kind was read in this run and is enqueued after the list.
    const more = await this.#catchUpAdded(changes.flatMap(({ added }) => added));
    return [...outcomes.filter(({ name }) => !dropped.has(name)), ...more];
  }

  /** A kind that no provider defines may give its place to another one. Each kind is read at most once. */
  async #catchUpAdded(added: readonly Source[]): Promise<readonly KindOutcome[]> {
    const outcomes: KindOutcome[] = [];
    for (let sources = added; sources.length > 0; ) {
      outcomes.push(...(await Promise.all(sources.map(source => this.#catchUpOne(source)))));
      const done = new Set(outcomes.map(({ name }) => name));
      sources = this.#referenced.flatMap(one => this.#addedOf(one)).filter(({ name }) => !done.has(name));
    }
    const followed = new Set(this.#referenced.flatMap(one => this.#addedOf(one)).map(({ name }) => name));
    return outcomes.filter(({ name }) => followed.has(name));
  }

  /** Returns the outcomes of kinds that are not referenced any more, and the sources of kinds that were not known. */
  async #tidy(
    { referrer, known, followed }: Referenced,
    outcomes: readonly KindOutcome[],
  ): Promise<{ readonly dropped: readonly string[]; readonly added: readonly Source[] }> {
    const isComplete = outcomes.some(({ name, isListed }) => name === referrer.name && isListed);
    await followed.tidy({ isComplete, signal: this.#options.signal });
    const { all } = followed;
    const gone = known.filter(kind => !all.has(toKindName(kind)));
    return {
      dropped: gone.map(kind => toReferencedName(referrer, kind)),
      added: this.#addedOf({ referrer, followed }),
    };
  }

  /** Returns the followed kinds that no earlier run followed. */
  #addedOf({ referrer, followed }: Pick<Referenced, 'referrer' | 'followed'>): readonly Source[] {
    return [...followed.all.values()]
      .filter(kind => !this.#versions.has(toReferencedName(referrer, kind)))
      .map(kind => this.#toReferenced({ referrer, followed }, kind));
  }

  /** A listed kind has a gap before the list. Its listed primaries are enqueued one by one. */
  #seeGaps(sources: readonly Source[], outcomes: readonly KindOutcome[]): void {
    const listed = new Set(outcomes.filter(({ isListed }) => isListed).map(({ name }) => name));
    for (const { name, origin } of sources.filter(source => listed.has(source.name))) {
      const routes = origin.routes.filter(({ primary }) => !listed.has(toKindName(primary)));
      routeGap(this.#options, { name, routes }, this.#exits);
    }
  }

  #toReferenced({ referrer, followed }: Pick<Referenced, 'referrer' | 'followed'>, kind: GroupKind): Source {
    const { routes, as } = referrer;
    return {
      name: toReferencedName(referrer, kind),
      origin: { name: toKindName(kind), origin: 'referenced', routes },
      as,
      locate: async () => {
        const located = await locateProviderKind(this.#options.kubernetes, kind);
        followed.located(kind, located);
        return located;
      },
    };
  }

  async #catchUpOne(source: Source): Promise<KindOutcome> {
    const { kubernetes, signal } = this.#options;
    const { name } = source;
    const kind = await source.locate();
    if (!kind.ok) {
      return this.#toFailed(source, kind.failure);
    }
    const { version } = kind.value;
    const stored = this.#versions.get(name);
    const from = stored === undefined || stored === 'missing' || stored.version !== version ? undefined : stored;
    const reached = await catchUp(
      { watches: kubernetes.watches, signal, see: received => this.#see(source.origin, received) },
      { apiVersion: toApiVersion(kind.value), kind: kind.value.kind, ...toReading(source) },
      from?.resourceVersion,
    );
    if (!reached.ok) {
      return this.#toFailed(source, reached.failure);
    }
    const { resourceVersion, isListed, failure } = reached.value;
    const outcome = { name, stored: { version, resourceVersion }, isListed };
    return failure === undefined ? outcome : { ...this.#toFailed(source, failure), ...outcome };
  }

  /** A kind that is not served has no objects. Other kinds keep their version. A referenced kind stays known. */
  #toFailed({ name, origin }: Source, { reason, message }: ApiFailure): KindOutcome {
    const { metrics, log } = this.#options;
    const isListed = false;
    if (reason === 'NotFound') {
      return { name, stored: 'missing', isListed };
    }
    metrics.count(sourceFailures, { source: origin.name, reason });
    const stored = this.#versions.get(name);
    if (origin.origin === 'declared') {
      return { name, stored, isListed, failure: message };
    }
    log.error('Reading changes failed', new Error(message), { source: origin.name });
    return { name, stored: stored ?? 'missing', isListed };
  }

  #see(origin: Origin, received: ReceivedEvent): void {
    const { metrics, log } = this.#options;
    const { event, cause } = received;
    const source = origin.name;
    metrics.count(sourceEvents, { source, type: cause === 'list' ? 'LISTED' : event.type });
    try {
      const isOurs = routeEvent(this.#options, origin, { ...received, exits: this.#exits });
      if (isOurs && origin.origin === 'declared') {
        this.#referenced.find(({ referrer }) => referrer.name === source)?.followed.see(event, cause);
      }
    } catch (error) {
      metrics.count(brokenEvents, { source });
      log.error('Reading a change failed', toError(error), { source });
    }
  }
}

function toSettings({ managementCluster, watchFilter }: WindowOptions, { declared, referrers }: WatchSet): string {
  const all = [...declared, ...referrers];
  const routes = all.map(target => [toKindName(target.kind), target.routes.map(({ reconciler }) => reconciler)]);
  const parts = [managementCluster, watchFilter, routes];
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 16);
}

/** Kinds start with a capital letter, so no declared kind has this prefix. */
const referencedPrefix = 'referenced.';

function toReferencedName(referrer: Referrer, kind: GroupKind): string {
  return `${referencedPrefix}${referrer.kind.kind}.${toKindName(kind)}`;
}

/** Reverses `toReferencedName`. Empty for other names. */
function toReferencedKind(referrer: Referrer, name: string): readonly GroupKind[] {
  const prefix = `${referencedPrefix}${referrer.kind.kind}.`;
  if (!name.startsWith(prefix)) {
    return [];
  }
  const [kind = '', ...group] = name.slice(prefix.length).split('.');
  return [{ group: group.join('.'), kind }];
}
