// A stage of the local run in which requests are counted. Stages of one run follow each other. Each uses objects of its
// own, and the objects of earlier stages are settled or deleted.
import type { RecordedInvocation } from '../../support/facts.ts';
import type { LocalRun, RecordedFact } from '../../support/local-run.ts';
import { quietAfter } from '../../support/quiet.ts';
import type { WorldClient } from '../../support/world-client.ts';

/** The requests of one invocation. */
export type CountedRequests = RecordedInvocation['requests'];

export interface CountedRun {
  readonly run: LocalRun;
  readonly client: WorldClient;
}

/** Plays a stage. Returns its facts. `name` is unique in the run. */
export async function factsOfStage(
  { run, client }: CountedRun,
  name: string,
  play: () => Promise<unknown>,
): Promise<readonly RecordedFact[]> {
  const before = run.facts().length;
  await play();
  // The fact of an invocation follows the log line of its reconcile.
  await quietAfter(run, client, name);
  return run.facts().slice(before);
}
