// What a provider's author writes and is handed: the surface of the SDK. Types only.
import type { Instant, Unstructured } from '../api/object.ts';
import type { ConditionDraft } from '../conditions/condition.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { FailureDomain } from '../contract/failure-domain.ts';
import type { ProviderContract } from '../contract/provider-paths.ts';
import type { Log } from '../kernel/log.ts';
import type { PolicyRule, Reads } from '../kernel/types.ts';
import type { FieldsSchema, Schema, Untyped } from './schema.ts';

/** The time of a transition is the SDK's business. */
export type AuthorCondition = Omit<ConditionDraft, 'lastTransitionTime'>;

/** Conditions and status fields of the author's own; both must be declared in the options. */
export interface OwnStatus<Status = Untyped> {
  /** `Ready` may be among them, to give the reason and message of a state that is not ready. */
  readonly conditions?: readonly AuthorCondition[];
  /** Top-level fields below `status`; `undefined` removes one. */
  readonly status?: { readonly [Field in keyof Status]?: Status[Field] | undefined };
}

export interface AuthorContext<Spec = Untyped, Status = Untyped> {
  /** As the option `spec` parsed it; the code is not called with one that does not fit. */
  readonly spec: Spec;
  /** The declared status fields as they are stored, those that fit. */
  readonly status: Readonly<Partial<Status>>;
  /** A copy: changing it changes nothing. */
  readonly object: Unstructured;
  /** A copy of the owning Cluster. */
  readonly cluster: Unstructured;
  readonly client: Reads;
  readonly log: Log;
  readonly now: Instant;
  /** Aborts at the deadline; the call counts as failed then. */
  readonly abort: AbortSignal;
  /** Partial status, stored however the call ends. A later record wins field by field. Throws on undeclared names. */
  record(partial: OwnStatus<Status>): void;
}

export interface DeleteContext<Spec = Untyped, Status = Untyped>
  extends Omit<AuthorContext<Spec, Status>, 'cluster' | 'spec'> {
  /** `undefined` when it does not fit the schema: a deletion must not hang on that. */
  readonly spec: Spec | undefined;
  /** `undefined` when the Cluster is gone already. */
  readonly cluster: Unstructured | undefined;
}

interface StepResult<Status> extends OwnStatus<Status> {
  /** Seconds until the next call when no event comes first; at least 1 s passes. */
  readonly requeueAfter?: number;
}

export interface InfrastructureResult<Status = Untyped> extends StepResult<Status> {
  /** False after it was true once: the object stays provisioned, `Ready` becomes False. */
  readonly ready: boolean;
  /** Only with `endpoint: 'provided'`. */
  readonly endpoint?: Endpoint;
  /** Absent: what was published before stays. */
  readonly failureDomains?: readonly (Omit<FailureDomain, 'controlPlane'> & { readonly controlPlane?: boolean })[];
}

export interface ReplicaCounts {
  readonly replicas: number;
  readonly ready: number;
  readonly available: number;
  readonly upToDate: number;
}

export interface ControlPlaneResult<Status = Untyped> extends StepResult<Status> {
  /** The API server accepted requests once. Never goes back. */
  readonly initialized: boolean;
  /** The API server accepts requests now: `Available` and `Ready`. */
  readonly available: boolean;
  /** Only with `endpoint: 'provided'`. */
  readonly endpoint?: Endpoint;
  /** The lowest Kubernetes version that runs. */
  readonly version?: string;
  /** How many replicas run which version, ascending; empty when none runs. */
  readonly versions?: readonly { readonly version: string; readonly replicas: number }[];
  readonly counts?: ReplicaCounts;
}

export interface DeleteResult<Status = Untyped> extends StepResult<Status> {
  /** Everything behind the object is gone; the finalizer may go. */
  readonly done: boolean;
  /** Shown in `Ready` while it is not done. */
  readonly message?: string;
}

export interface ProviderOptions<Result, Spec = Untyped, Status = Untyped> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly contract: ProviderContract;
  /** Default: `<lower-case kind>.<group>`. */
  readonly finalizer?: string;
  /** 'provided': the author supplies the control plane endpoint; 'fromCluster': nothing is called before the Cluster has one. */
  readonly endpoint: 'provided' | 'fromCluster';
  /** Names the function and its queue. Default: the kind in kebab case. */
  readonly name?: string;
  /** Of one invocation. Default 60. */
  readonly timeoutSeconds?: number;
  /** Condition types the author reports beside those of the SDK. */
  readonly conditions?: readonly string[];
  /** Checks and types `context.spec`; what does not fit shows as `Ready=False`, reason InvalidSpec, until the spec changes. */
  readonly spec?: Schema<Spec>;
  /** Top-level status fields of the author's own: their names, or a schema that checks and types them. */
  readonly status?: readonly string[] | FieldsSchema<Status>;
  /** What the author's code reads beside its own object and the Cluster. */
  readonly rules?: readonly PolicyRule[];
  /** One idempotent step; never waits for the cloud. */
  readonly reconcileNormal: (context: AuthorContext<NoInfer<Spec>, NoInfer<Status>>) => Promise<Result>;
  /** One idempotent step, called until it says done. */
  readonly reconcileDelete: (
    context: DeleteContext<NoInfer<Spec>, NoInfer<Status>>,
  ) => Promise<DeleteResult<NoInfer<Status>>>;
}

export type InfrastructureProviderOptions<Spec = Untyped, Status = Untyped> = ProviderOptions<
  InfrastructureResult<NoInfer<Status>>,
  Spec,
  Status
>;
export type ControlPlaneProviderOptions<Spec = Untyped, Status = Untyped> = ProviderOptions<
  ControlPlaneResult<NoInfer<Status>>,
  Spec,
  Status
>;

/** What the flow hands on; `spec` and `status` are read for the author at the very end. */
export type BareContext = Omit<AuthorContext, 'spec' | 'status'>;
export type BareDeleteContext = Omit<DeleteContext, 'spec' | 'status'>;
