// Merges the changes for one target into one message that contains all of them. Pure.
import { type MessageCause, maxSources } from '../workqueue/message.ts';
import { isOlderVersion } from './resource-version.ts';

/** One version of an object, as a watch or a list returned it. */
interface SeenVersion {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** A change to send to the target with this `key`. */
export interface Arrival<Target> {
  readonly key: string;
  readonly target: Target;
  readonly cause: MessageCause;
  /** `undefined` if the version of the object is not known. */
  readonly source: SeenVersion | undefined;
  /** The version of the part of the object that its primaries read. Default: they read all of it. */
  readonly part?: string;
}

/** The changes that one message covers. */
export interface ChangeBundle<Target> {
  readonly key: string;
  readonly target: Target;
  /** 'event' if all changes are events. Otherwise the first other cause. */
  readonly cause: MessageCause;
  /** The highest version per uid. At most `maxSources` items. */
  readonly sources: ReadonlyMap<string, SeenVersion>;
  /** True if there are more sources than listed. */
  readonly many: boolean;
}

export function toBundle<Target>({ key, target, cause, source }: Arrival<Target>): ChangeBundle<Target> {
  const sources = new Map(source === undefined ? [] : [[source.uid, source]]);
  return { key, target, cause, sources, many: false };
}

/** Merges both bundles into one message with the target of the earlier one. */
export function mergeBundles<Target>(
  earlier: ChangeBundle<Target> | undefined,
  later: ChangeBundle<Target>,
): ChangeBundle<Target> {
  if (earlier === undefined) {
    return later;
  }
  const sources = new Map(earlier.sources);
  let many = earlier.many || later.many;
  for (const [uid, source] of later.sources) {
    const known = sources.get(uid);
    if (known !== undefined) {
      sources.set(uid, newest(known, source));
    } else if (sources.size < maxSources) {
      sources.set(uid, source);
    } else {
      many = true;
    }
  }
  return { ...earlier, cause: earlier.cause === 'event' ? later.cause : earlier.cause, sources, many };
}

function newest(known: SeenVersion, seen: SeenVersion): SeenVersion {
  return isOlderVersion(seen.resourceVersion, known.resourceVersion) ? known : seen;
}
