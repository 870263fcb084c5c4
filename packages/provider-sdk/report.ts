import type { Instant, Unstructured } from '@capi-serverless/apimachinery';
import { hasCondition } from '@capi-serverless/cluster-api/conditions';
import {
  isValidEndpoint,
  providerPaths,
  readEndpoint,
  valueOr,
  zeroEndpoint,
} from '@capi-serverless/cluster-api/contract';
import type { Outcomes, Report, Result } from '@capi-serverless/reconciler';
import type { CallEnd } from './call.ts';
import { type ActuatorSeen, actionIds, deleteOutcomeOf, publicationOf } from './decide.ts';
import { type StatusDraft, statusOf, withCondition, withOwnStatus, withValue } from './draft.ts';
import { describe, type Failed, failedBy } from './failed.ts';
import { conditionsOf } from './provider-observation.ts';
import { reasonPattern } from './results.ts';
import type { ConditionState, DeleteOutcome, ProviderRole, Publication } from './role.ts';

/** The delay between steps of a deletion if the author requests none. */
const deleteDelayMs = 5_000;

const done: Result = { kind: 'done' };

type Reporting = Pick<ProviderRole, 'contract' | 'endpoint' | 'verdicts'>;

export function reportPass(
  { object, observation }: ActuatorSeen,
  outcomes: Outcomes,
  { now, role }: { readonly now: Instant; readonly role: Reporting },
): Report {
  if (observation.step === 'unreadable') {
    return {
      events: [],
      result: failedBy(`Reading the Cluster that owns ${describe(object)} failed`, observation.failure),
    };
  }
  if (observation.step === 'adopt' || observation.step === 'release') {
    const settled: Result = observation.step === 'adopt' ? { kind: 'again' } : done;
    return { events: [], result: writeFailure(object, outcomes, observation.step) ?? settled };
  }
  const draft = withCondition({ object, now, contract: role.contract }, observation.paused);
  switch (observation.step) {
    case 'pause':
      return toReport(draft, observation.paused.status === 'True' ? done : { kind: 'again' });
    case 'terminal':
      return toReport(draft, done);
    case 'wait':
      return toReport(withVerdicts(draft, role.verdicts, { status: 'False', ...observation.waiting }), done);
    case 'normal':
      return reportNormal(draft, outcomes, role);
    case 'delete':
      return reportDelete(draft, outcomes);
  }
}

function reportNormal(draft: StatusDraft, outcomes: Outcomes, role: Reporting): Report {
  const { kept, end } = publicationOf(outcomes);
  const partial = withOwnStatus(draft, kept);
  switch (end.kind) {
    case 'returned':
      return reportPublication(partial, { publication: end.value, outcomes, role });
    case 'later':
      return toReport(withSomeReady(partial), { kind: 'requeueAfter', ms: end.ms });
    case 'terminal':
      return toReport(withTerminal(partial, end), { kind: 'failed', error: end.error, terminal: true });
    case 'refused': {
      const verdict: ConditionState = { status: 'False', reason: 'InvalidSpec', message: end.error.message };
      return toReport(withVerdicts(partial, ['Ready'], verdict), { kind: 'failed', error: end.error, terminal: true });
    }
    case 'failed':
      return reportFailure(partial, { kind: 'failed', error: end.error, terminal: false });
  }
}

interface Publishing {
  readonly publication: Publication;
  readonly outcomes: Outcomes;
  readonly role: Reporting;
}

function reportPublication(draft: StatusDraft, { publication, outcomes, role }: Publishing): Report {
  const { own, facts, latches, ready } = publication;
  const known = facts.reduce((sofar, [path, value]) => withValue(sofar, path, value), withOwnStatus(draft, own));
  const failure = writeFailure(draft.object, outcomes, 'endpoint');
  if (failure !== undefined) {
    return reportFailure(known, failure);
  }
  const result = toDelay(publication.requeueAfterMs) ?? done;
  if ((ready || latches.length > 0) && !hasEndpoint(draft.object, publication, role)) {
    const message = 'The provider reports success, but has not supplied a control plane endpoint';
    const verdict: ConditionState = { status: 'False', reason: 'WaitingForControlPlaneEndpoint', message };
    return toReport(withVerdicts(known, role.verdicts, verdict), result);
  }
  const latched = latches.reduce((sofar, path) => withValue(sofar, path, true), known);
  const silent = role.verdicts.filter(type => !hasCondition(own.conditions, type));
  return toReport(
    silent.reduce((sofar, type) => withDefaultVerdict(sofar, type, ready), latched),
    result,
  );
}

