// The last forwarded version of each source, for watches whose primaries read only a part of their source. Sources change
// often in other parts, such as the counters in the status of a MachineSet.
import { hash } from 'node:crypto';
import type { SourceEvent } from '@capi-serverless/reconciler';
import { setNewest } from '../bounded-map.ts';
import type { WatchRoute } from './watch-set.ts';

/** An entry needs about 250 bytes. */
const capacity = 50_000;

/** Characters of a hash of 72 bits. */
const hashCharacters = 12;

/** What was seen of an object. A deleted object has the version "". */
interface Seen {
  readonly version: string;
  /** Absent without `contentOf`, or without a generation. */
  readonly content?: { readonly text: string; readonly generation: number };
}

export class SeenVersions {
  readonly #known: SeenVersions | undefined;
  readonly #isOrdered: boolean;
  readonly #versions = new Map<string, Seen>();

  /**
   * With `known`, versions are kept apart from it until `commit`, because the messages may not be sent. `isOrdered`: every
   * change of an object arrives, in its order, or a list follows.
   */
  constructor(known?: SeenVersions, { isOrdered = false } = {}) {
    this.#known = known;
    this.#isOrdered = isOrdered;
  }

  /**
   * Records the version and returns whether the event may concern primaries. False if the last event of the object had
   * the same version, or the same content in the generation before. Also false for the first list: all listed primaries
   * are enqueued, and a list after a gap enqueues all primaries that the kind may affect.
   */
  isNews(
    route: Pick<WatchRoute, 'reconciler' | 'versionOf' | 'contentOf'>,
    event: SourceEvent,
    isListed: boolean,
  ): boolean {
    const { uid = '' } = event.object.metadata;
    if (uid === '') {
      return true;
    }
    const key = `${route.reconciler} ${uid}`;
    if (route.versionOf === undefined) {
      return (
        !this.#isOrdered || route.contentOf === undefined || this.#isChange(key, route.contentOf, event) || isListed
      );
    }
    const seen: Seen = event.type === 'DELETED' ? { version: '' } : toSeen(route, route.versionOf, event);
    const before = this.#get(key);
    this.#set(key, seen);
    return before === undefined ? !isListed : before.version !== seen.version && !isUnchangedSince(before, seen);
  }

  /** Before a list, changes may have been missed that were taken back since, so it is always news. */
  #isChange(key: string, contentOf: NonNullable<WatchRoute['contentOf']>, { type, object }: SourceEvent): boolean {
    const version = type === 'DELETED' ? '' : shorten(contentOf(object));
    const before = this.#get(key);
    this.#set(key, { version });
    return before?.version !== version;
  }

  /** The messages of all recorded events were sent. */
  commit(): void {
    const known = this.#known;
    if (known !== undefined) {
      for (const [key, seen] of this.#versions) {
        known.#set(key, seen);
      }
    }
    this.#versions.clear();
  }

  #get(key: string): Seen | undefined {
    const own = this.#versions.get(key);
    return own ?? (this.#known === undefined ? undefined : this.#known.#get(key));
  }

  /** The oldest entry is dropped. Its next event is forwarded. */
  #set(key: string, seen: Seen): void {
    setNewest(this.#versions, key, seen, capacity);
  }
}

function toSeen(
  { contentOf }: Pick<WatchRoute, 'contentOf'>,
  versionOf: NonNullable<WatchRoute['versionOf']>,
  { object }: SourceEvent,
): Seen {
  const version = shorten(versionOf(object));
  const { generation } = object.metadata;
  return contentOf === undefined || generation === undefined
    ? { version }
    : { version, content: { text: shorten(contentOf(object)), generation } };
}

/**
 * The generation counts the changes of the spec. So between two generations in sequence with the same content, there was
 * no other content, also if other events were not received.
 */
function isUnchangedSince({ content: before }: Seen, { content }: Seen): boolean {
  return (
    before !== undefined &&
    content !== undefined &&
    before.text === content.text &&
    content.generation === before.generation + 1
  );
}

function shorten(version: string): string {
  return hash('sha256', version, 'base64url').slice(0, hashCharacters);
}
