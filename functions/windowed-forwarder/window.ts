// What changed since the run before, of every kind that concerns a reconciler.
import { hash } from 'node:crypto';
import { type Answer, type ApiFailure, answered } from '../../shared/api/answer.ts';
import { type Kind, toApiVersion } from '../../shared/api/object.ts';
import { brokenEvents, sourceEvents, sourceFailures } from '../../shared/event-source/metrics.ts';
import { type KindName, locateProviderKind } from '../../shared/event-source/referenced-kinds.ts';
import {
  type Exits,
  type Origin,
  type RouterOptions,
  routeGap,
  routeSighting,
  type Sighting,
} from '../../shared/event-source/router.ts';
import { clusterName, toKindName, toWatchSet, type WatchSet } from '../../shared/event-source/watch-set.ts';
import { toError } from '../../shared/kernel/errors.ts';
import type { Declaration, Watch } from '../../shared/kernel/types.ts';
import type { Kubernetes } from '../../shared/kubernetes/port.ts';
import { catchUp } from './catch-up.ts';
import { NamedKinds } from './named-kinds.ts';
import type { Place, StoredVersions } from './stored-versions.ts';

export interface WindowOptions extends RouterOptions {
  readonly declarations: readonly Declaration[];
  readonly kubernetes: Kubernetes;
  /** Aborts at the deadline of the invocation. */
  readonly signal: AbortSignal;
}

/** What is known of one kind after the run. */
export interface Outcome {
  /** `Kind.group`, or `referenced.Kind.group`: a kind may be both declared and named by Clusters, for different targets. */
  readonly name: string;
  /** Where the next run goes on; undefined: it begins with a list. */
  readonly place: Place | undefined;
  readonly isListed: boolean;
  /**
   * Why the place is not the present. Referenced kinds are logged only: a Cluster may name a kind that cannot be watched,
   * and its author must not make every run fail.
   */
  readonly failure?: string;
}

interface Source {
  /** Its name in the outcome. */
  readonly name: string;
  readonly origin: Origin;
  readonly as: Watch['as'];
  locate(): Promise<Answer<Kind>>;
}

export class Window {
  /** Stands for all that decides which changes concern whom: a place that was reached under other settings is worthless. */
  readonly settings: string;
  readonly #options: WindowOptions;
  readonly #exits: Exits;
  readonly #watchSet: WatchSet;
  readonly #places: ReadonlyMap<string, Place>;
  readonly #named: NamedKinds;

