// What a reconciler would do to an object now: the kernel's own passes on a client that only imagines its writes.
import { type Instant, type ObjectRef, toDisplayName, type Unstructured } from '../../../shared/api/object.ts';
import type { Clock } from '../../../shared/kernel/clock.ts';
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
}

export interface PlannedPass {
  readonly number: number;
  readonly actions: readonly PlannedAction[];
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
}

export interface Planning {
  readonly reads: Reads;
  readonly ref: ObjectRef;
  readonly now: Instant;
  readonly callHooks: boolean;
  readonly probeWorkloads: boolean;
}

/** A reconciler that can be planned; its ports and what it sees are its own affair. */
export interface Plannable {
  readonly declaration: Declaration;
  plan(planning: Planning): Promise<Plan>;
}

export interface PlannableParts<Ports extends object, Seen extends object> {
  readonly reconciler: Reconciler<Ports, Seen>;
  /** Ports that write nothing. */
  ports(asking: Asking): Ports;
  /** `undefined` for an action that has no phrase. */
  whyOf(because: Because<Seen>): string | undefined;
  /** What the object waits for as the invocation would leave it. */
  waitOf(primary: Unstructured): Wait | undefined;
}

export function toPlannable<Ports extends object, Seen extends object>(parts: PlannableParts<Ports, Seen>): Plannable {
  return { declaration: parts.reconciler.declaration, plan: planning => plan(parts, planning) };
}

/** One pass while it runs. */
interface Running<Seen> {
  readonly number: number;
  readonly seen: Seen;
  /** Index of its first write. */
  readonly start: number;
  actions: readonly Action[];
  told?: { readonly outcomes: Outcomes; readonly report: Report; readonly end: number };
}

async function plan<Ports extends object, Seen extends object>(
  parts: PlannableParts<Ports, Seen>,
  { now, ...planning }: Planning,
): Promise<Plan> {
  const { declaration } = parts.reconciler;
  const { reads, ref } = planning;
  const questions: string[] = [];
  const imagined = imagineWrites(reads, now);
  const watched = watchPasses(parts.reconciler, imagined.writes);
  const { result, defect } = await reconcile(
    {
      reconciler: watched.reconciler,
      kubernetes: imagined.kubernetes,
      ports: parts.ports({ ...planning, wouldAsk: question => questions.push(question) }),
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
    questions,
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
      Object.assign(lastOf(passes), { told: { outcomes, report, end: writes.length } });
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
  { number, seen, start, actions, told }: Running<Seen>,
  writes: readonly ImaginedWrite[],
): readonly PlannedPass[] {
  if (told === undefined) {
    return [];
  }
  const { outcomes, report } = told;
  const made = writes.slice(0, told.end - start);
  const toWhy = (action: Action, write: ImaginedWrite | undefined): PlannedAction => {
    const why = parts.whyOf({ action, write, seen }) ?? `decided as ${action.id}`;
    return { action, why, write };
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
  return [{ number, actions: planned, status, events: report.events, result: report.result }];
}

function isWriteOf(action: Exclude<Action, { do: 'run' }>, write: ImaginedWrite | undefined): boolean {
  const { kind, name } = 'ref' in action ? action.ref : { kind: action.object.kind, name: action.object.metadata.name };
  return write?.verb === action.do && write.ref.kind === kind && write.ref.name === name;
}

/** What a reconcile logs is part of the plan already. */
const silent: Log = {
  debug: () => undefined,
  info: () => undefined,
  error: () => undefined,
  with: () => silent,
};

/** A plan is made in one instant; there is nobody to wait for. */
function stoppedAt(now: Instant): Clock {
  return { now: () => now, sleep: async () => undefined };
}

/** `Cluster ns/c1`. */
export function toSubject(ref: ObjectRef): string {
  return `${ref.kind} ${toDisplayName(ref)}`;
}
