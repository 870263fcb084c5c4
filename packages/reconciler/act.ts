// Performs the actions of one pass in order. Only this code writes for a reconciler.

import {
  type Answer,
  type ApiFailure,
  answered,
  type Clock,
  type Instant,
  type Intent,
  isJsonObject,
  type MergePatch,
  type ObjectRef,
  type Reads,
  toRef,
  type Unstructured,
  type Writes,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { toError } from './errors.ts';
import type { Action, Outcome, Outcomes } from './types.ts';
import {
  Evicting,
  noWorkloadClusters,
  type WorkloadWriters,
  type WorkloadWrites,
  writeManifest,
} from './workload-writes.ts';

interface ActContext {
  readonly kubernetes: Reads & Writes;
  /** Required if actions have a target. */
  readonly workload?: WorkloadWriters | undefined;
  readonly fieldManager: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly signal: AbortSignal;
  /** The time at which the invocation ends, if known. */
  readonly deadline?: Instant | undefined;
}

interface Acting extends ActContext {
  readonly workload: WorkloadWriters;
  readonly evicting: Evicting;
}

interface Acted {
  readonly outcomes: Outcomes;
  /** The number of requests that may have changed an object. */
  readonly writes: number;
  /** Whether a write found another state than the observed one. In this case the result of the pass is not valid. */
  readonly stale: ApiFailure | undefined;
}

type Of<Verb extends Action['do']> = Extract<Action, { do: Verb }>;

/**
 * Performs `actions` until one with `onError` 'stop' fails, or until a write finds another state than the observed one.
 * `earlier` are the outcomes of actions of the same pass that were performed before.
 */
export async function act(
  { workload = noWorkloadClusters, ...given }: ActContext,
  actions: readonly Action[],
  earlier: Outcomes = new Map(),
): Promise<Acted> {
  const context = { ...given, workload, evicting: new Evicting(given) };
  const known = new Map<string, Outcome>(earlier);
  const outcomes = new Map<string, Outcome>();
  const record = (id: string, outcome: Outcome): void => {
    known.set(id, outcome);
    outcomes.set(id, outcome);
  };
  let writes = 0;
  let stale: ApiFailure | undefined;
  let stopped = false;
  for (const action of actions) {
    if (stopped || action.when?.(known) === false) {
      record(action.id, { state: 'skipped' });
      continue;
    }
    writes += action.do === 'run' ? 0 : 1;
    const outcome = await perform(context, action, known);
    record(action.id, outcome);
    if (outcome.state === 'failed') {
      stale = isStale(action, outcome.failure) ? outcome.failure : undefined;
      stopped = stale !== undefined || action.onError === 'stop';
    }
  }
  return { outcomes, writes, stale };
}

async function perform(context: Acting, action: Action, outcomes: Outcomes): Promise<Outcome> {
  switch (action.do) {
    case 'create':
      return toOutcome(await create(context, action, outcomes));
    case 'apply':
      return toOutcome(await apply(context, action, outcomes));
    case 'patch':
      return toOutcome(await patch(context, action, outcomes));
    case 'delete':
      return toOutcome(await remove(context, action, outcomes));
    case 'evict':
      return toOutcome(await context.evicting.evict(context.workload, action));
    case 'manifest':
      return toOutcome(await writeManifest(context, action));
    case 'run':
      return run(context, action);
  }
}

async function create(context: Acting, action: Of<'create'>, outcomes: Outcomes): Promise<Answer<Unstructured>> {
  const object = resolveUids(action.object, outcomes);
  const answer = await context.kubernetes.create(object, { fieldManager: context.fieldManager });
  if (answer.ok || answer.failure.reason !== 'AlreadyExists') {
    return answer;
  }
  const existing = await context.kubernetes.get(toIntentRef(object));
  return existing.ok && !action.ours(existing.value) ? answer : existing;
}

function apply(
  { kubernetes }: Acting,
  { object, manager: fieldManager, uid, onlyCreate }: Of<'apply'>,
  outcomes: Outcomes,
): Promise<Answer<Unstructured>> {
  return kubernetes.apply(resolveUids(object, outcomes), {
    ...{ fieldManager, force: true },
    ...withoutUndefined({ uid, onlyCreate }),
  });
}

/** The maximum number of retries after a conflict, for a write that depends only on metadata. */
const freshTries = 3;

async function patch(context: Acting, action: Of<'patch'>, outcomes: Outcomes): Promise<Answer<Unstructured>> {
  const body = typeof action.body === 'function' ? action.body(outcomes) : action.body;
  const version =
    typeof action.resourceVersion === 'function' ? action.resourceVersion(outcomes) : action.resourceVersion;
  const lock = withoutUndefined({ resourceVersion: version });
  const resolved: MergePatch = resolveUids(body, outcomes);
  const { fieldManager } = context;
  const subresource = withoutUndefined({ subresource: action.subresource });
  const kubernetes = clientOf(context, action);
  let answer = await kubernetes.mergePatch(action.ref, resolved, { fieldManager, ...lock, ...subresource });
  for (let tries = 0; tries < freshTries && isLost(answer) && action.allows !== undefined; tries += 1) {
    const newer = await kubernetes.metadata(action.ref);
    if (!newer.ok || !action.allows(newer.value)) {
      return answer;
    }
    const { resourceVersion } = newer.value;
    answer = await kubernetes.mergePatch(action.ref, resolved, { fieldManager, resourceVersion, ...subresource });
  }
  return isLost(answer) && action.renew !== undefined ? renew(context, action, { of: action.renew, answer }) : answer;
}

interface Renewing {
  readonly of: NonNullable<Of<'patch'>['renew']>;
  /** The conflict. */
  readonly answer: Answer<Unstructured>;
}

/** Sends the body for the newest version of the object. */
async function renew(
  { kubernetes, fieldManager }: Acting,
  { ref }: Of<'patch'>,
  { of, answer: conflict }: Renewing,
): Promise<Answer<Unstructured>> {
  let answer = conflict;
  for (let tries = 0; tries < freshTries && isLost(answer); tries += 1) {
    const newer = await kubernetes.get(ref);
    const body = newer.ok ? of(newer.value) : undefined;
    if (!newer.ok || body === undefined) {
      return newer;
    }
    const { resourceVersion } = newer.value.metadata;
    answer = await kubernetes.mergePatch(ref, body, { fieldManager, resourceVersion });
  }
  return answer;
}

function clientOf(
  { kubernetes, workload }: Acting,
  { target }: Of<'patch' | 'delete'>,
): Pick<WorkloadWrites, 'mergePatch' | 'metadata' | 'delete'> {
  return target === undefined ? kubernetes : workload(target);
}

/** The version of the object differs from the version in the patch. */
function isLost(answer: Answer<unknown>): boolean {
  return !answer.ok && answer.failure.reason === 'Conflict';
}

/** Not found is a success, because the object is already deleted. */
async function remove(
  context: Acting,
  action: Of<'delete'>,
  outcomes: Outcomes,
): Promise<Answer<Unstructured | undefined>> {
  // An API server that stores no uid gives objects without one, although their type has it.
  const uid = typeof action.uid === 'object' ? uidFrom(action.uid.uidOf, outcomes) : action.uid;
  const propagation = withoutUndefined({ propagationPolicy: action.propagation });
  const lock = withoutUndefined({ resourceVersion: action.resourceVersion });
  const answer = await clientOf(context, action).delete(action.ref, { uid, ...lock, ...propagation });
  return !answer.ok && answer.missing ? answered(undefined) : answer;
}

async function run(context: Acting, action: Of<'run'>): Promise<Outcome> {
  try {
    return { state: 'done', value: await action.run(context.signal) };
  } catch (error) {
    return { state: 'failed', failure: { reason: 'InternalError', message: toError(error).message }, error };
  }
}

function toOutcome(answer: Answer<Unstructured | undefined>): Outcome {
  if (!answer.ok) {
    return { state: 'failed', failure: answer.failure };
  }
  return answer.value === undefined ? { state: 'done' } : { state: 'done', object: answer.value };
}

/**
 * A failed precondition, or a write with precondition to an object that was deleted or is being deleted. In all cases
 * the pass used an outdated state.
 */
function isStale(action: Action, failure: ApiFailure): boolean {
  if (action.do === 'evict' || action.do === 'manifest') {
    // A conflict means that the Pod is gone, or is that of a manifest. Other Pods and manifests still follow.
    return false;
  }
  if (failure.reason === 'Conflict') {
    return true;
  }
  if (action.do !== 'patch' || action.resourceVersion === undefined) {
    return false;
  }
  return failure.reason === 'NotFound' || (failure.reason === 'Invalid' && failure.message.includes('being deleted'));
}

function toIntentRef(object: Intent): ObjectRef {
  return toRef({
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: { uid: '', resourceVersion: '', ...object.metadata },
  });
}

/** Replaces each `{ uidOf: id }` with the uid from the response of that earlier action. Throws if there is none. */
function resolveUids<T>(value: T, outcomes: Outcomes): T {
  return replaceUids(value, outcomes) as T; // True: only { uidOf } values change, and they become strings.
}

function replaceUids(value: unknown, outcomes: Outcomes): unknown {
  if (Array.isArray(value)) {
    return value.map(item => replaceUids(item, outcomes));
  }
  if (!isJsonObject(value)) {
    return value;
  }
  const source = value['uidOf'];
  if (typeof source === 'string' && Object.keys(value).length === 1) {
    return uidFrom(source, outcomes);
  }
  return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, replaceUids(inner, outcomes)]));
}

function uidFrom(actionId: string, outcomes: Outcomes): string {
  const outcome = outcomes.get(actionId);
  if (outcome?.state !== 'done' || outcome.object === undefined) {
    throw new Error(`Action ${actionId} left no object whose uid could be used`);
  }
  return outcome.object.metadata.uid;
}
