// What a reconciler is: observe → decide → act → report (docs/decisions/0001). Pure types, shared by all rooms.

import type { Answer, ApiFailure } from '../api/answer.ts';
import type {
  Instant,
  Intent,
  Kind,
  ListQuery,
  MergePatch,
  Name,
  ObjectMeta,
  ObjectRef,
  Parser,
  PartialObject,
  Unstructured,
} from '../api/object.ts';
import type { FeatureGates } from '../config/feature-gates.ts';
import type { Log } from './log.ts';

export interface Reconciler<Ports, Seen> {
  readonly declaration: Declaration;
  /** Reads whatever this pass must know. `ask` has no writing verb. A failed or missing read is data in `Seen`. */
  observe(primary: Unstructured, ask: Reads & Ports, pass: Pass): Promise<Seen | Stop>;
  /** Pure. The writes of this pass, in order of execution; every prefix is a safe place to crash. */
  decide(seen: Seen, now: Instant): readonly Action[];
  /** Pure. Runs also after failed actions, so that a failure reaches the conditions. */
  report(seen: Seen, outcomes: Outcomes, now: Instant): Report;
}

/** The part of the Kubernetes port that observe sees; structurally `shared/kubernetes/port.ts` Reads. */
export interface Reads {
  get(ref: ObjectRef): Promise<Answer<Unstructured>>;
  get<T>(ref: ObjectRef, parse: Parser<T>): Promise<Answer<T>>;
  metadata(ref: ObjectRef): Promise<Answer<ObjectMeta>>;
  list(query: ListQuery): Promise<Answer<readonly Unstructured[]>>;
  list<T>(query: ListQuery, parse: Parser<T>): Promise<Answer<readonly T[]>>;
}

export interface Pass {
  /** 1, 2, … within one invocation. */
  readonly number: number;
  readonly now: Instant;
  /** Aborts at the deadline of the invocation. */
  readonly signal: AbortSignal;
  /** When `signal` aborts, where that is known: nothing is worth starting that may last longer. */
  readonly deadline?: Instant;
  /** The log of this reconcile, for what observe hands on to a provider author's code. */
  readonly log?: Log;
}

/** Nothing to do for this object: logged with the reason, acknowledged. */
export interface Stop {
  readonly stop: string;
}

export type Action = {
  /** Unique within one pass; `report` finds the outcome under it. */
  readonly id: string;
  /** 'stop' skips all later actions when this one fails. */
  readonly onError: 'stop' | 'continue';
  /** Pure. Looks at the outcomes of earlier actions of this pass; false skips this one. Absent: always performed. */
  readonly when?: (outcomes: Outcomes) => boolean;
  /**
   * Pure. Told once the action is done, even where a later one ends the pass before anything may be concluded: the next
   * pass finds the work done. `object` is the server's answer.
   */
  readonly toEvent?: (object: Unstructured | undefined) => EventDraft;
} & (
  | {
      readonly do: 'create';
      readonly object: Intent;
      /** Decides on "already exists": ours → adopted as if created, else the action fails. */
      readonly ours: (existing: Unstructured) => boolean;
    }
  | {
      readonly do: 'apply';
      readonly object: Intent;
      readonly manager: string;
      /** `undefined`: the read before said that the object is missing. */
      readonly uid: string | undefined;
    }
  | {
      readonly do: 'patch';
      readonly ref: ObjectRef;
      /** A function where an earlier action's outcome decides the content; pure. */
      readonly body: MergePatch | ((outcomes: Outcomes) => MergePatch);
      /**
       * Required where the body holds a list or a field set "only if empty": decided on this version or not at all. A
       * function where an earlier action of this pass writes the same object; pure.
       */
      readonly resourceVersion?: string | ((outcomes: Outcomes) => string);
    }
  /** `uidOf`: of the object that this earlier action left. */
  | {
      readonly do: 'delete';
      readonly ref: ObjectRef;
      readonly uid: string | { readonly uidOf: string };
      /** What depends on the object goes first. Default: after it. */
      readonly propagation?: 'Foreground';
    }
  | {
      /** Actuator SDK only: the provider author's own idempotent code. */
      readonly do: 'run';
      readonly label: string;
      readonly run: (signal: AbortSignal) => Promise<unknown>;
    }
);

