// The types that a provider's author implements and receives: the public interface of the SDK. Types only.
import type { Instant, Reads, Unstructured } from '@capi-serverless/apimachinery';
import type { ConditionDraft } from '@capi-serverless/cluster-api/conditions';
import type { ControlPlaneEndpoint, FailureDomain, ProviderContract } from '@capi-serverless/cluster-api/contract';
import type { Log, PolicyRule } from '@capi-serverless/reconciler';
import type { FieldsSchema, Schema, Untyped } from './schema.ts';

/** A condition without its transition time, which the SDK sets. */
export type AuthorCondition = Omit<ConditionDraft, 'lastTransitionTime'>;

/** Conditions and status fields of the author. Both must be declared in the options. */
export interface OwnStatus<Status = Untyped> {
  /** May include `Ready`, to set the reason and message if the object is not ready. */
  readonly conditions?: readonly AuthorCondition[];
  /** The top-level fields below `status`. `undefined` removes a field. */
  readonly status?: { readonly [Field in keyof Status]?: Status[Field] | undefined };
}

export interface AuthorContext<Spec = Untyped, Status = Untyped> {
  /** The spec, parsed with the option `spec`. The function is not called with an invalid spec. */
  readonly spec: Spec;
  /** The declared status fields as stored. Invalid fields are omitted. */
  readonly status: Readonly<Partial<Status>>;
  /** A copy of the object. Changes to it have no effect. */
  readonly object: Unstructured;
  /** A copy of the Cluster that owns the object. */
  readonly cluster: Unstructured;
  readonly client: Reads;
  readonly log: Log;
  readonly now: Instant;
  /** Aborts at the deadline. After that the call is treated as failed. */
  readonly abort: AbortSignal;
  /**
   * Records a partial status. It is stored regardless of the result of the call. Later values have precedence per
   * field. Throws on undeclared names.
   */
  record(partial: OwnStatus<Status>): void;
}

export interface DeleteContext<Spec = Untyped, Status = Untyped>
  extends Omit<AuthorContext<Spec, Status>, 'cluster' | 'spec'> {
  /** `undefined` for an invalid spec, because an invalid spec must not block a deletion. */
  readonly spec: Spec | undefined;
  /** `undefined` if the Cluster no longer exists. */
  readonly cluster: Unstructured | undefined;
}

interface StepResult<Status> extends OwnStatus<Status> {
  /** The seconds until the next call if no event occurs earlier. At least 1 s. */
  readonly requeueAfter?: number;
}

export interface InfrastructureResult<Status = Untyped> extends StepResult<Status> {
  /** If it becomes false after it was true, the object stays provisioned and `Ready` becomes False. */
  readonly ready: boolean;
  /** Set only with `endpoint: 'provided'`. */
  readonly endpoint?: ControlPlaneEndpoint;
  /** If absent, the published failure domains are kept. */
  readonly failureDomains?: readonly (Omit<FailureDomain, 'controlPlane'> & { readonly controlPlane?: boolean })[];
}

export interface ReplicaCounts {
  readonly replicas: number;
  readonly ready: number;
  readonly available: number;
  readonly upToDate: number;
}

export interface ControlPlaneResult<Status = Untyped> extends StepResult<Status> {
  /** Whether the API server has ever accepted requests. Never reset. */
  readonly initialized: boolean;
  /** Whether the API server accepts requests now. Sets `Available` and `Ready`. */
  readonly available: boolean;
  /** Set only with `endpoint: 'provided'`. */
  readonly endpoint?: ControlPlaneEndpoint;
  /** The lowest running Kubernetes version. */
  readonly version?: string;
  /** The number of replicas per running version, ascending by version. Empty if none runs. */
  readonly versions?: readonly { readonly version: string; readonly replicas: number }[];
  readonly counts?: ReplicaCounts;
}

export interface DeleteResult<Status = Untyped> extends StepResult<Status> {
  /** Whether all external resources of the object are deleted, so that the finalizer can be removed. */
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
  /** The timeout of one invocation in seconds. Default: 60. */
  readonly timeoutSeconds?: number;
  /** Condition types that the author reports besides those of the SDK. */
  readonly conditions?: readonly string[];
  /** Parses `context.spec`. An invalid spec sets `Ready=False` with reason InvalidSpec, until the spec changes. */
  readonly spec?: Schema<Spec>;
  /** The author's top-level status fields: their names, or a schema that parses them. */
  readonly status?: readonly string[] | FieldsSchema<Status>;
  /** RBAC rules for reads of other objects than the author's object and the Cluster. */
  readonly rules?: readonly PolicyRule[];
  /** Performs one idempotent step. It does not wait for the cloud. */
  readonly reconcileNormal: (context: AuthorContext<NoInfer<Spec>, NoInfer<Status>>) => Promise<Result>;
  /** Performs one idempotent step. Called until it returns done. */
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

/** The context without `spec` and `status`. Both are parsed immediately before the call. */
export type BareContext = Omit<AuthorContext, 'spec' | 'status'>;
export type BareDeleteContext = Omit<DeleteContext, 'spec' | 'status'>;
