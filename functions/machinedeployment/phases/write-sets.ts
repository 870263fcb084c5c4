// The applies of MachineSets, and their errors and Events.
import { toDisplayName } from '@capi-serverless/apimachinery';
import { type Action, type EventDraft, failureOf, type Outcomes } from '@capi-serverless/reconciler';
import { appliesWithoutChange } from '../../../shared/server-side-apply/certain.ts';
import type { SetWrite } from '../plan/plan-sets.ts';
import { setManager } from '../plan/sets/desired-set.ts';

export function applyId(set: string): string {
  return `apply:${set}`;
}

/** Whether the apply may change something. */
export function isNeeded({ set, intent }: SetWrite): boolean {
  return set === undefined || appliesWithoutChange(intent, set.object, setManager) === 'unknown';
}

/** If one apply fails, the later MachineSets keep their state. The next pass makes another plan. */
export function applyActions(writes: readonly SetWrite[], isPaused: boolean): readonly Action[] {
  return writes.filter(isNeeded).map((write): Action => {
    const event = eventOf(write, isPaused);
    return {
      id: applyId(write.name),
      onError: 'stop',
      do: 'apply',
      object: write.intent,
      manager: setManager,
      uid: write.set?.metadata.uid,
      // Another invocation may have created the MachineSet and scaled it since the MachineSets were listed.
      ...(write.set === undefined ? { onlyCreate: true } : {}),
      ...(event === undefined ? {} : { toEvent: () => event }),
    };
  });
}

function eventOf(write: SetWrite, isPaused: boolean): EventDraft | undefined {
  const { name, set, before, after } = write;
  const full = fullNameOf(write);
  if (set === undefined) {
    return normal('SuccessfulCreate', `Created MachineSet ${full} with ${after} replicas`);
  }
  if (before === after) {
    return undefined;
  }
  const change = `${before} -> ${after}`;
  if (isPaused) {
    return normal('SuccessfulScale', `Scaled MachineSet ${full}: ${change}`);
  }
  return normal('SuccessfulScale', `Scaled ${after > before ? 'up' : 'down'} MachineSet ${name}: ${change}`);
}

function normal(reason: string, message: string): EventDraft {
  return { type: 'Normal', reason, message };
}

function fullNameOf({ intent }: SetWrite): string {
  return toDisplayName(intent.metadata);
}

export interface WriteProblem {
  readonly event: EventDraft;
  readonly error: string;
}

/** Returns the failed apply. No later apply is sent. */
export function writeProblem(
  writes: readonly SetWrite[],
  isPaused: boolean,
  outcomes: Outcomes,
): WriteProblem | undefined {
  for (const write of writes) {
    const failure = failureOf(outcomes, applyId(write.name));
    if (failure !== undefined) {
      return toProblem(write, isPaused, failure.message);
    }
  }
  return undefined;
}

function toProblem(write: SetWrite, isPaused: boolean, message: string): WriteProblem {
  const { set, before, after } = write;
  const full = fullNameOf(write);
  if (set !== undefined && isPaused && before !== after) {
    return { event: warning('FailedScale', `Failed to scale MachineSet ${full}: ${message}`), error: message };
  }
  const [reason, verb] = set === undefined ? ['FailedCreate', 'create'] : ['FailedUpdate', 'update'];
  const problem = `failed to apply MachineSet: ${message}`;
  return {
    event: warning(reason, `Failed to ${verb} MachineSet ${full}: ${problem}`),
    error: `failed to ${verb} MachineSet ${full}: ${problem}`,
  };
}

function warning(reason: string, message: string): EventDraft {
  return { type: 'Warning', reason, message };
}
