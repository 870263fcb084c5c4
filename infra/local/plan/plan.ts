// What a reconciler would do to an object now: the kernel's own passes on a client that only imagines its writes.
import { type Instant, type ObjectRef, toDisplayName, type Unstructured } from '../../../shared/api/object.ts';
import type { Clock } from '../../../shared/kernel/clock.ts';
import { eventsOf } from '../../../shared/kernel/events.ts';
import type { Log } from '../../../shared/kernel/log.ts';
import { reconcile } from '../../../shared/kernel/reconcile.ts';
import type {
  Action,
  Declaration,
  EventDraft,
  Outcomes,
  Reads,
  Reconciler,
  Report,
  Result,
} from '../../../shared/kernel/types.ts';
import type { DryRun } from '../../../shared/kubernetes/port.ts';
import type { Wait } from '../view/waiting.ts';
import { type ImaginedWrite, imagineWrites } from './imagined-kubernetes.ts';

/** What may be asked besides reading objects, and what to do where it may not. */
export interface Asking {
  readonly reads: Reads;
  readonly ref: ObjectRef;
  /** False: hooks are not called; what would be asked is told instead. */
  readonly callHooks: boolean;
  /** False: workload clusters are not probed; that they would be is told instead. */
  readonly probeWorkloads: boolean;
  /** In words, with the option that would have it asked. */
  wouldAsk(question: string): void;
}

/** What the passes are planned on. */
export interface Prepared {
  readonly reads: Reads;
  /** Objects of which nobody knows who owns what. */
  isUntold(live: Unstructured): boolean;
  /** What had to be assumed, in sentences; asked when the passes are over. */
  notes(): readonly string[];
}

/** What a phrase for an action can be derived from. */
export interface Because<Seen> {
  readonly action: Action;
  readonly write: ImaginedWrite | undefined;
  readonly seen: Seen;
}

export interface PlannedAction {
  readonly action: Action;
  readonly why: string;
  /** Absent for a `run`, which is told and never made. */
  readonly write: ImaginedWrite | undefined;
  /** The object in whose place the new one comes: they are told apart rather than shown. */
  readonly replaces?: Unstructured;
}

export interface PlannedPass {
  readonly number: number;
  readonly actions: readonly PlannedAction[];
  /** What the pass concluded besides, in lines. */
  readonly told: readonly string[];
  readonly status: ImaginedWrite | undefined;
  readonly events: readonly EventDraft[];
  readonly result: Result;
}

export interface Plan {
  readonly declaration: Declaration;
  readonly ref: ObjectRef;
  readonly now: Instant;
  readonly passes: readonly PlannedPass[];
  /** Why the last pass had nothing to look at. */
  readonly stop: string | undefined;
  readonly result: Result;
  readonly defect: Error | undefined;
  /** What the object would wait for then. */
  readonly wait: Wait | undefined;
  /** What would be asked of others than the API server. */
  readonly questions: readonly string[];
  /** What had to be assumed. */
  readonly notes: readonly string[];
}

export interface Planning {
  readonly reads: Reads;
  readonly ref: ObjectRef;
  readonly now: Instant;
  readonly callHooks: boolean;
  readonly probeWorkloads: boolean;
  /** Of the API server that is read. */
  readonly dryRun?: DryRun;
  /** The objects are those of manifests: nobody has reconciled anything. */
  readonly fromFiles?: true;
}

/** A reconciler that can be planned; its ports and what it sees are its own affair. */
export interface Plannable {
  readonly declaration: Declaration;
  /** Whether the reconciler has anything to do with such an object at all. */
  concerns(primary: Unstructured): boolean;
  plan(planning: Planning): Promise<Plan>;
}

export interface PlannableParts<Ports extends object, Seen extends object> {
  readonly reconciler: Reconciler<Ports, Seen>;
  /** Ports that write nothing. */
  ports(asking: Asking): Ports;
  /** Default: all are its affair. */
  concerns?(primary: Unstructured): boolean;
  /** What manifests do not tell. */
  prepare?(asking: Asking, now: Instant): Promise<Prepared>;
  /** `undefined` for an action that has no phrase. */
  whyOf(because: Because<Seen>): string | undefined;
  /** What the object of an action comes in the place of. */
  replacedBy?(because: Because<Seen>): Unstructured | undefined;
  /** What else the user should know of a pass. */
  tell?(seen: Seen): readonly string[];
  /** What the object waits for as the invocation would leave it. */
  waitOf(primary: Unstructured): Wait | undefined;
}

export function toPlannable<Ports extends object, Seen extends object>(parts: PlannableParts<Ports, Seen>): Plannable {
  return {
    declaration: parts.reconciler.declaration,
    concerns: primary => parts.concerns?.(primary) ?? true,
    plan: planning => plan(parts, planning),
  };
}

