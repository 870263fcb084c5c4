// Replaces unhealthy Machines: their condition says why they wait or that they are deleted, then they are deleted.
import { type Checked, type Instant, toDisplayName, toRef } from '@capi-serverless/apimachinery';
import { type Action, concluded, failureOf, haveSucceeded, type Outcomes } from '@capi-serverless/reconciler';
import type { WholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import type { Preflight } from '../../../../shared/machine-collections/preflight-scope.ts';
import type { MachineSetPhase } from '../pass-progress.ts';
import {
  blockedState,
  deferredState,
  deletingState,
  type RemediationState,
  refusedState,
  statusPatch,
  withoutRequest,
  withState,
} from './owner-remediated.ts';
import type { RemediationChoice } from './remediation-choice.ts';

/** The time until the next try after a failed preflight check. */
const preflightRequeueMs = 15_000;

const problem = 'failed to reconcile unhealthy machines';

export interface RemediationPhase extends MachineSetPhase {
  /** The names of the Machines that this phase writes. Later phases of the pass do not write them. */
  readonly written: ReadonlySet<string>;
  /** Returns the Machine as it is after this phase. */
  readonly machineAfter: (machine: WholeMachine, outcomes: Outcomes) => WholeMachine;
}

/** Returns whether this pass must make the preflight checks. */
export function remediates(choice: Checked<RemediationChoice>): boolean {
  return choice.ok && choice.value.chosen.length > 0;
}

/** Without the preflight checks, no chosen Machine is changed. */
export function remediationPhase(
  choice: Checked<RemediationChoice>,
  preflight: Preflight | undefined,
  now: Instant,
): RemediationPhase {
  if (!choice.ok) {
    const failed = concluded({ errors: [`${problem}: ${choice.error}`] });
    return { ...failed, written: new Set(), machineAfter: machine => machine };
  }
  const { healed, refused, deferred, chosen, maxInFlight } = choice.value;
  const state = stateOf(preflight);
  const marked = [
    ...refused.map(machine => ({ machine, state: refusedState })),
    ...deferred.map(machine => ({ machine, state: deferredState(maxInFlight) })),
    ...chosen.flatMap(machine => (state === undefined ? [] : [{ machine, state }])),
  ];
  const removals = healed.map(machine => toWrite(machine, withoutRequest(machine)));
  const marks = marked.map(({ machine, state: to }) => toWrite(machine, withState(machine, to, now)));
  const deleted = preflight?.state === 'passed' ? chosen : [];
  return assemble({ removals, marks, deleted, preflight: chosen.length > 0 ? preflight : undefined });
}

/** `undefined` if the checks were not made. */
function stateOf(preflight: Preflight | undefined): RemediationState | undefined {
  switch (preflight?.state) {
    case undefined:
      return undefined;
    case 'passed':
      return deletingState;
    case 'failed':
      return blockedState(preflight.messages);
    case 'error':
      return blockedState([toError(preflight.problem)]);
  }
}

function toError(cause: string): string {
  return `failed to perform "Machine remediation": ${cause}`;
}

interface ConditionWrite {
  readonly id: string;
  readonly machine: WholeMachine;
  readonly after: WholeMachine['status'];
}

function toWrite(machine: WholeMachine, after: WholeMachine['status']): ConditionWrite {
  return { id: `remediation:${machine.metadata.name}`, machine, after };
}

interface Parts {
  readonly removals: readonly ConditionWrite[];
  readonly marks: readonly ConditionWrite[];
  readonly deleted: readonly WholeMachine[];
  readonly preflight: Preflight | undefined;
}

function assemble({ removals, marks, deleted, preflight }: Parts): RemediationPhase {
  const removalActions = removals.flatMap(toAction);
  const removalNeeds = removals.map(({ id }) => ({ id, problem: removalProblem }));
  const areRemoved = (outcomes: Outcomes): boolean => haveSucceeded(removalNeeds, outcomes);
  const markActions = marks.flatMap(toAction).map(action => ({ ...action, when: areRemoved }));
  const deletes = deleted.map((machine): Action => {
    const marked = `remediation:${machine.metadata.name}`;
    return {
      id: deleteId(machine),
      onError: 'continue',
      do: 'delete',
      ref: toRef(machine.object),
      uid: machine.metadata.uid,
      when: outcomes => areRemoved(outcomes) && failureOf(outcomes, marked) === undefined,
    };
  });
  const needs = [
    ...removalNeeds,
    ...marks.map(({ id, machine }) => ({
      id,
      problem: `${problem}: failed to patch Machines: failed to patch Machine ${toDisplayName(machine.metadata)}`,
    })),
    ...deleted.map(machine => ({
      id: deleteId(machine),
      problem: `${problem}: failed to delete unhealthy Machines: failed to delete Machine ${toDisplayName(machine.metadata)}`,
    })),
  ];
  const actions = [...removalActions, ...markActions, ...deletes];
  const writes = new Map([...removals, ...marks].map(write => [write.machine.metadata.name, write]));
  return {
    actions,
    steps: [
      { change: {}, needs },
      {
        change: {
          errors: preflightErrors(preflight),
          ...(preflight?.state === 'failed' ? { requeues: [preflightRequeueMs] } : {}),
          ...(actions.length > 0 ? { again: true as const } : {}),
        },
      },
    ],
    written: new Set(actions.map(({ id }) => id.slice(id.indexOf(':') + 1))),
    machineAfter: (machine, outcomes) => {
      const write = writes.get(machine.metadata.name);
      return write === undefined || failureOf(outcomes, write.id) !== undefined
        ? machine
        : { ...machine, status: write.after };
    },
  };
}

/** The spelling is upstream's. */
const removalProblem = `${problem}: failed to remove OwnerRemediated condition from healhty Machines`;

function deleteId({ metadata }: WholeMachine): string {
  return `remediate:${metadata.name}`;
}

function toAction({ id, machine, after }: ConditionWrite): readonly (Action & { readonly do: 'patch' })[] {
  const body = statusPatch(machine, after);
  return body === undefined
    ? []
    : [
        {
          id,
          onError: 'continue',
          do: 'patch',
          ref: toRef(machine.object),
          subresource: 'status',
          body,
          resourceVersion: machine.metadata.resourceVersion,
        },
      ];
}

function preflightErrors(preflight: Preflight | undefined): readonly string[] {
  return preflight?.state === 'error' ? [`${problem}: ${toError(preflight.problem)}`] : [];
}
