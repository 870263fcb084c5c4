// What several changes of one object become: one message that names all it stands for. Pure.
import { type Cause, maxSources } from '../workqueue/message.ts';
import { isOlderVersion } from './resource-version.ts';

/** One object in one version, as a watch or a list showed it. */
export interface SeenVersion {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Something to tell the target named by `key`. */
export interface Arrival<Target> {
  readonly key: string;
  readonly target: Target;
  readonly cause: Cause;
  /** Absent when what was seen had no version. */
  readonly source: SeenVersion | undefined;
}

/** Everything that one message stands for. */
export interface Bundle<Target> {
  readonly key: string;
  readonly target: Target;
  /** 'event' only if every arrival was one; otherwise the first other cause. */
  readonly cause: Cause;
  /** By uid, each in its highest version; at most `maxSources`. */
  readonly sources: ReadonlyMap<string, SeenVersion>;
  /** More sources than are named. */
  readonly many: boolean;
}

export function toBundle<Target>({ key, target, cause, source }: Arrival<Target>): Bundle<Target> {
  const sources = new Map(source === undefined ? [] : [[source.uid, source]]);
  return { key, target, cause, sources, many: false };
}

/** Both as one message; the target is that of the earlier. */
export function mergeBundles<Target>(earlier: Bundle<Target> | undefined, later: Bundle<Target>): Bundle<Target> {
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
