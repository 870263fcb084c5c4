// Compares the desired states of generated Clusters with those of upstream's generator.
import type { JsonObject } from '@capi-serverless/apimachinery';
import { desiredStatesOfUpstream, type UpstreamDesiredState } from '../../upstream-manager/webhooks.ts';
import { FoundDifferences } from '../found-differences.ts';
import { differencesOf, toComparable, variablesOf } from './comparable-objects.ts';
import { type DesiredDifference, knownDesiredDifferenceOf } from './desired-differences.ts';
import { type GeneratedCluster, generateClusters } from './generated-clusters.ts';
import { nextDay } from './next-day.ts';
import { type OwnDesiredState, ownDesiredState } from './own-desired-state.ts';
import type { ComparedClass } from './read-classes.ts';

const featureGates = 'ClusterTopology=true,MachineTaintPropagation=true';
const batchSize = 500;

interface DesiredComparison {
  /** The number of Clusters, each before its first reconcile and, if it is valid, after a change. */
  readonly clusters: number;
  /** The number that both sides refuse. */
  readonly refused: number;
  /** The number of desired objects that were compared. */
  readonly objects: number;
  readonly known: Readonly<Record<string, number>>;
  readonly differences: readonly DesiredDifference[];
}

interface CompareOptions {
  readonly program: string;
  readonly count: number;
  readonly seed: string;
}

/** Compares `count` Clusters of the class, twice each. */
export async function compareDesiredStates(
  of: ComparedClass,
  { program, count, seed }: CompareOptions,
): Promise<DesiredComparison> {
  const findings = new DesiredFindings(program);
  for (let at = 0; at < count; at += batchSize) {
    const first = generateClusters(of, `${seed}/${at}`, Math.min(batchSize, count - at));
    const states = await findings.add(first);
    await findings.add(first.flatMap((each, index) => nextDay(each, states[index] ?? {})));
  }
  return findings.result();
}

class DesiredFindings {
  readonly #program: string;
  readonly #found = new FoundDifferences(knownDesiredDifferenceOf);
  #clusters = 0;
  #refused = 0;
  #objects = 0;

  constructor(program: string) {
    this.#program = program;
  }

  /** Returns the states of upstream. */
  async add(clusters: readonly GeneratedCluster[]): Promise<readonly UpstreamDesiredState[]> {
    if (clusters.length === 0) {
      return [];
    }
    const objects = clusters.map(({ cluster, clusterClass, others }) => [cluster, clusterClass, ...others]);
    const theirs = desiredStatesOfUpstream(this.#program, featureGates, objects);
    for (const [index, generated] of clusters.entries()) {
      const state = theirs[index];
      if (state === undefined) {
        throw new Error(`There is no answer about ${generated.name}`);
      }
      this.#compare(generated, state, await ownDesiredState(objects[index] ?? [], featureGates));
    }
    return theirs;
  }

  #compare(generated: GeneratedCluster, theirs: UpstreamDesiredState, ours: OwnDesiredState): void {
    const { name, className } = generated;
    this.#clusters += 1;
    const problems = { theirs: theirs.refused ?? theirs.error, ours: ours.problem };
    if (theirs.objects === undefined || ours.objects === undefined) {
      this.#refused += problems.theirs !== undefined && problems.ours !== undefined ? 1 : 0;
      const isSame = (problems.theirs === undefined) === (problems.ours === undefined);
      if (!isSame) {
        this.#found.add({ cluster: name, className, path: 'refused', ...problems, generated });
      }
      return;
    }
    const sides = toComparable(theirs.objects, ours.objects);
    this.#objects += Object.keys(theirs.objects).length;
    const pairs: readonly (readonly [JsonObject, JsonObject])[] = [
      [sides.theirs, sides.ours],
      [{ topology: variablesOf(theirs.topology) }, { topology: variablesOf(ours.topology) }],
    ];
    for (const difference of pairs.flatMap(([left, right]) => differencesOf(left, right))) {
      this.#found.add({ cluster: name, className, ...difference, generated });
    }
  }

  result(): DesiredComparison {
    return {
      clusters: this.#clusters,
      refused: this.#refused,
      objects: this.#objects,
      ...this.#found.result(),
    };
  }
}
