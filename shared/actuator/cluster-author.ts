// What the author of a cluster actuator writes and is handed: code that acts on the Cluster itself, as in v1alpha1. Types only.
import type { Unstructured } from '../api/object.ts';
import type { PolicyRule } from '../kernel/types.ts';
import type { AuthorContext, OwnStatus } from './author.ts';
import type { RequeueAfter, Terminal } from './errors.ts';
import type { FieldsSchema, Schema, Untyped } from './schema.ts';

export interface ActuatorContext<Spec = Untyped, Status = Untyped>
  extends Pick<AuthorContext, 'client' | 'log' | 'now' | 'abort'> {
  /** A copy: changing it changes nothing. */
  readonly cluster: Unstructured;
  /** As the option `spec` parsed it. */
  readonly spec: Spec;
  /** The declared status fields as they are stored, those that fit. */
  readonly status: Readonly<Partial<Status>>;
  /** Stored however the call ends; a later value wins field by field. Throws on undeclared fields and on wrong values. */
  patchStatus(fields: NonNullable<OwnStatus<Status>['status']>): void;
}

export interface ActuatorDeleteContext<Spec = Untyped, Status = Untyped>
  extends Omit<ActuatorContext<Spec, Status>, 'spec'> {
  /** `undefined` when it does not fit the schema: a deletion must not hang on that. */
  readonly spec: Spec | undefined;
}

/** Nothing: the desired state is reached. An intent may be returned as well as thrown. */
export type ActuatorAnswer = Promise<undefined | RequeueAfter | Terminal> | Promise<void>;

export interface ClusterActuatorOptions<Spec = Untyped, Status = Untyped> {
  readonly group: string;
  readonly version: string;
  /** Default: Cluster. */
  readonly kind?: string;
  /** Default: `<lower-case kind>.<group>`. Under group cluster.x-k8s.io one of the provider's own domain must be given. */
  readonly finalizer?: string;
  /** Names the function and its queue. */
  readonly name: string;
  /** Of one invocation. Default 60. */
  readonly timeoutSeconds?: number;
  /** Installed kinds of the same group and version that go before the Cluster. Default: MachineDeployment, MachineSet, Machine. */
  readonly children?: readonly string[];
  /** Checks and types `context.spec`; `reconcile` is not called with one that does not fit, until the spec changes. */
  readonly spec?: Schema<Spec>;
  /** Top-level status fields of the author's own: their names, or a schema that checks and types them. */
  readonly status?: readonly string[] | FieldsSchema<Status>;
  /** What the author's code reads beside its Cluster. */
  readonly rules?: readonly PolicyRule[];
  /** Idempotent: brings the world to what the Cluster says. */
  readonly reconcile: (context: ActuatorContext<NoInfer<Spec>, NoInfer<Status>>) => ActuatorAnswer;
  /** Idempotent: called, once no children are left, until it succeeds; then the finalizer goes. */
  readonly delete: (context: ActuatorDeleteContext<NoInfer<Spec>, NoInfer<Status>>) => ActuatorAnswer;
}