  constructor(options: WindowOptions, stored: StoredVersions, exits: Exits) {
    this.#options = options;
    this.#exits = exits;
    this.#watchSet = toWatchSet(options.declarations);
    this.settings = toSettings(options, this.#watchSet);
    this.#places = stored.settings === this.settings ? stored.places : new Map();
    this.#named = new NamedKinds({ ...options, watches: options.kubernetes.watches });
  }

  /** Shows what changed to the exits: of declared kinds and known referenced ones, then of those that Clusters name besides. */
  async catchUp(): Promise<readonly Outcome[]> {
    const declared = this.#watchSet.declared.map(({ kind, as, routes }): Source => {
      const name = toKindName(kind);
      return { name, origin: { name, origin: 'declared', routes }, as, locate: async () => answered(kind) };
    });
    const known = [...this.#places.keys()].flatMap(toReferencedKind);
    const sources = [...declared, ...known.map(kind => this.#toReferenced(kind))];
    const outcomes = await Promise.all(sources.map(source => this.#catchUpOne(source)));
    const isComplete = outcomes.some(({ name, isListed }) => name === clusterName && isListed);
    const unnamed = await this.#named.unnamedOf(known.map(toKindName), { isComplete });
    const forgotten = new Set([...unnamed].map(toReferencedName));
    const added = this.#named.all.filter(kind => !this.#places.has(toReferencedName(toKindName(kind))));
    this.#seeGaps(sources, outcomes);
    // No gap here: each Cluster that names such a kind passed by in this run, and is told after the list.
    const more = await Promise.all(added.map(kind => this.#catchUpOne(this.#toReferenced(kind))));
    return [...outcomes.filter(({ name }) => !forgotten.has(name)), ...more];
  }

  /** What was listed was not watched before. Primaries that were listed as well are told one by one, after all lists. */
  #seeGaps(sources: readonly Source[], outcomes: readonly Outcome[]): void {
    const listed = new Set(outcomes.filter(({ isListed }) => isListed).map(({ name }) => name));
    for (const { name, origin } of sources.filter(source => listed.has(source.name))) {
      const routes = origin.routes.filter(({ primary }) => !listed.has(toKindName(primary)));
      routeGap(this.#options, { name, routes }, this.#exits);
    }
  }

  #toReferenced(kind: KindName): Source {
    const routes = this.#watchSet.referenced;
    const name = toKindName(kind);
    return {
      name: toReferencedName(name),
      origin: { name, origin: 'referenced', routes },
      as: routes.some(({ as }) => as === 'object') ? 'object' : 'metadata',
      locate: () => locateProviderKind(this.#options.kubernetes, kind),
    };
  }

  async #catchUpOne(source: Source): Promise<Outcome> {
    const { kubernetes, signal } = this.#options;
    const { name } = source;
    const kind = await source.locate();
    if (!kind.ok) {
      return this.#toFailed(source, kind.failure);
    }
    const { version } = kind.value;
    const place = this.#places.get(name);
    const from = place === undefined || place === 'missing' || place.version !== version ? undefined : place;
    const reached = await catchUp(
      { watches: kubernetes.watches, signal, see: sighting => this.#see(source.origin, sighting) },
      { apiVersion: toApiVersion(kind.value), kind: kind.value.kind, as: source.as },
      from?.resourceVersion,
    );
    if (!reached.ok) {
      return this.#toFailed(source, reached.failure);
    }
    const { resourceVersion, isListed, failure } = reached.value;
    const outcome = { name, place: { version, resourceVersion }, isListed };
    return failure === undefined ? outcome : { ...this.#toFailed(source, failure), ...outcome };
  }

  /** A kind that is not served has no objects; any other stays where it was, and a referenced one is not forgotten. */
  #toFailed({ name, origin }: Source, { reason, message }: ApiFailure): Outcome {
    const { metrics, log } = this.#options;
    const isListed = false;
    if (reason === 'NotFound') {
      return { name, place: 'missing', isListed };
    }
    metrics.count(sourceFailures, { source: origin.name, reason });
    const place = this.#places.get(name);
    if (origin.origin === 'declared') {
      return { name, place, isListed, failure: message };
    }
    log.error('Looking for changes failed', new Error(message), { source: origin.name });
    return { name, place: place ?? 'missing', isListed };
  }

  #see(origin: Origin, sighting: Sighting): void {
    const { metrics, log } = this.#options;
    const { event, cause } = sighting;
    const source = origin.name;
    metrics.count(sourceEvents, { source, type: cause === 'list' ? 'LISTED' : event.type });
    try {
      const isOurs = routeSighting(this.#options, origin, { ...sighting, exits: this.#exits });
      if (isOurs && source === clusterName && this.#watchSet.referenced.length > 0) {
        this.#named.see(event);
      }
    } catch (error) {
      metrics.count(brokenEvents, { source });
      log.error('Reading a change failed', toError(error), { source });
    }
  }
}

function toSettings({ managementCluster, watchFilter }: WindowOptions, { declared, referenced }: WatchSet): string {
  const routes = declared.map(target => [toKindName(target.kind), target.routes.map(({ reconciler }) => reconciler)]);
  const parts = [managementCluster, watchFilter, routes, referenced.map(({ reconciler }) => reconciler)];
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 16);
}

/** No kind begins with a small letter, so no declared kind has such a name. */
const referencedPrefix = 'referenced.';

function toReferencedName(kindName: string): string {
  return `${referencedPrefix}${kindName}`;
}

/** The kind of a name that `toReferencedName` made of `toKindName`; nothing for any other name. */
function toReferencedKind(name: string): readonly KindName[] {
  if (!name.startsWith(referencedPrefix)) {
    return [];
  }
  const [kind = '', ...group] = name.slice(referencedPrefix.length).split('.');
  return [{ group: group.join('.'), kind }];
}
