// What a reconciler is: observe → decide → act → report (docs/decisions/0001). Pure types, shared by all modules.

import type {
  ApiFailure,
  Instant,
  Intent,
  Kind,
  MergePatch,
  Name,
  ObjectRef,
  PartialObject,
  Reads,
  Unstructured,
} from '@capi-serverless/apimachinery';
import type { FeatureGates } from '@capi-serverless/cluster-api/feature-gates';
import type { Log } from './log.ts';

export interface Reconciler<Ports, Seen> {
  /** Names exactly the ports that `observe` receives. */
  readonly declaration: DeclarationOf<keyof Ports & string>;
  /**
   * Reads what this pass needs. `ask` has no writing verb. A failed or missing read is data in `Seen`. A reconciler that
   * plans does so in a last pure step. `Seen` is then its plan, which decide, the functions of actions, and report share.
   */
  observe(primary: Unstructured, ask: Reads & Ports, pass: Pass): Promise<Seen | Stop>;
  /** Pure. The writes of this pass in order of execution. A crash after any of them is safe. */
  decide(seen: Seen, now: Instant): readonly Action[];
  /** Pure. Runs also after failed actions, so that a failure reaches the conditions. */
  report(seen: Seen, outcomes: Outcomes, now: Instant): Report;
}

export interface Pass {
  /** 1, 2, … within one invocation. */
  readonly number: number;
  readonly now: Instant;
  /** Aborts at the deadline of the invocation. */
  readonly signal: AbortSignal;
  /** The time at which `signal` aborts, if known. Work that may take longer should not start. */
  readonly deadline?: Instant;
  /** The log of this reconcile, for a provider author's code. */
  readonly log?: Log;
}

/** Nothing to do for this object: the reason is logged, and the message is acknowledged. */
export interface Stop {
  readonly stop: string;
}

export type Action = {
  /** Unique within one pass; `report` reads the outcome by it. */
  readonly id: string;
  /** 'stop' skips all later actions when this one fails. */
  readonly onError: 'stop' | 'continue';
  /** Pure. Reads the outcomes of earlier actions of this pass; false skips this action. Absent: always performed. */
  readonly when?: (outcomes: Outcomes) => boolean;
  /**
   * Pure. The Event is recorded once the action is done, even if a later action ends the pass: the next pass finds this
   * work done and records nothing. `object` is the server's response.
   */
  readonly toEvent?: (object: Unstructured | undefined) => EventDraft;
} & (
  | {
      readonly do: 'create';
      readonly object: Intent;
      /** Called on "already exists". True: the object is adopted as if created. False: the action fails. */
      readonly ours: (existing: Unstructured) => boolean;
    }
  | {
      readonly do: 'apply';
      readonly object: Intent;
      readonly manager: string;
      /** `undefined`: the earlier read found no object. */
      readonly uid: string | undefined;
    }
  | {
      readonly do: 'patch';
      readonly ref: ObjectRef;
      /** A function if an earlier action's outcome decides the content; pure. */
      readonly body: MergePatch | ((outcomes: Outcomes) => MergePatch);
      /**
       * Required where the body holds a list, or a field that is set only if empty: the write is valid for this version only.
       * A function if an earlier action of this pass writes the same object; pure.
       */
      readonly resourceVersion?: string | ((outcomes: Outcomes) => string);
    }
  /** `uidOf`: of the object that this earlier action wrote. */
  | {
      readonly do: 'delete';
      readonly ref: ObjectRef;
      readonly uid: string | { readonly uidOf: string };
      /** Dependents are deleted before the object. Default: after it. */
      readonly propagation?: 'Foreground';
    }
  | {
      /** Provider SDK only: the author's idempotent function. */
      readonly do: 'run';
      readonly label: string;
      readonly run: (signal: AbortSignal) => Promise<unknown>;
    }
);

