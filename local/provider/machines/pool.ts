// The instances of a SimulatedMachinePool: the number per version, and the next step. Pure.
import { type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { compareVersionTexts } from '@capi-serverless/cluster-api/contract';
import type { VersionCount } from './counts.ts';
import { nameFrom } from './generated-names.ts';
import { numberAt, textAt } from './read.ts';

interface Instance {
  /** The name of the instance is also the name of its Node. */
  readonly name: string;
  readonly version: string;
}

/** The instances that run, by version. Each of them has a Node. */
export function instancesIn(pool: Unstructured): readonly VersionCount[] {
  const list = valueAt(pool, 'status.instances');
  return (Array.isArray(list) ? list : []).map(item => ({
    version: textAt(item, 'version'),
    replicas: numberAt(item, 'replicas') ?? 0,
  }));
}

/** The version of each instance, newest first. The order assigns versions to Nodes. */
function expand(versions: readonly VersionCount[]): readonly string[] {
  return versions
    .toSorted((a, b) => compareVersionTexts(b.version, a.version))
    .flatMap(({ version, replicas }) => Array.from({ length: replicas }, () => version));
}

export function toInstances(pool: { readonly name: string; readonly uid: string }, versions: readonly VersionCount[]) {
  return expand(versions).map((version, index): Instance => ({ name: nameFrom(pool.name, pool.uid, index), version }));
}

export function providerIdOf({ metadata }: Pick<Unstructured, 'metadata'>, instance: string): string {
  return `simulated://${metadata.namespace}/${instance}`;
}

/**
 * Scaling has precedence over replacing. Each step changes one instance. Returns `undefined` if nothing must change.
 */
export function nextVersions(
  versions: readonly VersionCount[],
  wanted: { readonly version: string; readonly replicas: number },
): readonly VersionCount[] | undefined {
  const running = expand(versions);
  if (running.length < wanted.replicas) {
    return count([...running, wanted.version]);
  }
  // The oldest instances are last.
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