function reportDelete(draft: StatusDraft, outcomes: Outcomes): Report {
  const { kept, end } = deleteOutcomeOf(outcomes);
  const partial = withOwnStatus(draft, kept);
  if (end.kind === 'returned') {
    return reportDeletion(withOwnStatus(partial, end.value.own), end.value, outcomes);
  }
  if (end.kind === 'later') {
    return toReport(withDeleting(partial, ''), { kind: 'requeueAfter', ms: end.ms });
  }
  const result: Result = { kind: 'failed', error: end.error, terminal: false };
  return toReport(withDeleting(partial, end.error.message), result);
}

function reportDeletion(draft: StatusDraft, deleteOutcome: DeleteOutcome, outcomes: Outcomes): Report {
  const reported = withDeleting(draft, deleteOutcome.message);
  if (!deleteOutcome.done) {
    return toReport(reported, { kind: 'requeueAfter', ms: deleteOutcome.requeueAfterMs ?? deleteDelayMs });
  }
  return toReport(reported, writeFailure(draft.object, outcomes, 'release') ?? done);
}

function reportFailure(draft: StatusDraft, result: Failed): Report {
  const verdict: ConditionState = { status: 'False', reason: 'ReconcileError', message: result.error.message };
  return toReport(withVerdicts(draft, ['Ready'], verdict), result);
}

function toReport(draft: StatusDraft, result: Result): Report {
  return { status: { status: statusOf(draft) }, events: [], result };
}

function hasEndpoint(object: Unstructured, publication: Publication, role: Reporting): boolean {
  if (role.endpoint === 'fromCluster' || publication.endpoint !== undefined) {
    return true;
  }
  return isValidEndpoint(valueOr(readEndpoint(object), zeroEndpoint));
}

/** Before v1beta2, the failure fields make the failure permanent. All contracts have the condition. */
function withTerminal(
  draft: StatusDraft,
  { reason, error }: Extract<CallEnd<never>, { kind: 'terminal' }>,
): StatusDraft {
  const { message } = error;
  const conditionReason = reasonPattern.test(reason) ? reason : 'TerminalFailure';
  const stated = withVerdicts(draft, ['Ready'], { status: 'False', reason: conditionReason, message });
  const paths = providerPaths[draft.contract].failure;
  return paths === undefined ? stated : withValue(withValue(stated, paths.reason, reason), paths.message, message);
}

/** Records that the author's function ran. A later deletion depends on this. */
function withSomeReady(draft: StatusDraft): StatusDraft {
  return hasCondition(conditionsOf(draft.object), 'Ready') ? draft : withDefaultVerdict(draft, 'Ready', false);
}

function withDefaultVerdict(draft: StatusDraft, type: string, good: boolean): StatusDraft {
  const verdict: ConditionState = good ? { status: 'True', reason: type } : { status: 'False', reason: `Not${type}` };
  return withVerdicts(draft, [type], verdict);
}

function withDeleting(draft: StatusDraft, message: string): StatusDraft {
  return withVerdicts(draft, ['Ready'], { status: 'False', reason: 'Deleting', message });
}

function withVerdicts(draft: StatusDraft, types: readonly string[], verdict: ConditionState): StatusDraft {
  return types.reduce((sofar, type) => withCondition(sofar, { type, ...verdict }), draft);
}

function toDelay(ms: number | undefined): Result | undefined {
  return ms === undefined ? undefined : { kind: 'requeueAfter', ms };
}

const attempts = {
  adopt: 'Adding the finalizer of',
  release: 'Removing the finalizer of',
  endpoint: 'Writing spec.controlPlaneEndpoint of',
} as const;

function writeFailure(object: Unstructured, outcomes: Outcomes, write: keyof typeof attempts): Failed | undefined {
  const outcome = outcomes.get(actionIds[write]);
  return outcome?.state === 'failed'
    ? failedBy(`${attempts[write]} ${describe(object)} failed`, outcome.failure)
    : undefined;
}
