// The settled states that upstream's controllers left in the scenarios of Machines and their collections.
import { recordedTime } from './adopted-state.ts';
import { readFamilyScenarios, readResult } from './corpus.ts';
import { type RecordedSnapshot, toSettledSnapshots } from './recorded-state.ts';
import { completeWorkload } from './recorded-workload.ts';

export interface AdoptedSnapshot extends RecordedSnapshot {
  readonly scenario: string;
}

interface ReadOptions {
  /** The states with an object of one of these kinds are returned. */
  readonly kinds: readonly string[];
  /** The apiVersion of each kind of a recording. */
  readonly apiVersions: ReadonlyMap<string, string>;
  /** Each state has a namespace with this prefix. */
  readonly prefix: string;
  /** Whether the states contain the objects of their workload clusters. */
  readonly withWorkload: boolean;
}

export function readAdoptedSnapshots({
  kinds,
  apiVersions,
  prefix,
  withWorkload,
}: ReadOptions): readonly AdoptedSnapshot[] {
  return readFamilyScenarios()
    .flatMap(scenario =>
      toSettledSnapshots(readResult(scenario), {
        apiVersions,
        namespace: `${prefix}${scenario.id}`,
        time: recordedTime,
        ...(withWorkload ? { complete: (name, objects) => completeWorkload(scenario.steps, name, objects) } : {}),
      }).map(snapshot => ({ scenario: scenario.folder, ...snapshot })),
    )
    .filter(({ objects }) => objects.some(({ kind }) => kinds.includes(kind)));
}
