// The definition of a reconciler: observe → decide → act → report (docs/decisions/0001). Pure types for all modules.

import type {
  ApiFailure,
  GroupKind,
  Instant,
  Intent,
  JsonObject,
  Kind,
  MergePatch,
  Name,
  ObjectMeta,
  ObjectRef,
  PartialObject,
  Reads,
  Unstructured,
  WorkMeter,
} from '@capi-serverless/apimachinery';
import type { FeatureGates } from '@capi-serverless/cluster-api/feature-gates';
import type { Log } from './log.ts';

export interface Reconciler<Ports, Seen> {
  /** The names of exactly the ports that `observe` receives. */
  readonly declaration: DeclarationOf<keyof Ports & string>;
  /**
   * Whether a pass with unanswered reads is reported. If true, the reads of `observe` end before the invocation. Those
   * without an answer fail with the reason Aborted, and `report` keeps what is stored about them. If absent, such a
   * pass ends without writes.
   */
  readonly reportsLateReads?: true;
  /**
   * Returns the reconciler of another process, which has no memory of this one. If absent, the reconciler has no memory.
   * A memory saves requests only: without it, a pass comes to the same end.
   */
  forNewProcess?(): Reconciler<Ports, Seen>;
  /**
   * Reads the objects that this pass needs. `ask` has no functions that write. A failed or missing read is data in
   * `Seen`. A reconciler with a plan computes it in a last pure step. Then `Seen` is the plan, and decide, the
   * functions of actions, and report use it.
   */
  observe(primary: Unstructured, ask: Reads & Ports, pass: Pass): Promise<Seen | Stop>;
  /** Pure. Returns the writes of this pass in order of execution. A crash after any of them is safe. */
  decide(seen: Seen, now: Instant): readonly Action[];
  /** Pure. Also runs after failed actions, so that conditions report a failure. */
  report(seen: Seen, outcomes: Outcomes, now: Instant): Report;
}

export interface Pass {
  /** The number of the pass within one invocation: 1, 2, …. */
  readonly number: number;
  readonly now: Instant;
  /** Aborts when the time for the reads of this pass is up, at the latest at the deadline of the invocation. */
  readonly signal: AbortSignal;
  /** The time when `signal` aborts, if known. Work that may take longer should not start. */
  readonly deadline?: Instant;
  /** The log of this reconcile, for a provider author's code. */
  readonly log?: Log;
  /** The meter for the work of templates, rules and patches. If absent, each use has its own budget. */
  readonly meter?: WorkMeter;
}

/** No action is needed for this object. The reason is logged, and the message is acknowledged. */
export interface Stop {
  readonly stop: string;
}

/** The Cluster whose workload cluster receives a write. */
export interface WorkloadTarget {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
}

/** The maximum time from the first eviction of a pass to its last one. Upstream has the same limit. */
export const evictionsTimeoutMs = 10_000;

/**
 * The time at the end of an invocation in which no eviction is sent. An eviction may take 10 s, and the status is written
 * after it.
 */
export const evictionReserveMs = 15_000;

/** The time at the end of an invocation in which no manifest is applied. The status is written in it. */
export const manifestReserveMs = 10_000;

