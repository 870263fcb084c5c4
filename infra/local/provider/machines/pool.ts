// The instances of a simulated MachinePool: how many run which version, and what is done next. Pure.
import { compareVersionTexts } from '../../../../shared/contract/version.ts';
import type { VersionCount } from './counts.ts';
import { nameFrom } from './names.ts';

export interface Instance {
  /** Also of its Node. */
  readonly name: string;
  readonly version: string;
}

/** The versions one by one, the newest first: that order says which Node runs which. */
export function expand(versions: readonly VersionCount[]): readonly string[] {
  return versions
    .toSorted((a, b) => compareVersionTexts(b.version, a.version))
    .flatMap(({ version, replicas }) => Array.from({ length: replicas }, () => version));
}

export function toInstances(pool: { readonly name: string; readonly uid: string }, versions: readonly VersionCount[]) {
  return expand(versions).map((version, index): Instance => ({ name: nameFrom(pool.name, pool.uid, index), version }));
}

/** Scaling comes before replacing; each step is about one instance. `undefined`: all is as wanted. */
export function nextVersions(
  versions: readonly VersionCount[],
  wanted: { readonly version: string; readonly replicas: number },
): readonly VersionCount[] | undefined {
  const running = expand(versions);
  if (running.length < wanted.replicas) {
    return count([...running, wanted.version]);
  }
  // The oldest stand last.
  if (running.length > wanted.replicas) {
    return count(running.slice(0, -1));
  }
  const place = running.findLastIndex(version => version !== wanted.version);
  return place < 0 ? undefined : count(running.with(place, wanted.version));
}

function count(running: readonly string[]): readonly VersionCount[] {
  return [...new Set(running)]
    .map(version => ({ version, replicas: running.filter(each => each === version).length }))
    .toSorted((a, b) => compareVersionTexts(a.version, b.version));
}
