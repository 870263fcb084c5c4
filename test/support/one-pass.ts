// One pass of a reconciler without kernel and API server: observe with fake reads, decide, given outcomes, report.

import {
  type FailureReason,
  type Instant,
  type Reads,
  toDisplayName,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { applyMergePatch } from '@capi-serverless/apimachinery/json-patch';
import type { Action, EventDraft, Outcome, Reconciler, Report } from '@capi-serverless/reconciler';
import { eventsOf } from '@capi-serverless/reconciler/runner';

export interface InjectedFailure {
  readonly message: string;
  readonly reason?: FailureReason;
  readonly notSent?: true;
}

export interface OnePass {
  /** One line per write, for example `patch FooCluster ns/i1 {…}`, `delete Machine ns/m1`. */
  readonly writes: readonly string[];
  readonly actions: readonly Action[];
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** The resourceVersion of each patch, by action id. */
  readonly versions: ReadonlyMap<string, string | undefined>;
  readonly report: Report;
  /** The Events of actions and of the report. */
  readonly events: readonly EventDraft[];
}

interface PassOptions<Ports> {
  readonly now: Instant;
  readonly ask: Reads & Ports;
  /** The number of the pass in its invocation. Default: 1. */
  readonly number?: number;
  /** Whether the time for reads is up. */
  readonly late?: boolean;
  /** The stored objects of patches. The outcome contains the patched object. */
  readonly world: readonly Unstructured[];
  /** The failures by action id. */
  readonly failures?: Readonly<Record<string, InjectedFailure>>;
}

/** Throws if observe stops. Tests of this case call observe directly. */
export async function onePass<Ports, Seen extends object>(
  reconciler: Reconciler<Ports, Seen>,
  primary: Unstructured,
  options: PassOptions<Ports>,
): Promise<OnePass> {
  const { ask, now, number = 1, late = false } = options;
  const signal = late ? AbortSignal.abort() : new AbortController().signal;
  const seen = await reconciler.observe(primary, ask, { number, now, signal });
  if ('stop' in seen) {
    throw new Error(`observe stopped: ${String(seen.stop)}`);
  }
  const known = seen as Seen; // true: the remaining member of the union without Stop
  const actions = reconciler.decide(known, now);
  const { outcomes, versions, writes } = overlayFailures(actions, options);
  const report = reconciler.report(known, outcomes, now);
  return { actions, writes, outcomes, versions, report, events: [...eventsOf(actions, outcomes), ...report.events] };
}

function overlayFailures(
  actions: readonly Action[],
  { world, failures = {} }: Pick<PassOptions<unknown>, 'world' | 'failures'>,
) {
  const outcomes = new Map<string, Outcome>();
  const versions = new Map<string, string | undefined>();
  const writes: string[] = [];
  for (const action of actions) {
    if (action.when?.(outcomes) === false) {
      outcomes.set(action.id, { state: 'skipped' });
      continue;
    }
    const failure = failures[action.id];
    if (action.do === 'patch') {
      const { resourceVersion } = action;
      versions.set(action.id, typeof resourceVersion === 'function' ? resourceVersion(outcomes) : resourceVersion);
    }
    writes.push(toLine(action, outcomes));
    outcomes.set(
      action.id,
      failure === undefined
        ? succeed(action, world, outcomes)
        : { state: 'failed', failure: { reason: 'Forbidden', ...failure } },
    );
  }
  return { outcomes, versions, writes };
}

function bodyOf(action: Extract<Action, { do: 'patch' }>, outcomes: ReadonlyMap<string, Outcome>) {
  return typeof action.body === 'function' ? action.body(outcomes) : action.body;
}

function toLine(action: Action, outcomes: ReadonlyMap<string, Outcome>): string {
  switch (action.do) {
    case 'patch':
      return `patch ${action.ref.kind} ${toDisplayName(action.ref)} ${JSON.stringify(bodyOf(action, outcomes))}`;
    case 'create':
      return `create ${action.object.kind} ${toDisplayName(action.object.metadata)} ${JSON.stringify(action.object)}`;
    case 'delete':
      return `delete ${action.ref.kind} ${toDisplayName(action.ref)}`;
    case 'manifest':
      return `${action.change === undefined ? 'create' : 'patch'} ${action.place.kind} ${toDisplayName(action.place)}`;
    case 'evict':
      return `evict Pod ${toDisplayName(action.pod)}${action.gracePeriodSeconds === undefined ? '' : ` in ${action.gracePeriodSeconds} s`}`;
    default:
      return `${action.do} ${action.id}`;
  }
}

function succeed(action: Action, world: readonly Unstructured[], outcomes: ReadonlyMap<string, Outcome>): Outcome {
  if (action.do !== 'patch') {
    return { state: 'done' };
  }
  const { kind, name } = action.ref;
  const written = [...outcomes.values()].flatMap(outcome =>
    'object' in outcome && outcome.object ? [outcome.object] : [],
  );
  const before = [...written.toReversed(), ...world].find(
    object => object.kind === kind && object.metadata.name === name,
  );
  return before === undefined
    ? { state: 'done' }
    : { state: 'done', object: patched(before, bodyOf(action, outcomes)) };
}

function patched(before: Unstructured, body: Readonly<Record<string, unknown>>): Unstructured {
  const generation = (before.metadata.generation ?? 0) + ('spec' in body ? 1 : 0);
  const after = applyMergePatch(before, body);
  // A patched object is an object, but only the server increases generations.
  const { metadata } = after as Unstructured;
  const resourceVersion = `${metadata.resourceVersion}+`;
  return { ...(after as Unstructured), metadata: { ...metadata, generation, resourceVersion } };
}