export type Action = {
  /** Unique within one pass. `report` reads the outcome by this id. */
  readonly id: string;
  /** 'stop' skips all later actions if this one fails. */
  readonly onError: 'stop' | 'continue';
  /**
   * Pure. Reads the outcomes of earlier actions of this pass. If it returns false, this action is skipped. If absent,
   * the action is always performed.
   */
  readonly when?: (outcomes: Outcomes) => boolean;
  /**
   * Whether the action is performed after the status of the pass is written. Clients that watch the object then see its
   * last state before this write removes it. The status is computed as if the write succeeded. The result and the
   * Events use the actual outcome.
   */
  readonly afterStatus?: true;
  /**
   * Pure. The Event is recorded after the action is done, even if a later action ends the pass. The next pass finds
   * this work done and records no Event. `object` is the response of the server.
   */
  readonly toEvent?: (object: Unstructured | undefined) => EventDraft;
} & (
  | {
      readonly do: 'create';
      readonly object: Intent;
      /** Called on "already exists". True: the object is adopted as if it had been created. False: the action fails. */
      readonly ours: (existing: Unstructured) => boolean;
    }
  | {
      readonly do: 'apply';
      readonly object: Intent;
      readonly manager: string;
      /** `undefined` if the earlier read found no object. */
      readonly uid: string | undefined;
      /**
       * The apply creates the object. If the object exists, the pass used an outdated state, and another pass follows.
       * Requires that `uid` is `undefined`.
       */
      readonly onlyCreate?: true;
    }
  | {
      readonly do: 'patch';
      readonly ref: ObjectRef;
      /** Default: the object itself. The primary's status is written from the report, not by an action. */
      readonly subresource?: 'status';
      /** A function if the outcome of an earlier action determines the content. Must be pure. */
      readonly body: MergePatch | ((outcomes: Outcomes) => MergePatch);
      /**
       * Required if the body contains a list, or a field that is set only if empty. The write is then valid for this
       * version only. A function if an earlier action of this pass writes the same object. Must be pure.
       */
      readonly resourceVersion?: string | ((outcomes: Outcomes) => string);
      /**
       * For a write that depends only on metadata: returns whether a newer version of the object allows the write. Must
       * be pure. After a conflict, the metadata is read again. If the write is allowed, the patch is repeated with the
       * new version.
       */
      readonly allows?: (newer: ObjectMeta) => boolean;
      /**
       * For a write that depends only on the object, in the management cluster. Must be pure. After a conflict, the object
       * is read again, and the body for the new version is sent. `undefined`: the new version needs no write.
       */
      readonly renew?: (newer: Unstructured) => MergePatch | undefined;
      /** Default: the management cluster. */
      readonly target?: WorkloadTarget;
    }
  /** `uidOf` is the uid of the object that this earlier action wrote. */
  | {
      readonly do: 'delete';
      readonly ref: ObjectRef;
      readonly uid: string | { readonly uidOf: string };
      /** The precondition: the object is deleted in this version only. */
      readonly resourceVersion?: string;
      /** If set, dependents are deleted before the object. Default: after the object. */
      readonly propagation?: 'Foreground';
      /** Default: the management cluster. */
      readonly target?: WorkloadTarget;
    }
  /**
   * Evicts a Pod of a workload cluster. Not found is a failure, as `report` counts such Pods apart. After
   * `evictionsTimeoutMs`, and in the last `evictionReserveMs` of the invocation, further evictions of the pass fail with
   * the reason Aborted and are not sent.
   */
  | {
      readonly do: 'evict';
      readonly pod: ObjectRef;
      readonly uid: string;
      /** Default: the grace period of the Pod. */
      readonly gracePeriodSeconds?: number;
      readonly target: WorkloadTarget;
    }
  /**
   * Writes an object of a workload cluster exactly as a manifest describes it. Such actions are not sent in the last
   * `manifestReserveMs` before the deadline. They fail with the reason Aborted.
   */
  | {
      readonly do: 'manifest';
      /** `name` is "" if the server generates it. */
      readonly place: ObjectRef;
      readonly object: JsonObject;
      /** The change of the existing object. If absent, the object is created. */
      readonly change?: MergePatch;
      /** Whether an existing object is a success, and is kept as it is. */
      readonly keepsExisting: boolean;
      readonly target: WorkloadTarget;
    }
  | {
      /** For the provider SDK only: the author's idempotent function. */
      readonly do: 'run';
      readonly label: string;
      readonly run: (signal: AbortSignal) => Promise<unknown>;
    }
);

/** The outcome of one action. `object` is the response of the server. `value` is the result of a `run`. */
export type Outcome =
  | { readonly state: 'done'; readonly object?: Unstructured; readonly value?: unknown }
  /** `error` is set for a `run` that threw. Otherwise `failure` is the response of the API server. */
  | { readonly state: 'failed'; readonly failure: ApiFailure; readonly error?: unknown }
  | { readonly state: 'skipped' };

/** Outcomes by action id. The result for an unknown id is `undefined`. */
export type Outcomes = ReadonlyMap<string, Outcome>;

export type Result =
  | { readonly kind: 'done' }
  /** Requests another pass immediately, because the reconciler must observe the writes of this pass. */
  | { readonly kind: 'again' }
  | { readonly kind: 'requeueAfter'; readonly ms: number }
  /** `terminal`: no timer is set. Events and resync still reconcile the object. */
  | { readonly kind: 'failed'; readonly error: Error; readonly terminal: boolean };

export interface StatusChange {
  /**
   * The complete status after this pass. The kernel writes the difference to the observed status, limited to owned
   * fields.
   */
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

/** One rule of the role of the reconciler's function. RBAC is generated from these rules. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** Restricts the rule to these objects. It has no effect on `create` and `list`. */
  readonly resourceNames?: readonly string[];
  /** The feature gate. If it is off, the role of the deployment does not contain the rule. */
  readonly gate?: keyof FeatureGates;
  /** The reason in one short phrase. It is printed next to the rule. */
  readonly why: string;
}

/** A change of a watched source. It is the input of `map`. */
export interface SourceEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** The complete object for `as: 'object'`, otherwise only metadata. */
  readonly object: Unstructured;
  /** The object has its metadata only, because the parts that its watches read are too large. */
  readonly detail?: 'metadata';
}

