// The last forwarded version of each source, for watches whose primaries read only a part of their source. Sources change
// often in other parts, such as the counters in the status of a MachineSet.
import { hash } from 'node:crypto';
import type { SourceEvent } from '@capi-serverless/reconciler';
import type { WatchRoute } from './watch-set.ts';

/** An entry needs about 200 bytes. */
const capacity = 50_000;

/** Characters of a hash of 72 bits. */
const hashCharacters = 12;

export class SeenVersions {
  readonly #known: SeenVersions | undefined;
  readonly #versions = new Map<string, string>();

  /** With `known`, versions are kept apart from it until `commit`, because the messages may not be sent. */
  constructor(known?: SeenVersions) {
    this.#known = known;
  }

  /**
   * Records the version and returns whether the event may concern primaries. False if the last event of the object had
   * the same version. Also false for the first list: all listed primaries are enqueued, and a list after a gap enqueues
   * all primaries that the kind may affect.
   */
  isNews(
    route: Pick<WatchRoute, 'reconciler' | 'versionOf'>,
    { type, object }: SourceEvent,
    isListed: boolean,
  ): boolean {
    const { uid = '' } = object.metadata;
    if (route.versionOf === undefined || uid === '') {
      return true;
    }
    const key = `${route.reconciler} ${uid}`;
    const version = type === 'DELETED' ? '' : shorten(route.versionOf(object));
    const before = this.#get(key);
    this.#set(key, version);
    return before === undefined ? !isListed : before !== version;
  }

  /** The messages of all recorded events were sent. */
  commit(): void {
    const known = this.#known;
    if (known !== undefined) {
      for (const [key, version] of this.#versions) {
        known.#set(key, version);
      }
    }
    this.#versions.clear();
  }

  #get(key: string): string | undefined {
    const own = this.#versions.get(key);
    return own ?? (this.#known === undefined ? undefined : this.#known.#get(key));
  }

  /** The oldest entry is dropped. Its next event is forwarded. */
  #set(key: string, version: string): void {
    this.#versions.delete(key);
    this.#versions.set(key, version);
    const [oldest] = this.#versions.keys();
    if (this.#versions.size > capacity && oldest !== undefined) {
      this.#versions.delete(oldest);
    }
  }
}

function shorten(version: string): string {
  return hash('sha256', version, 'base64url').slice(0, hashCharacters);
}