/** The outcome of one action. `object` is the server's response; `value` is the result of a `run`. */
export type Outcome =
  | { readonly state: 'done'; readonly object?: Unstructured; readonly value?: unknown }
  /** `error` is set for a `run` that threw; otherwise `failure` is the API server's response. */
  | { readonly state: 'failed'; readonly failure: ApiFailure; readonly error?: unknown }
  | { readonly state: 'skipped' };

/** Outcomes by action id. An unknown id yields `undefined`. */
export type Outcomes = ReadonlyMap<string, Outcome>;

export type Result =
  | { readonly kind: 'done' }
  /** Another pass at once: the reconciler must observe what this pass wrote. */
  | { readonly kind: 'again' }
  | { readonly kind: 'requeueAfter'; readonly ms: number }
  /** `terminal`: no timer; events and resync still reconcile the object. */
  | { readonly kind: 'failed'; readonly error: Error; readonly terminal: boolean };

export interface StatusChange {
  /** The whole status after this pass. The kernel writes the difference to the observed status, limited to owned fields. */
  readonly status: Readonly<Record<string, unknown>>;
}

export interface EventDraft {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** The involved object. Default: the primary. */
  readonly about?: PartialObject;
}

export interface Report {
  readonly status?: StatusChange;
  readonly events: readonly EventDraft[];
  readonly result: Result;
}

/** One rule of the role of the reconciler's function; RBAC is generated from it. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** Restricts the rule to these objects; has no effect on `create` and `list`. */
  readonly resourceNames?: readonly string[];
  /** The reason in one short phrase; printed beside the rule. */
  readonly why: string;
}

/** A change on a watched source, the input of `map`. */
export interface SourceEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** The full object for `as: 'object'`, otherwise metadata only. */
  readonly object: Unstructured;
}

export interface Watch {
  /** 'referenced': the kinds in the infrastructureRef and controlPlaneRef of Clusters. */
  readonly source: Kind | 'referenced';
  readonly as: 'metadata' | 'object';
  /** Names of the primaries to reconcile; 'expand' if that needs a list. */
  map(event: SourceEvent): readonly Name[] | 'expand';
  /** Selects the primaries for an expanded source. The kind of the source may be its resource name. */
  matches?(primary: Unstructured, source: ObjectRef): boolean;
}

/** Queues, functions, watches, RBAC, audit policy and wiring are generated from it. */
export interface Declaration {
  /** Also the name of the function's folder and of its queue `work-<name>.fifo`. */
  readonly name: string;
  readonly primary: Kind;
  /** The feature gate. If it is disabled, no event enqueues objects of the reconciler, and its function is not deployed. */
  readonly gate?: keyof FeatureGates;
  readonly timeoutSeconds: number;
  readonly fieldManager: string;
  /** `source.component` of its Events. */
  readonly eventSource: string;
  /** The status fields of the primary that this reconciler writes. It is their only writer. */
  readonly owns: {
    /** Types in `status.conditions`. */
    readonly conditions: readonly string[];
    /** Types in the deprecated condition list. */
    readonly v1beta1: readonly string[];
    /** Dotted paths below `status`, except conditions. */
    readonly status: readonly string[];
    /**
     * The `conditions` whose change sends no event: they depend on the clock or on systems outside the management
     * cluster, or they summarize a condition that sends one.
     */
    readonly unwatched?: readonly string[];
  };
  /** The dotted path of the deprecated conditions below `status`. Default: 'deprecated.v1beta1.conditions'. */
  readonly v1beta1Path?: string;
  /** Names of the ports of `observe` besides the reads. The client implements `dryRun`; handlers wire the other adapters. */
  readonly ports: readonly string[];
  readonly rules: readonly PolicyRule[];
  readonly watches: readonly Watch[];
}

/** A declaration with typed port names. Invariant: a missing or an extra port is a type error. */
export interface DeclarationOf<in out Port extends string> extends Declaration {
  readonly ports: readonly Port[];
}
