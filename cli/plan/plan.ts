// The writes that a reconciler would make for an object now. Runs the passes of the kernel with a client that only
// simulates writes.

import {
  answered,
  type Clock,
  type DryRun,
  type Instant,
  type ObjectRef,
  type Reads,
  refused,
  toDisplayName,
  type Unstructured,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import {
  type Action,
  type Declaration,
  type EventDraft,
  type Log,
  makePorts,
  type Outcomes,
  type Pass,
  type PortFactories,
  type Reconciler,
  type Report,
  type Result,
  type WorkloadTarget,
} from '@capi-serverless/reconciler';
import { eventsOf, type WorkloadWrites } from '@capi-serverless/reconciler/runner';
import type { Wait } from '../../shared/explain/conditions.ts';
import type {
  ExplainContext,
  ExplainedAction,
  PlannedWrite,
  Preview,
  Previewing,
  Replaced,
} from '../../shared/explain/face.ts';
import { reconcile } from '../../shared/kernel/reconcile.ts';
import { changesOf } from './changes.ts';
import { overlayWrites } from './overlay-kubernetes.ts';

/** The input of the passes. */
export interface Prepared {
  readonly reads: Reads;
  /** Returns whether the field owners of an object are unknown. */
  lacksManagers(live: Unstructured): boolean;
  /** Returns sentences about the assumptions. Called after the passes. */
  notes(): readonly string[];
}

export interface PlannedAction {
  readonly action: Action;
  readonly why: string;
  /** Absent for a `run`, which is reported and never executed, and for writes to workload clusters. */
  readonly write: PlannedWrite | undefined;
  /** The object that the new object replaces. The report lists their differences. */
  readonly replaces?: Unstructured;
}

export interface PlannedPass {
  readonly number: number;
  readonly actions: readonly PlannedAction[];
  /** Further conclusions of the pass, as lines. */
  readonly conclusions: readonly string[];
  /** Objects that are not written now, although their Machines will be replaced. */
  readonly laterReplaced: readonly Replaced[];
  readonly status: PlannedWrite | undefined;
  readonly events: readonly EventDraft[];
  readonly result: Result;
}

export interface PlannedReconcile {
  readonly declaration: Declaration;
  readonly ref: ObjectRef;
  readonly now: Instant;
  readonly passes: readonly PlannedPass[];
  /** The reason why the last pass stopped before it decided. */
  readonly stop: string | undefined;
  readonly result: Result;
  readonly defect: Error | undefined;
  /** The reason why the object would wait after these writes. */
  readonly wait: Wait | undefined;
  /** What a later change by a user would do. */
  readonly preview: Preview | undefined;
  /** The calls that would be sent to other systems than the API server. */
  readonly questions: readonly string[];
  /** The assumptions that were made. */
  readonly notes: readonly string[];
}

interface Planning {
  readonly reads: Reads;
  readonly ref: ObjectRef;
  readonly now: Instant;
  readonly callHooks: boolean;
  readonly probeWorkloads: boolean;
  /** Dry runs of the API server from which objects are read. */
  readonly dryRun?: DryRun;
  /** Whether objects come from manifests, so that no reconciler has processed them. */
  readonly fromFiles?: true;
  /** Returns whether an object comes from a manifest, so that a dry run does not see it. Default: never. */
  isGiven?(ref: ObjectRef): boolean;
}

/** A reconciler with a plan. Its types for ports and observations are hidden. */
export interface Plannable {
  readonly declaration: Declaration;
  /** Returns whether the reconciler handles this object. */
  concerns(primary: Unstructured): boolean;
  plan(planning: Planning): Promise<PlannedReconcile>;
}

export interface PlannableParts<Ports extends object, Seen extends object> {
  readonly reconciler: Reconciler<Ports, Seen>;
  /** The factories of the declared ports. Their adapters write nothing. */
  readonly ports: PortFactories<NoInfer<Ports>, ExplainContext>;
  /** Returns true if the reconciler handles the object. Default: it handles all objects. */
  concerns?(primary: Unstructured): boolean;
  /** Adds data that manifests do not contain. */
  prepare?(asking: ExplainContext, now: Instant): Promise<Prepared>;
  /** Returns `undefined` for an action without a phrase. */
  whyOf(because: ExplainedAction<Seen>): string | undefined;
  /** Returns the object that the object of an action replaces. */
  replacedBy?(because: ExplainedAction<Seen>): Unstructured | undefined;
  /** Returns further notes on a pass for the user. */
  conclude?(seen: Seen): readonly string[];
  /** Returns objects that the pass does not write, although their Machines will be replaced. */
  laterReplaced?(seen: Seen): readonly Replaced[];
  /** Returns what a later change by a user would do. May read more than a pass does. */
  preview?(seen: Seen, previewing: Previewing<NoInfer<Ports>>): Promise<Preview | undefined>;
  /** Returns what the object would wait for after the invocation. */
  waitOf(primary: Unstructured): Wait | undefined;
}

export function toPlannable<Ports extends object, Seen extends object>(parts: PlannableParts<Ports, Seen>): Plannable {
  return {
    declaration: parts.reconciler.declaration,
    concerns: primary => parts.concerns?.(primary) ?? true,
    plan: planning => plan(parts, planning),
  };
}

/** One pass in progress. */
interface Running<Seen> {
  readonly number: number;
  readonly seen: Seen;
  /** The index of its first write. */
  readonly start: number;
  actions: readonly Action[];
  reported?: { readonly outcomes: Outcomes; readonly report: Report; readonly end: number };
}

async function plan<Ports extends object, Seen extends object>(
  parts: PlannableParts<Ports, Seen>,
  { now, dryRun, fromFiles, isGiven = () => false, ...planning }: Planning,
): Promise<PlannedReconcile> {
  const { declaration } = parts.reconciler;
  const { ref } = planning;
  const questions: string[] = [];
  const refusals: string[] = [];
  const asking = { ...planning, wouldAsk: (question: string) => questions.push(question) };
  const prepared = fromFiles === true ? await parts.prepare?.(asking, now) : undefined;
  const reads = prepared?.reads ?? planning.reads;
  const dryRuns = dryRun === undefined ? {} : { dryRun, onRefused: (note: string) => refusals.push(note) };
  const overlay = overlayWrites({
    reads,
    now,
    ...dryRuns,
    isGiven,
    lacksManagers: live => prepared?.lacksManagers(live) ?? false,
  });
  const watched = watchPasses(parts.reconciler, overlay.writes);
  const ports = makePorts<Ports, ExplainContext>(parts.ports, { ...asking, reads });
  const { signal } = new AbortController();
  const { result, defect } = await reconcile(
    {
      reconciler: watched.reconciler,
      kubernetes: overlay.kubernetes,
      ports,
      workload: assumedDone,
      clock: stoppedAt(now),
      signal,
      log: silent,
      watchFilter: '',
    },
    ref,
  );
  const after = await overlay.kubernetes.get(ref);
  const last = watched.passes.at(-1);
  const previewing = { ask: { ...toReads(reads), ...ports }, now, signal };
  return {
    declaration,
    ref,
    now,
    passes: watched.passes.flatMap((pass, index) => {
      const end = watched.passes[index + 1]?.start ?? overlay.writes.length;
      return toPlanned(parts, pass, overlay.writes.slice(pass.start, end));
    }),
    stop: watched.stop(),
    result,
    defect,
    wait: after.ok ? parts.waitOf(after.value) : undefined,
    preview: last === undefined || !after.ok ? undefined : await previewOf(parts, last, after.value, previewing),
    questions: [...new Set(questions)],
    notes: [...(prepared?.notes() ?? []), ...refusals],
  };
}

interface PreviewAsking<Ports> extends Pick<Pass, 'now' | 'signal'> {
  readonly ask: Previewing<Ports>['ask'];
}

async function previewOf<Ports extends object, Seen extends object>(
  parts: PlannableParts<Ports, Seen>,
  { seen, number }: Running<Seen>,
  after: Unstructured,
  { ask, ...pass }: PreviewAsking<Ports>,
): Promise<Preview | undefined> {
  return parts.preview?.(seen, { ask, pass: { number, ...pass }, after });
}

/**
 * Wraps the reconciler and records its input and output. Actions of a provider author are decided and never executed.
 */
function watchPasses<Ports, Seen extends object>(
  original: Reconciler<Ports, Seen>,
  writes: readonly PlannedWrite[],
): {
  readonly reconciler: Reconciler<Ports, Seen>;
  readonly passes: readonly Running<Seen>[];
  stop(): string | undefined;
} {
  const passes: Running<Seen>[] = [];
  let stop: string | undefined;
  const reconciler: Reconciler<Ports, Seen> = {
    declaration: original.declaration,
    async observe(primary, ask, pass) {
      const seen = await original.observe(primary, ask, pass);
      if ('stop' in seen) {
        stop = String(seen.stop);
        return seen;
      }
      const known = seen as Seen; // True: it is the union without Stop.
      passes.push({ number: pass.number, seen: known, start: writes.length, actions: [] });
      return seen;
    },
    decide(seen, now) {
      const actions = original.decide(seen, now).map(neverRun);
      Object.assign(lastOf(passes), { actions });
      return actions;
    },
    report(seen, outcomes, now) {
      const report = original.report(seen, outcomes, now);
      Object.assign(lastOf(passes), { reported: { outcomes, report, end: writes.length } });
      return report;
    },
  };
  return { reconciler, passes, stop: () => stop };
}

function lastOf<T>(list: readonly T[]): T {
  const last = list.at(-1);
  if (last === undefined) {
    throw new Error('A pass decides and reports after it observed');
  }
  return last;
}

function neverRun(action: Action): Action {
  return action.do === 'run' ? { ...action, when: () => false } : action;
}

/** A pass with an outdated observation does not report. The next pass reports. */
function toPlanned<Ports extends object, Seen extends object>(
  parts: PlannableParts<Ports, Seen>,
  { number, seen, start, actions, reported }: Running<Seen>,
  writes: readonly PlannedWrite[],
): readonly PlannedPass[] {
  if (reported === undefined) {
    return [];
  }
  const { outcomes, report } = reported;
  // The actions with `afterStatus` are performed after the status write.
  const made = writes.slice(0, reported.end - start).filter(({ subresource }) => subresource !== 'status');
  const toWhy = (action: Action, write: PlannedWrite | undefined): PlannedAction => {
    const because = { action, write, changedPaths: changedPathsOf(write), seen };
    const why = parts.whyOf(because) ?? `decided as ${action.id}`;
    const replaces = parts.replacedBy?.(because);
    return { action, why, write, ...withoutUndefined({ replaces }) };
  };
  const left = [...made];
  const planned = actions.flatMap((action): readonly PlannedAction[] => {
    if (action.do === 'run') {
      return [toWhy(action, undefined)];
    }
    if (isAimedAtWorkload(action)) {
      return outcomes.get(action.id)?.state === 'done' ? [toWhy(action, undefined)] : [];
    }
    // A create of an existing object writes nothing.
    const isMade = outcomes.get(action.id)?.state === 'done' && isWriteOf(action, left[0]);
    return isMade ? [toWhy(action, left.shift())] : [];
  });
  const status = writes.find(({ subresource }) => subresource === 'status');
  const conclusions = parts.conclude?.(seen) ?? [];
  const events = [...eventsOf(actions, outcomes), ...report.events];
  const laterReplaced = parts.laterReplaced?.(seen) ?? [];
  return [{ number, actions: planned, conclusions, laterReplaced, status, events, result: report.result }];
}

/** Returns true if a workload cluster receives the write. */
export function isAimedAtWorkload(action: Action): action is AimedAtWorkload {
  return 'target' in action && action.target !== undefined;
}

export type AimedAtWorkload = Extract<Action, { readonly target?: WorkloadTarget }> & {
  readonly target: WorkloadTarget;
};

/** Writes to workload clusters are planned as if they succeeded. */
function assumedDone(): WorkloadWrites {
  return {
    metadata: async () => refused({ reason: 'NotFound', message: 'not read by a plan' }),
    mergePatch: async ({ apiVersion, kind, name }) =>
      answered({ apiVersion, kind, metadata: { name, uid: '', resourceVersion: '' } }),
    delete: async () => answered(undefined),
    evict: async () => answered(undefined),
    createManifest: async (_object, { apiVersion, kind, name }) =>
      answered({ apiVersion, kind, metadata: { name, uid: '', resourceVersion: '' } }),
  };
}

/** The plan uses only this interface and dry runs. It has no functions that write. */
export function toReads(kubernetes: Reads): Reads {
  return {
    get: kubernetes.get.bind(kubernetes),
    metadata: kubernetes.metadata.bind(kubernetes),
    list: kubernetes.list.bind(kubernetes),
  };
}

function changedPathsOf(write: PlannedWrite | undefined): readonly string[] {
  return write === undefined ? [] : changesOf(write.before, write.after, write.ref.kind).map(({ path }) => path);
}

function isWriteOf(
  action: Exclude<Action, { do: 'run' | 'evict' | 'manifest' }>,
  write: PlannedWrite | undefined,
): boolean {
  const { kind, name } = 'ref' in action ? action.ref : { kind: action.object.kind, name: action.object.metadata.name };
  return write?.verb === action.do && write.ref.kind === kind && write.ref.name === name;
}

/** The plan already contains the content of the log lines. */
export const silent: Log = {
  debug: () => undefined,
  info: () => undefined,
  error: () => undefined,
  with: () => silent,
};

/** The clock is fixed, so no timer runs. */
export function stoppedAt(now: Instant): Clock {
  return { now: () => now, sleep: async () => undefined };
}

/** Returns text of the form `Cluster ns/c1`. */
export function toSubject(ref: ObjectRef): string {
  return `${ref.kind} ${toDisplayName(ref)}`;
}
