// The flow of a cluster actuator. Normal: add the finalizer, then call the author. Deletion: delete children, call the
// author, remove the finalizer.

import {
  type Answer,
  type ApiFailure,
  type Checked,
  type Instant,
  type Reads,
  toRef,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { readString, valueOr } from '@capi-serverless/cluster-api/contract';
import {
  type Action,
  type Log,
  type Outcomes,
  patchFinalizers,
  type Report,
  type Result,
  RetryableError,
} from '@capi-serverless/reconciler';
import type { BareContext } from './author.ts';
import { callAuthor, calledOf } from './call.ts';
import { type StatusDraft, statusOf, withOwnStatus, withValue } from './draft.ts';
import { describe, type Failed, failedBy } from './failed.ts';
import type { FieldsSchema } from './schema.ts';

/** The delay before children in deletion are listed again. */
const childrenDelayMs = 5_000;

const done: Result = { kind: 'done' };

export type ActuatorStep =
  | { readonly step: 'unreadable'; readonly what: string; readonly failure: ApiFailure }
  | { readonly step: 'adopt' }
  | { readonly step: 'children'; readonly children: readonly Unstructured[] }
  | { readonly step: 'terminal' }
  | { readonly step: 'reconcile' }
  | { readonly step: 'delete' };

export interface ClusterActuatorSeen {
  readonly object: Unstructured;
  readonly observation: ActuatorStep;
  readonly client: Reads;
  readonly log: Log;
}

/** One actuator, in the form of the common flow. */
export interface ActuatorRole {
  readonly finalizer: string;
  /** The author's top-level status fields. */
  readonly status: readonly string[];
  readonly statusShape?: FieldsSchema<unknown>['shape'];
  /** The field for a terminal failure. Absent if another controller writes the status of the kind. */
  readonly failure: { readonly reason: string; readonly message: string } | undefined;
  reconcile(context: Omit<BareContext, 'cluster'>): Promise<unknown>;
  delete(context: Omit<BareContext, 'cluster'>): Promise<unknown>;
}

const ids = { adopt: 'add-finalizer', call: 'call', release: 'remove-finalizer' } as const;

interface OwnedChildren {
  readonly owner: Unstructured;
  readonly lists: readonly { readonly kind: string; readonly answer: Answer<readonly Unstructured[]> }[];
}

/**
 * Labels can be copied, so only an object with the Cluster's uid as its owner is a child. A kind that is temporarily
 * not served may still have children.
 */
export function toDeletionStep({ owner, lists }: OwnedChildren): ActuatorStep {
  const children: Unstructured[] = [];
  for (const { kind, answer } of lists) {
    if (!answer.ok) {
      return {
        step: 'unreadable',
        what: `Listing each ${kind} of ${describe(owner)} failed`,
        failure: withRemedy(answer),
      };
    }
    children.push(...answer.value.filter(child => isOwnedBy(child, owner)));
  }
  return children.length === 0 ? { step: 'delete' } : { step: 'children', children };
}

function withRemedy({ failure }: { readonly failure: ApiFailure }): ApiFailure {
  const remedy = '; the option children names the kinds that are installed';
  return failure.notServed === true ? { ...failure, message: `${failure.message}${remedy}` } : failure;
}

/** Returns the step for an object without a deletionTimestamp. */
export function toLivingStep(object: Unstructured, { finalizer, failure }: ActuatorRole): ActuatorStep {
  if (object.metadata.finalizers?.includes(finalizer) !== true) {
    return { step: 'adopt' };
  }
  const recorded = failure === undefined ? [] : [failure.reason, failure.message];
  const failed = recorded.some(path => valueOr(readString(object, path), '') !== '');
  return { step: failed ? 'terminal' : 'reconcile' };
}

export function decideActuator(seen: ClusterActuatorSeen, role: ActuatorRole, now: Instant): readonly Action[] {
  const { object, observation } = seen;
  const finalizers = object.metadata.finalizers ?? [];
  switch (observation.step) {
    case 'adopt':
      return [patchFinalizers(ids.adopt, object, [...finalizers, role.finalizer])];
    case 'children':
      return observation.children.filter(child => child.metadata.deletionTimestamp === undefined).map(deletion);
    case 'reconcile':
      return [call('reconcile', seen, { role, now })];
    case 'delete': {
      const remaining = finalizers.filter(finalizer => finalizer !== role.finalizer);
      const released = patchFinalizers(ids.release, object, remaining);
      return [
        call('delete', seen, { role, now }),
        { ...released, when: outcomes => calledOf(outcomes.get(ids.call)).end.kind === 'returned' },
      ];
    }
    case 'unreadable':
    case 'terminal':
      return [];
  }
}

export function reportActuator(
  { object, observation }: ClusterActuatorSeen,
  outcomes: Outcomes,
  { role, now }: { readonly role: ActuatorRole; readonly now: Instant },
): Report {
  switch (observation.step) {
    case 'unreadable':
      return { events: [], result: failedBy(observation.what, observation.failure) };
    case 'adopt':
      return { events: [], result: writeFailure(object, outcomes, 'adopt') ?? { kind: 'again' } };
    case 'children':
      return { events: [], result: childrenResult(object, observation.children, outcomes) };
    case 'terminal':
      return { events: [], result: done };
    case 'reconcile':
    case 'delete':
      return reportCall(object, outcomes, { now, role, step: observation.step });
  }
}

interface Reporting {
  readonly now: Instant;
  readonly role: ActuatorRole;
  readonly step: 'reconcile' | 'delete';
}

function reportCall(object: Unstructured, outcomes: Outcomes, { now, role, step }: Reporting): Report {
  const { kept, end } = calledOf<undefined>(outcomes.get(ids.call));
  // The contract determines only the form of conditions. This status has no condition of the SDK.
  const draft = withOwnStatus({ object, now, contract: 'v1beta1' }, kept);
  switch (end.kind) {
    case 'returned':
      return toReport(draft, writeFailure(object, outcomes, 'release') ?? done);
    case 'later':
      return toReport(draft, { kind: 'requeueAfter', ms: end.ms });
    case 'terminal':
      return step === 'delete'
        ? toReport(draft, { kind: 'failed', error: end.error, terminal: false })
        : toReport(withFailure(draft, role, end), { kind: 'failed', error: end.error, terminal: true });
    case 'refused':
      return toReport(draft, { kind: 'failed', error: end.error, terminal: true });
    case 'failed':
      return toReport(draft, { kind: 'failed', error: end.error, terminal: false });
  }
}

function withFailure(
  draft: StatusDraft,
  { failure }: ActuatorRole,
  end: { readonly reason: string; readonly error: Error },
) {
  return failure === undefined
    ? draft
    : withValue(withValue(draft, failure.reason, end.reason), failure.message, end.error.message);
}

function toReport(draft: StatusDraft, result: Result): Report {
  return { status: { status: statusOf(draft) }, events: [], result };
}

function call(
  verb: 'reconcile' | 'delete',
  { object, client, log }: ClusterActuatorSeen,
  { role, now }: { readonly role: ActuatorRole; readonly now: Instant },
): Action {
  const label = `${verb} of ${describe(object)}`;
  const run = (abort: AbortSignal): Promise<unknown> =>
    callAuthor(
      {
        role: { ...role, conditions: [], verdicts: [] },
        observed: { object, client, log, now },
        label,
        method: context => role[verb](context),
        parse: (): Checked<undefined> => ({ ok: true, value: undefined }),
      },
      abort,
    );
  return { id: ids.call, onError: 'stop', do: 'run', label, run };
}

/**
 * Foreground deletion: dependents of a child are deleted before the child, so no objects remain after the last child.
 */
function deletion(child: Unstructured): Action {
  const { uid } = child.metadata;
  return { id: childId(child), onError: 'continue', do: 'delete', ref: toRef(child), uid, propagation: 'Foreground' };
}

function childrenResult(object: Unstructured, children: readonly Unstructured[], outcomes: Outcomes): Result {
  const problems = children.flatMap(child => {
    const outcome = outcomes.get(childId(child));
    const { group, version } = partsOf(child.apiVersion);
    return outcome?.state === 'failed'
      ? [`failed to delete ${group}/${version}, Kind=${child.kind} ${child.metadata.name}: ${outcome.failure.message}`]
      : [];
  });
  return problems.length === 0
    ? { kind: 'requeueAfter', ms: childrenDelayMs }
    : {
        kind: 'failed',
        error: new RetryableError(`deleting cluster ${object.metadata.name}: ${problems.join('; ')}`),
        terminal: false,
      };
}

function childId({ kind, metadata }: Unstructured): string {
  return `delete-${kind}-${metadata.name}`;
}

function partsOf(apiVersion: string) {
  const [group = '', version = ''] = apiVersion.split('/');
  return { group, version };
}

function isOwnedBy(child: Unstructured, owner: Unstructured): boolean {
  return child.metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) === true;
}

const attempts = { adopt: 'Adding the finalizer of', release: 'Removing the finalizer of' } as const;

function writeFailure(object: Unstructured, outcomes: Outcomes, write: keyof typeof attempts): Failed | undefined {
  const outcome = outcomes.get(ids[write]);
  return outcome?.state === 'failed'
    ? failedBy(`${attempts[write]} ${describe(object)} failed`, outcome.failure)
    : undefined;
}
