// One pass of a reconciler without kernel and API server: observe over fake reads, decide, imagined outcomes, report.
import type { FailureReason } from '../../shared/api/answer.ts';
import { isJsonObject } from '../../shared/api/json.ts';
import { type Instant, toDisplayName, type Unstructured } from '../../shared/api/object.ts';
import { eventsOf } from '../../shared/kernel/events.ts';
import type { Action, EventDraft, Outcome, Reads, Reconciler, Report } from '../../shared/kernel/types.ts';

export interface ImaginedFailure {
  readonly message: string;
  readonly reason?: FailureReason;
}

export interface OnePass {
  /** One line per write that went out: `patch FooCluster ns/i1 {…}`, `delete Machine ns/m1`. */
  readonly writes: readonly string[];
  readonly actions: readonly Action[];
  readonly report: Report;
  /** Of actions and report. */
  readonly events: readonly EventDraft[];
}

export interface PassOptions<Ports> {
  readonly now: Instant;
  readonly ask: Reads & Ports;
  /** Of the pass within its invocation. Default 1. */
  readonly number?: number;
  /** Objects that patches may meet; a patched one comes back as the patch leaves it. */
  readonly world: readonly Unstructured[];
  /** By action id. */
  readonly failures?: Readonly<Record<string, ImaginedFailure>>;
}

/** Throws when observe stops: a test of that asks observe itself. */
export async function onePass<Ports, Seen extends object>(
  reconciler: Reconciler<Ports, Seen>,
  primary: Unstructured,
  options: PassOptions<Ports>,
): Promise<OnePass> {
  const { ask, now, number = 1 } = options;
  const seen = await reconciler.observe(primary, ask, { number, now, signal: new AbortController().signal });
  if ('stop' in seen) {
    throw new Error(`observe stopped: ${String(seen.stop)}`);
  }
  const known = seen as Seen; // what remains of the union without Stop
  const actions = reconciler.decide(known, now);
  const { outcomes, writes } = imagine(actions, options);
  const report = reconciler.report(known, outcomes, now);
  return { actions, writes, report, events: [...eventsOf(actions, outcomes), ...report.events] };
}

function imagine(
  actions: readonly Action[],
  { world, failures = {} }: Pick<PassOptions<unknown>, 'world' | 'failures'>,
) {
  const outcomes = new Map<string, Outcome>();
  const writes: string[] = [];
  for (const action of actions) {
    if (action.when?.(outcomes) === false) {
      outcomes.set(action.id, { state: 'skipped' });
      continue;
    }
    const failure = failures[action.id];
    writes.push(toLine(action, outcomes));
    outcomes.set(
      action.id,
      failure === undefined
        ? succeed(action, world, outcomes)
        : { state: 'failed', failure: { reason: failure.reason ?? 'Forbidden', message: failure.message } },
    );
  }
  return { outcomes, writes };
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
  const after = merge(before, body);
  // A patched object is an object; the server alone counts generations.
  return { ...(after as Unstructured), metadata: { ...(after as Unstructured).metadata, generation } };
}

function merge(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) {
    return patch;
  }
  const merged: Record<string, unknown> = { ...(isJsonObject(target) ? target : {}) };
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) {
      delete merged[field];
    } else {
      merged[field] = merge(merged[field], value);
    }
  }
  return merged;
}
