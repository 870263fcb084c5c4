// The only memory of a Machine between its passes: when its connection, the deletion of its Node and the look-up of its
// Node failed first. One annotation of the Machine contains the times
// (docs/decisions/0064-memory-of-machines.md).
import { type Instant, isJsonObject, toRef } from '@capi-serverless/apimachinery';
import { instantOf, toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import { type Action, changesAfter, type Outcomes } from '@capi-serverless/reconciler';
import { failingSinceAnnotation } from '../../../shared/api/cluster/remote-connection.ts';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import {
  type FailureChange,
  type FailureKind,
  failureKinds,
  type MachineChange,
  type MachinePhase,
  type MachineStep,
} from './pass-progress.ts';
import type { MachineScope } from './scope.ts';

/** The annotation has the name of the one of a Cluster. Its value is a JSON object. */
export const firstFailuresAnnotation = failingSinceAnnotation;

export const storeFailuresId = 'machine:first-failures';

export type FirstFailures = Readonly<Partial<Record<FailureKind, Instant>>>;

/** Never throws. A value that cannot be read counts as absent. */
export function readFirstFailures({ metadata }: Pick<WholeMachine, 'metadata'>): FirstFailures {
  const stored = parse(metadata.annotations[firstFailuresAnnotation] ?? '');
  const times = failureKinds.map(kind => {
    const text = stored[kind];
    return [kind, typeof text === 'string' ? instantOf(text) : undefined] as const;
  });
  return Object.fromEntries(times.filter(([, time]) => time !== undefined));
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Stores what changed in this pass. The changes of a deletion follow those of the connection. */
export function firstFailuresPhase(scope: MachineScope): MachinePhase {
  const { machine, deletion } = scope;
  const steps = [{ change: { firstFailures: recovered(scope) } }, ...(deletion?.steps ?? [])];
  // The error of the write follows those of all other phases.
  return { actions: storeFailuresActions(machine, steps), steps: [] };
}

/** Remembers the first failure of the connection, if nothing probes Clusters, and forgets the failures that are over. */
function recovered({ isAsked, lookup, settings, machine, now }: MachineScope): FailureChange {
  const { connection } = readFirstFailures(machine);
  const isAnswered = isAsked && lookup.state !== 'aborted';
  const isFailing = lookup.state === 'notConnected';
  const since = settings.probesRemote || !isFailing ? null : (connection ?? now);
  return {
    ...(isAnswered || settings.probesRemote ? { connection: since } : {}),
    ...(isAnswered && !isFailing && lookup.state !== 'failed' ? { nodeLookup: null } : {}),
  };
}

/** Returns the write that stores the changes of all steps. It is skipped if the stored times stay the same. */
export function storeFailuresActions(machine: WholeMachine, steps: readonly MachineStep[]): readonly Action[] {
  const stored = machine.metadata.annotations[firstFailuresAnnotation];
  const valueAfter = (outcomes: Outcomes) => toValue(readFirstFailures(machine), changeOf(steps, outcomes), stored);
  return [
    {
      id: storeFailuresId,
      onError: 'continue',
      do: 'patch',
      ref: toRef(machine.object),
      body: outcomes => ({ metadata: { annotations: { [firstFailuresAnnotation]: valueAfter(outcomes) ?? null } } }),
      when: outcomes => valueAfter(outcomes) !== stored,
    },
  ];
}

function changeOf(steps: readonly MachineStep[], outcomes: Outcomes): FailureChange {
  const changes: readonly MachineChange[] = changesAfter(steps, outcomes);
  return Object.assign({}, ...changes.map(({ firstFailures }) => firstFailures ?? {}));
}

/** Without a change, the stored text stays as it is. */
function toValue(before: FirstFailures, change: FailureChange, stored: string | undefined): string | undefined {
  const after: FailureChange = { ...before, ...change };
  if (failureKinds.every(kind => (after[kind] ?? undefined) === before[kind])) {
    return stored;
  }
  const times = failureKinds.flatMap(kind => {
    const time = after[kind] ?? undefined;
    return time === undefined ? [] : [[kind, toWholeSecond(time)] as const];
  });
  return times.length === 0 ? undefined : JSON.stringify(Object.fromEntries(times));
}

/** Rounds up, so that no wait since this time is too short. */
function toWholeSecond(time: Instant): string {
  return toTimestamp(Math.ceil(time / 1000) * 1000);
}
