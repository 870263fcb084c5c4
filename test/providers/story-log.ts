// What the stories of one core cost, and how they end. A core is the program that reconciles the kinds of Cluster API.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type RequestCounts, RequestLog } from '../../bench/subjects/request-log.ts';
import { type StoryEndState, toDescription, toEndState } from './end-state.ts';
import type { StoryRig } from './rig.ts';
import type { StoryTopology } from './story-cluster.ts';

interface MeasuredStory {
  /** From the change of the topology until the Cluster has it. */
  readonly seconds: number;
  /** The requests of the core until it sends no more. */
  readonly requests: RequestCounts;
  readonly endState: StoryEndState;
}

const writes = /^(create|update|patch|delete|deletecollection) /;

const total = (requests: RequestCounts, counts: (request: string) => boolean): number =>
  [...requests].reduce((sum, [request, count]) => (counts(request) ? sum + count : sum), 0);

export class StoryLog {
  readonly #rig: StoryRig;
  readonly #folder: string;
  readonly #requests: RequestLog;
  readonly #measured = new Map<string, MeasuredStory>();

  /** `users` send the requests of the core. The end states and the requests are also written to the folder. */
  constructor(rig: StoryRig, users: readonly string[], folder: string) {
    this.#rig = rig;
    this.#folder = folder;
    this.#requests = new RequestLog(rig.installation.controlPlane.auditLogPath, ...users);
  }

  /** Changes the Cluster, and waits until nothing changes any more. */
  async run(story: string, topology: StoryTopology | undefined, change: () => Promise<unknown>): Promise<void> {
    this.#requests.read();
    const startedAt = performance.now();
    await change();
    await this.#rig.reach(topology);
    const seconds = (performance.now() - startedAt) / 1000;
    const requests = await this.#requests.readUntilQuiet();
    const objects = toEndState(await this.#rig.settle(topology));
    const description = topology === undefined ? [] : toDescription(await this.#rig.describe());
    const endState = [...objects, { kind: 'clusterctl describe', lines: description }];
    this.#measured.set(story, { seconds, requests, endState });
    mkdirSync(this.#folder, { recursive: true });
    writeFileSync(path.join(this.#folder, `${story}.json`), JSON.stringify(endState, undefined, 2));
    const counts = [...requests].toSorted(([, a], [, b]) => b - a).map(([request, count]) => `${count} ${request}\n`);
    writeFileSync(path.join(this.#folder, `${story}.requests.txt`), counts.join(''));
  }

  /** Throws if the story was not run. */
  endStateOf(story: string): StoryEndState {
    const measured = this.#measured.get(story);
    if (measured === undefined) {
      throw new Error(`"${story}" was not run`);
    }
    return measured.endState;
  }

  /** Returns a line for each story, and one for all. */
  lines(): readonly string[] {
    const rows = [...this.#measured].map(([story, { seconds, requests }]) => ({
      story,
      seconds,
      all: total(requests, () => true),
      writes: total(requests, request => writes.test(request)),
    }));
    const sum = (of: 'seconds' | 'all' | 'writes'): number => rows.reduce((before, row) => before + row[of], 0);
    const whole = { story: 'all stories', seconds: sum('seconds'), all: sum('all'), writes: sum('writes') };
    return [...rows, whole].map(
      row => `  ${row.story}: ${row.seconds.toFixed(1)} s, ${row.all} requests, ${row.writes} writes`,
    );
  }

  close(): void {
    this.#requests.close();
  }
}
