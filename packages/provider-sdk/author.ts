// The types that a provider's author implements and receives: the surface of the SDK. Types only.
import type { Instant, Reads, Unstructured } from '@capi-serverless/apimachinery';
import type { ConditionDraft } from '@capi-serverless/cluster-api/conditions';
import type { Endpoint, FailureDomain, ProviderContract } from '@capi-serverless/cluster-api/contract';
import type { Log, PolicyRule } from '@capi-serverless/reconciler';
import type { FieldsSchema, Schema, Untyped } from './schema.ts';

/** A condition without its transition time, which the SDK sets. */
export type AuthorCondition = Omit<ConditionDraft, 'lastTransitionTime'>;

/** Conditions and status fields of the author. Both must be declared in the options. */
export interface OwnStatus<Status = Untyped> {
  /** May include `Ready`, to set the reason and message of a state that is not ready. */
  readonly conditions?: readonly AuthorCondition[];
  /** Top-level fields below `status`; `undefined` removes one. */
  readonly status?: { readonly [Field in keyof Status]?: Status[Field] | undefined };
}

export interface AuthorContext<Spec = Untyped, Status = Untyped> {
  /** Parsed with the option `spec`. The function is not called with an invalid spec. */
  readonly spec: Spec;
  /** The declared status fields as stored. Invalid fields are omitted. */
  readonly status: Readonly<Partial<Status>>;
  /** A copy: changes have no effect. */
  readonly object: Unstructured;
  /** A copy of the owning Cluster. */
  readonly cluster: Unstructured;
  readonly client: Reads;
  readonly log: Log;
  readonly now: Instant;
  /** Aborts at the deadline. The call then counts as failed. */
  readonly abort: AbortSignal;
  /** Records a partial status, stored however the call ends. Later values win per field. Throws on undeclared names. */
  record(partial: OwnStatus<Status>): void;
}

export interface DeleteContext<Spec = Untyped, Status = Untyped>
  extends Omit<AuthorContext<Spec, Status>, 'cluster' | 'spec'> {
  /** `undefined` for an invalid spec: it must not block a deletion. */
  readonly spec: Spec | undefined;
  /** `undefined` when the Cluster no longer exists. */
  readonly cluster: Unstructured | undefined;
}

interface StepResult<Status> extends OwnStatus<Status> {
  /** Seconds until the next call if no event occurs first; at least 1 s. */
  readonly requeueAfter?: number;
}

export interface InfrastructureResult<Status = Untyped> extends StepResult<Status> {
  /** False after it was true: the object stays provisioned, `Ready` becomes False. */
  readonly ready: boolean;
  /** Only with `endpoint: 'provided'`. */
  readonly endpoint?: Endpoint;
  /** Absent: the published failure domains are kept. */
  readonly failureDomains?: readonly (Omit<FailureDomain, 'controlPlane'> & { readonly controlPlane?: boolean })[];
}

export interface ReplicaCounts {
  readonly replicas: number;
  readonly ready: number;
  readonly available: number;
  readonly upToDate: number;
}

export interface ControlPlaneResult<Status = Untyped> extends StepResult<Status> {
  /** The API server has accepted requests. Never reset. */
  readonly initialized: boolean;
  /** The API server accepts requests now; sets `Available` and `Ready`. */
  readonly available: boolean;
  /** Only with `endpoint: 'provided'`. */
  readonly endpoint?: Endpoint;
  /** The lowest running Kubernetes version. */
  readonly version?: string;
  /** The number of replicas per running version, ascending by version; empty when none runs. */
  readonly versions?: readonly { readonly version: string; readonly replicas: number }[];
  readonly counts?: ReplicaCounts;
}

export interface DeleteResult<Status = Untyped> extends StepResult<Status> {
  /** Everything behind the object is deleted; the finalizer can be removed. */
  readonly done: boolean;
  /** The message of `Ready` while `done` is false. */
  readonly message?: string;
}

export interface ProviderOptions<Result, Spec = Untyped, Status = Untyped> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly contract: ProviderContract;
  /** Default: `<lower-case kind>.<group>`. */
  readonly finalizer?: string;
  /** 'provided': the author supplies the control plane endpoint. 'fromCluster': no call before the Cluster has an endpoint. */
  readonly endpoint: 'provided' | 'fromCluster';
  /** The name of the function and its queue. Default: the kind in kebab case. */
  readonly name?: string;
  /** The timeout of one invocation. Default 60. */
  readonly timeoutSeconds?: number;
  /** Condition types that the author reports besides those of the SDK. */
  readonly conditions?: readonly string[];
  /** Parses `context.spec`. An invalid spec sets `Ready=False`, reason InvalidSpec, until the spec changes. */
  readonly spec?: Schema<Spec>;
  /** The author's top-level status fields: their names, or a schema that parses them. */
  readonly status?: readonly string[] | FieldsSchema<Status>;
  /** RBAC rules for reads besides the author's own object and the Cluster. */
  readonly rules?: readonly PolicyRule[];
  /** One idempotent step. It does not wait for the cloud. */
  readonly reconcileNormal: (context: AuthorContext<NoInfer<Spec>, NoInfer<Status>>) => Promise<Result>;
  /** One idempotent step, called until it returns done. */
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

/** The context without `spec` and `status`, which are parsed just before the call. */
export type BareContext = Omit<AuthorContext, 'spec' | 'status'>;
export type BareDeleteContext = Omit<DeleteContext, 'spec' | 'status'>;
