// Creates Clusters with a topology at the same time, and measures when each reaches its stages.
import { aStoryCluster, firstTopology, namespace, type StoryClass } from '../../test/providers/story-cluster.ts';
import { conditionOf } from '../../test/support/world-client.ts';
import { ObjectWatch } from '../subjects/object-watch.ts';
import type { RequestCounts } from '../subjects/request-log.ts';
import type { Cpu, RunningSubject } from '../subjects/running-subject.ts';

/** Conditions of a Cluster, in the order in which they become true. */
export const stages = ['InfrastructureReady', 'ControlPlaneInitialized', 'Available'] as const;

type StageSpans = Readonly<Record<(typeof stages)[number], number>>;

export interface MeasuredClusters {
  /** The number of Clusters. */
  readonly objects: number;
  /** The milliseconds from the request that creates a Cluster to the event that shows each condition. */
  readonly spans: readonly StageSpans[];
  readonly requests: RequestCounts;
  readonly cpu: Cpu;
}

const kind = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster' } as const;
const limitMs = 1_200_000;

export class TopologyWorkload {
  readonly #running: RunningSubject;
  readonly #watch: ObjectWatch;
  readonly #storyClass: StoryClass;

  private constructor(running: RunningSubject, watch: ObjectWatch, storyClass: StoryClass) {
    this.#running = running;
    this.#watch = watch;
    this.#storyClass = storyClass;
  }

  static async open(running: RunningSubject, storyClass: StoryClass): Promise<TopologyWorkload> {
    const watch = await ObjectWatch.start(running.client, [{ ...kind, namespace }]);
    return new TopologyWorkload(running, watch, storyClass);
  }

  close(): void {
    this.#watch.stop();
  }

  /** Each has one control plane Machine and one worker. They are gone at the end. */
  async measure(count: number): Promise<MeasuredClusters> {
    const { say } = this.#running;
    const names = Array.from({ length: count }, (_, index) => `all-${count}-${index}`);
    const { value, requests, cpu } = await this.#running.measure(() => this.#create(names));
    say(
      `${count} at once: all Available after ${(Math.max(...value.map(({ Available }) => Available)) / 1000).toFixed(1)} s`,
    );
    await this.#remove(names);
    return { objects: count, spans: value, requests, cpu };
  }

  #create(names: readonly string[]) {
    return this.#running.within(
      `${names.length} Clusters to be Available`,
      Promise.all(names.map(name => this.#createOne(name))),
      { state: () => this.#stateOf(names), limitMs },
    );
  }

  async #createOne(name: string): Promise<StageSpans> {
    const arrivals = stages.map(stage =>
      this.#watch.until(objects => conditionOf(objects.get(keyOf(name)), stage) === 'True'),
    );
    const from = performance.now();
    const cluster = aStoryCluster('v1beta2', this.#storyClass, firstTopology);
    await this.#running.client.create({ ...cluster, metadata: { ...cluster.metadata, name } });
    const [infrastructure = Number.NaN, controlPlane = Number.NaN, available = Number.NaN] =
      await Promise.all(arrivals);
    return {
      InfrastructureReady: infrastructure - from,
      ControlPlaneInitialized: controlPlane - from,
      Available: available - from,
    };
  }

  async #remove(names: readonly string[]): Promise<void> {
    await Promise.all(names.map(name => this.#running.client.remove({ ...kind, namespace, name })));
    await this.#running.within(
      `${names.length} Clusters to be gone`,
      this.#watch.until(objects => names.every(name => !objects.has(keyOf(name)))),
      { state: () => `${names.filter(name => this.#watch.objects.has(keyOf(name))).length} are left`, limitMs },
    );
    await this.#running.log.readUntilQuiet();
  }

  #stateOf(names: readonly string[]): string {
    const objects = names.map(name => this.#watch.objects.get(keyOf(name)));
    return stages
      .map(stage => `${objects.filter(object => conditionOf(object, stage) === 'True').length} ${stage}`)
      .join(', ');
  }
}

const keyOf = (name: string): string => `Cluster/${name}`;