export interface Watch {
  /** 'referenced' means the kinds that primaries reference: `references` of the declaration. */
  readonly source: Kind | 'referenced';
  readonly as: 'metadata' | 'object';
  /** The feature gate. If it is off, no event source watches the kind for this reconciler. */
  readonly gate?: keyof FeatureGates;
  /**
   * The dotted paths of the fields of an object, besides metadata, that `map`, `versionOf` and `contentOf` read. Event
   * sources read no others. Default: all fields.
   */
  readonly parts?: readonly string[];
  /** Returns the names of the primaries to reconcile, or 'expand' if a list is required. */
  map(event: SourceEvent): readonly Name[] | 'expand';
  /**
   * Many sources select the same primaries, so their expansions become one. 'namespace': every primary of the source's
   * namespace, whichever object the source is. A function: the primaries that another watch of the reconciler finds for this
   * object, or every primary of the namespace if it returns `undefined`. Must be pure.
   */
  readonly expandsTo?: 'namespace' | ((source: Unstructured) => ObjectRef | undefined);
  /** Selects the primaries for an expanded source. The kind of the source may be its resource name. */
  matches?(primary: Unstructured, source: ObjectRef): boolean;
  /** The dotted paths of the fields of a primary, besides metadata, that `matches` reads. Default: all. */
  readonly matchParts?: readonly string[];
  /**
   * Returns the part of the source that its primaries read, as text. An event source may drop an event after it has
   * forwarded one with the same version of the same object. Must be pure.
   */
  versionOf?(object: Unstructured): string;
  /**
   * Returns all that the primaries read of the source, as text, but for a generation in the version. Unlike a version, it
   * may return to an earlier value. So an event with the same content is dropped only if there was no other between:
   * with `versionOf`, if the generation is the next one, and without, by an event source that receives every change of an
   * object in order. Must be pure.
   */
  contentOf?(object: Unstructured): string;
  /**
   * The dotted paths of the fields that only `contentOf` reads, besides metadata. Only an event source that receives every
   * change of an object in order reads them.
   */
  readonly contentParts?: readonly string[];
  /**
   * Limits the list of an expansion to a namespace and labels. Outside of them, `matches` must be false. Default: all
   * namespaces, or that of the source if it is referenced.
   */
  scopeOf?(source: Omit<ObjectRef, 'name'> & { readonly name?: string }): ListScope;
}

/** The primaries that an expansion lists. */
export interface ListScope {
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** The declaration from which queues, functions, watches, RBAC, audit policy and wiring are generated. */
export interface Declaration {
  /** Also the name of the function's folder and of its queue `work-<name>.fifo`. */
  readonly name: string;
  readonly primary: Kind;
  /**
   * The feature gate. If it is disabled, no event enqueues objects of the reconciler, and its function is not deployed.
   */
  readonly gate?: keyof FeatureGates;
  readonly timeoutSeconds: number;
  /**
   * The maximum number of messages of one invocation, from 1 to 10. A reconciler that runs templates, rules or manifests
   * of tenants has 1, so that an object can stall only its own invocation. Default: 10.
   */
  readonly batchSize?: number;
  readonly fieldManager: string;
  /** The `source.component` of its Events. */
  readonly eventSource: string;
  /** The status fields of the primary that this reconciler writes. No other reconciler writes them. */
  readonly owns: {
    /** The types in `status.conditions`. */
    readonly conditions: readonly string[];
    /** The types in the deprecated condition list. */
    readonly v1beta1: readonly string[];
    /** Dotted paths below `status`, except conditions. */
    readonly status: readonly string[];
    /**
     * The `conditions` whose change sends no event. They depend on the clock or on systems outside the management
     * cluster. A summary of a condition that sends an event also belongs to this list.
     */
    readonly unwatched?: readonly string[];
  };
  /** The dotted path of the deprecated conditions below `status`. Default: 'deprecated.v1beta1.conditions'. */
  readonly v1beta1Path?: string;
  /**
   * The names of the ports of `observe` in addition to the reads. The client implements `dryRun`. Handlers create the
   * other adapters.
   */
  readonly ports: readonly string[];
  readonly rules: readonly PolicyRule[];
  readonly watches: readonly Watch[];
  /**
   * The minimum time between two expansions of the same source. The first one is not delayed. Only an event source that
   * receives every change of an object in order delays them. Default: 1.
   */
  readonly expansionGapSeconds?: number;
  /** The events of primaries. Default: each event enqueues its own object. */
  readonly primaryWatch?: Pick<Watch, 'as' | 'parts' | 'map' | 'contentOf' | 'contentParts'>;
  /**
   * A pass depends on no status that the pass before has written. So an event source that receives every change in order
   * drops the events of these writes. 'but conditions': other reconcilers with the same field manager write conditions of
   * the primary, whose events are kept.
   */
  readonly dropsOwnStatus?: 'all' | 'but conditions';
  /** The provider kinds that a primary references. Required by a watch with the source 'referenced'. Must be pure. */
  readonly references?: (primary: Unstructured) => readonly GroupKind[];
  /**
   * The Node of a primary, if changes of Nodes are to enqueue primaries. `undefined`: the primary expects none. Must be
   * pure.
   */
  readonly nodes?: (primary: Unstructured) => NodeOfPrimary | undefined;
  /** The dotted paths of the fields of a primary, besides metadata, that `references` and `nodes` read. Default: all. */
  readonly primaryParts?: readonly string[];
}

/** A Node of a workload cluster. */
export interface NodeOfPrimary {
  /** The Cluster of the workload cluster. It is in the namespace of the primary. */
  readonly cluster: Name;
  /** "" while the Node is not known, although it may exist. */
  readonly node: string;
}

/** A declaration with typed port names. The type is invariant: a missing or an additional port is a type error. */
export interface DeclarationOf<in out Port extends string> extends Declaration {
  readonly ports: readonly Port[];
}
