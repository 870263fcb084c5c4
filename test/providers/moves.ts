// A Cluster that moves from the functions to upstream's manager and back, at rest and in the middle of a rollout.
import type { Unstructured } from '@capi-serverless/apimachinery';
import { beforeAll, expect, it } from 'vitest';
import { errorsOf, type LocalRun } from '../support/local-run.ts';
import type { StoryEndState } from './end-state.ts';
import type { StoryRig } from './rig.ts';
import { annotated, changed, deleted, newVersion, upgraded } from './stories.ts';
import { currentClient, type StoryClient } from './story-clients.ts';
import { firstTopology, type StoryTopology } from './story-cluster.ts';
import type { StoryLog } from './story-log.ts';

interface Moves {
  readonly rig: () => StoryRig;
  /** The run of the functions, or the last one. */
  readonly run: () => LocalRun;
  /** From the manager to the functions. */
  readonly handOver: () => Promise<void>;
  /** From the functions to the manager. */
  readonly giveBack: () => Promise<void>;
  readonly log: () => StoryLog;
  /** The end of a story with the manager alone. */
  readonly endStateOf: (story: string) => StoryEndState;
}

interface Rest {
  readonly move: () => Promise<void>;
  readonly view: (object: Unstructured) => object;
}

/**
 * Without the owners of fields. Upstream's applies own a few fields more: see decisions 0057 (finalizers of MachineSets) and
 * 0058 (annotations of the objects of Machines).
 */
function withoutOwners({ metadata, ...object }: Unstructured): object {
  return { ...object, metadata: { ...metadata, managedFields: [], resourceVersion: '' } };
}

/** The functions run before the first move and after the last one. */
export function declareMoves({ rig, run, handOver, giveBack, log: startLog, endStateOf }: Moves): void {
  let log: StoryLog;
  let client: StoryClient;

  beforeAll(async () => {
    log = startLog();
    client = currentClient(rig());
    await client.create(firstTopology);
    await rig().reach(firstTopology);
  });

  /** No object changes, whatever the next core reads and reports. `view` returns what is compared of an object. */
  async function expectNoChange(name: string, topology: StoryTopology, { move, view }: Rest): Promise<void> {
    const read = async (): Promise<ReadonlyMap<string, object>> =>
      new Map((await rig().settle(topology)).map(object => [`${object.kind} ${object.metadata.name}`, view(object)]));
    const before = await read();
    await log.run(name, topology, move);
    expect(await read()).toEqual(before);
    expect(errorsOf(run())).toBe('');
  }

  /** The Cluster ends as in the story, where no core was replaced. */
  async function expectSameEnd(story: string, topology: StoryTopology, move: () => Promise<void>): Promise<void> {
    await log.run(story, topology, async () => {
      await rig().untilNewMachine(() => client.change(topology));
      await move();
    });
    expect(log.endStateOf(story)).toEqual(endStateOf(story));
    expect(errorsOf(run())).toBe('');
  }

  it('the manager finds nothing to do in a Cluster of the functions', () =>
    expectNoChange('the manager begins', firstTopology, { move: giveBack, view: withoutOwners }));

  it('the functions finish an upgrade of the manager', () => expectSameEnd(upgraded, newVersion, handOver));

  it('the manager finishes a rollout of the functions', () => expectSameEnd(changed, annotated, giveBack));

  it('the functions find nothing to do in a Cluster of the manager', () =>
    expectNoChange('the functions begin', annotated, { move: handOver, view: object => object }));

  it(deleted, () => log.run(deleted, undefined, client.remove));
}
