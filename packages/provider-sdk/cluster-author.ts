// The types of a cluster actuator, which handles the Cluster itself, as in v1alpha1. Types only.
import type { Unstructured } from '@capi-serverless/apimachinery';
import type { PolicyRule } from '@capi-serverless/reconciler';
import type { AuthorContext, OwnStatus } from './author.ts';
import type { RequeueAfter, Terminal } from './errors.ts';
import type { FieldsSchema, Schema, Untyped } from './schema.ts';

export interface ActuatorContext<Spec = Untyped, Status = Untyped>
  extends Pick<AuthorContext, 'client' | 'log' | 'now' | 'abort'> {
  /** A copy of the Cluster. Changes to it have no effect. */
  readonly cluster: Unstructured;
  /** The spec, parsed with the option `spec`. */
  readonly spec: Spec;
  /** The declared status fields as stored. Invalid fields are omitted. */
  readonly status: Readonly<Partial<Status>>;
  /**
   * Records status fields. They are stored regardless of the result of the call. Later values have precedence per
   * field. Throws on undeclared fields and invalid values.
   */
  patchStatus(fields: NonNullable<OwnStatus<Status>['status']>): void;
}

export interface ActuatorDeleteContext<Spec = Untyped, Status = Untyped>
  extends Omit<ActuatorContext<Spec, Status>, 'spec'> {
  /** `undefined` for an invalid spec, because an invalid spec must not block a deletion. */
  readonly spec: Spec | undefined;
}

/** `undefined` means that the desired state is reached. RequeueAfter and Terminal may be returned or thrown. */
export type ActuatorAnswer = Promise<undefined | RequeueAfter | Terminal> | Promise<void>;

export interface ClusterActuatorOptions<Spec = Untyped, Status = Untyped> {
  readonly group: string;
  readonly version: string;
  /** The kind. Default: Cluster. */
  readonly kind?: string;
  /**
   * The finalizer. Default: `<lower-case kind>.<group>`. In group cluster.x-k8s.io, the finalizer must have the
   * provider's own domain.
   */
  readonly finalizer?: string;
  /** The name of the function and its queue. */
  readonly name: string;
  /** The timeout of one invocation in seconds. Default: 60. */
  readonly timeoutSeconds?: number;
  /**
   * The kinds of the same group and version that are deleted before the Cluster. Default: MachineDeployment,
   * MachineSet, Machine.
   */
  readonly children?: readonly string[];
  /** Parses `context.spec`. With an invalid spec, `reconcile` is not called until the spec changes. */
  readonly spec?: Schema<Spec>;
  /** The author's top-level status fields: their names, or a schema that parses them. */
  readonly status?: readonly string[] | FieldsSchema<Status>;
  /** RBAC rules for reads of other objects than the author's Cluster. */
  readonly rules?: readonly PolicyRule[];
  /** Reconciles the external resources with the Cluster. Must be idempotent. */
  readonly reconcile: (context: ActuatorContext<NoInfer<Spec>, NoInfer<Status>>) => ActuatorAnswer;
  /** Called when no children remain, until it succeeds. Then the finalizer is removed. Must be idempotent. */
  readonly delete: (context: ActuatorDeleteContext<NoInfer<Spec>, NoInfer<Status>>) => ActuatorAnswer;
}
