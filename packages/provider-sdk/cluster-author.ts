// The types of a cluster actuator, which acts on the Cluster itself, as in v1alpha1. Types only.
import type { Unstructured } from '@capi-serverless/apimachinery';
import type { PolicyRule } from '@capi-serverless/reconciler';
import type { AuthorContext, OwnStatus } from './author.ts';
import type { RequeueAfter, Terminal } from './errors.ts';
import type { FieldsSchema, Schema, Untyped } from './schema.ts';

export interface ActuatorContext<Spec = Untyped, Status = Untyped>
  extends Pick<AuthorContext, 'client' | 'log' | 'now' | 'abort'> {
  /** A copy: changes have no effect. */
  readonly cluster: Unstructured;
  /** Parsed with the option `spec`. */
  readonly spec: Spec;
  /** The declared status fields as stored. Invalid fields are omitted. */
  readonly status: Readonly<Partial<Status>>;
  /** Stored however the call ends. Later values win per field. Throws on undeclared fields and invalid values. */
  patchStatus(fields: NonNullable<OwnStatus<Status>['status']>): void;
}

export interface ActuatorDeleteContext<Spec = Untyped, Status = Untyped>
  extends Omit<ActuatorContext<Spec, Status>, 'spec'> {
  /** `undefined` for an invalid spec: it must not block a deletion. */
  readonly spec: Spec | undefined;
}

/** `undefined`: the desired state is reached. RequeueAfter and Terminal may be returned or thrown. */
export type ActuatorAnswer = Promise<undefined | RequeueAfter | Terminal> | Promise<void>;

export interface ClusterActuatorOptions<Spec = Untyped, Status = Untyped> {
  readonly group: string;
  readonly version: string;
  /** Default: Cluster. */
  readonly kind?: string;
  /** Default: `<lower-case kind>.<group>`. Under group cluster.x-k8s.io, a finalizer of the provider's own domain is required. */
  readonly finalizer?: string;
  /** The name of the function and its queue. */
  readonly name: string;
  /** The timeout of one invocation. Default 60. */
  readonly timeoutSeconds?: number;
  /** Installed kinds of the same group and version to delete before the Cluster. Default: MachineDeployment, MachineSet, Machine. */
  readonly children?: readonly string[];
  /** Parses `context.spec`. With an invalid spec, `reconcile` is not called until the spec changes. */
  readonly spec?: Schema<Spec>;
  /** The author's top-level status fields: their names, or a schema that parses them. */
  readonly status?: readonly string[] | FieldsSchema<Status>;
  /** RBAC rules for reads besides the author's Cluster. */
  readonly rules?: readonly PolicyRule[];
  /** Idempotent: reconciles the world with the Cluster. */
  readonly reconcile: (context: ActuatorContext<NoInfer<Spec>, NoInfer<Status>>) => ActuatorAnswer;
  /** Idempotent: called once no children remain, until it succeeds. Then the finalizer is removed. */
  readonly delete: (context: ActuatorDeleteContext<NoInfer<Spec>, NoInfer<Status>>) => ActuatorAnswer;
}