/** One pass while it runs. */
interface Running<Seen> {
  readonly number: number;
  readonly seen: Seen;
  /** Index of its first write. */
  readonly start: number;
  actions: readonly Action[];
  reported?: { readonly outcomes: Outcomes; readonly report: Report; readonly end: number };
}

async function plan<Ports extends object, Seen extends object>(
  parts: PlannableParts<Ports, Seen>,
  { now, dryRun, fromFiles, ...planning }: Planning,
): Promise<Plan> {
  const { declaration } = parts.reconciler;
  const { ref } = planning;
  const questions: string[] = [];
  const refusals: string[] = [];
  const asking = { ...planning, wouldAsk: (question: string) => questions.push(question) };
  const prepared = fromFiles === true ? await parts.prepare?.(asking, now) : undefined;
  const reads = prepared?.reads ?? planning.reads;
  const dryRuns = dryRun === undefined ? {} : { dryRun, onRefused: (note: string) => refusals.push(note) };
  const imagined = imagineWrites({ reads, now, ...dryRuns, isUntold: live => prepared?.isUntold(live) ?? false });
  const watched = watchPasses(parts.reconciler, imagined.writes);
  const { result, defect } = await reconcile(
    {
      reconciler: watched.reconciler,
      kubernetes: imagined.kubernetes,
      ports: parts.ports({ ...asking, reads }),
      clock: stoppedAt(now),
      signal: new AbortController().signal,
      log: silent,
      watchFilter: '',
    },
    ref,
  );
  const after = await imagined.kubernetes.get(ref);
  return {
    declaration,
    ref,
    now,
    passes: watched.passes.flatMap((pass, index) => {
      const end = watched.passes[index + 1]?.start ?? imagined.writes.length;
      return toPlanned(parts, pass, imagined.writes.slice(pass.start, end));
    }),
    stop: watched.stop(),
    result,
    defect,
    wait: after.ok ? parts.waitOf(after.value) : undefined,
    questions: [...new Set(questions)],
    notes: [...(prepared?.notes() ?? []), ...refusals],
  };
}

/** The same reconciler; what goes in and out of it is kept. An author's own code is decided on and never run. */
function watchPasses<Ports, Seen extends object>(
  original: Reconciler<Ports, Seen>,
  writes: readonly ImaginedWrite[],
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
      const known = seen as Seen; // what remains of the union without Stop
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

/** A pass that met a changed world reported nothing: the next one tells. */
function toPlanned<Ports extends object, Seen extends object>(
  parts: PlannableParts<Ports, Seen>,
  { number, seen, start, actions, reported }: Running<Seen>,
  writes: readonly ImaginedWrite[],
): readonly PlannedPass[] {
  if (reported === undefined) {
    return [];
  }
  const { outcomes, report } = reported;
  const made = writes.slice(0, reported.end - start);
  const toWhy = (action: Action, write: ImaginedWrite | undefined): PlannedAction => {
    const because = { action, write, seen };
    const why = parts.whyOf(because) ?? `decided as ${action.id}`;
    const replaces = parts.replacedBy?.(because);
    return { action, why, write, ...(replaces === undefined ? {} : { replaces }) };
  };
  const left = [...made];
  const planned = actions.flatMap((action): readonly PlannedAction[] => {
    if (action.do === 'run') {
      return [toWhy(action, undefined)];
    }
    // A create that finds its object there already writes nothing.
    const isMade = outcomes.get(action.id)?.state === 'done' && isWriteOf(action, left[0]);
    return isMade ? [toWhy(action, left.shift())] : [];
  });
  const status = writes.slice(made.length).find(({ subresource }) => subresource === 'status');
  const told = parts.tell?.(seen) ?? [];
  const events = [...eventsOf(actions, outcomes), ...report.events];
  return [{ number, actions: planned, told, status, events, result: report.result }];
}

function isWriteOf(action: Exclude<Action, { do: 'run' }>, write: ImaginedWrite | undefined): boolean {
  const { kind, name } = 'ref' in action ? action.ref : { kind: action.object.kind, name: action.object.metadata.name };
  return write?.verb === action.do && write.ref.kind === kind && write.ref.name === name;
}

/** What a reconcile logs is part of the plan already. */
export const silent: Log = {
  debug: () => undefined,
  info: () => undefined,
  error: () => undefined,
  with: () => silent,
};

/** A plan is made in one instant; there is nobody to wait for. */
export function stoppedAt(now: Instant): Clock {
  return { now: () => now, sleep: async () => undefined };
}

/** `Cluster ns/c1`. */
export function toSubject(ref: ObjectRef): string {
  return `${ref.kind} ${toDisplayName(ref)}`;
}