/** What became of one action. `object` is the server's answer; `value` what a `run` returned. */
export type Outcome =
  | { readonly state: 'done'; readonly object?: Unstructured; readonly value?: unknown }
  /** `error` is set for a `run` that threw; otherwise `failure` tells what the API server answered. */
  | { readonly state: 'failed'; readonly failure: ApiFailure; readonly error?: unknown }
  | { readonly state: 'skipped' };

/** Outcomes by action id. An id that was never decided yields `undefined`. */
export type Outcomes = ReadonlyMap<string, Outcome>;

export type Result =
  | { readonly kind: 'done' }
  /** Another pass at once: something this pass wrote must be looked at again. */
  | { readonly kind: 'again' }
  | { readonly kind: 'requeueAfter'; readonly ms: number }
  /** `terminal`: no timer; events and the resync still reconcile. */
  | { readonly kind: 'failed'; readonly error: Error; readonly terminal: boolean };

export interface StatusChange {
  /** The whole status as this pass leaves it. The kernel writes the difference to what was read, limited to what is owned. */
  readonly status: Readonly<Record<string, unknown>>;
}

export interface EventDraft {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** The object that it is about. Default: the primary. */
  readonly about?: PartialObject;
}

export interface Report {
  readonly status?: StatusChange;
  readonly events: readonly EventDraft[];
  readonly result: Result;
}

/** One rule of the role that the reconciler's function needs; RBAC is generated from it. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** The only objects it holds for; says nothing of `create` and `list`. */
  readonly resourceNames?: readonly string[];
  /** Why this is needed, one short phrase; printed beside the rule. */
  readonly why: string;
}

/** A change on a watched source, as the forwarder hands it to `map`. */
export interface SourceEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** Full for `as: 'object'`, otherwise metadata only. */
  readonly object: Unstructured;
}

export interface Watch {
  /** 'referenced': the kinds that Clusters' infrastructureRef and controlPlaneRef name. */
  readonly source: Kind | 'referenced';
  readonly as: 'metadata' | 'object';
  /** Names of primaries to reconcile; 'expand' when only a listing can tell. */
  map(event: SourceEvent): readonly Name[] | 'expand';
  /** Selects the primaries that an expanded source concerns; its kind may be given as the resource name. */
  matches?(primary: Unstructured, source: ObjectRef): boolean;
}

export type PortName = 'dryRun' | 'hooks' | 'workload' | 'signer';

/** Everything else is generated from this: queues, functions, watches, RBAC, audit policy, wiring. */
export interface Declaration {
  /** Also the name of the function's folder and of its queue `work-<name>.fifo`. */
  readonly name: string;
  readonly primary: Kind;
  /** Without this feature gate the reconciler does not run: nothing wakes it, and no function of it is deployed. */
  readonly gate?: keyof FeatureGates;
  readonly timeoutSeconds: number;
  readonly fieldManager: string;
  /** `source.component` of its Events. */
  readonly eventSource: string;
  /** What this reconciler may write in the primary's status; nobody else writes it. */
  readonly owns: {
    /** Types in `status.conditions`. */
    readonly conditions: readonly string[];
    /** Types in the deprecated condition list. */
    readonly v1beta1: readonly string[];
    /** Dotted paths below `status`, conditions excepted. */
    readonly status: readonly string[];
    /**
     * Those of `conditions` that follow the clock or something outside the management cluster, and those that sum them up:
     * no event tells when they change.
     */
    readonly unheralded?: readonly string[];
  };
  /** Where the deprecated conditions live below `status`, as a dotted path. Default: 'deprecated.v1beta1.conditions'. */
  readonly v1beta1Path?: string;
  readonly ports: readonly PortName[];
  readonly rules: readonly PolicyRule[];
  readonly watches: readonly Watch[];
}
