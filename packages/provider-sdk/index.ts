// The provider SDK: the imports of a provider's author.

// The definition of a provider.

export { type ClusterActuator, defineClusterActuator } from './cluster-actuator.ts';
export { defineControlPlaneProvider } from './control-plane-provider.ts';
export type { ProviderReconciler } from './define-provider.ts';
export { defineInfrastructureProvider } from './infrastructure.ts';

// Options, and the arguments and results of the author's functions.

export type {
  AuthorCondition,
  AuthorContext,
  ControlPlaneProviderOptions,
  ControlPlaneResult,
  DeleteContext,
  DeleteResult,
  InfrastructureProviderOptions,
  InfrastructureResult,
  OwnStatus,
  ReplicaCounts,
} from './author.ts';
export type {
  ActuatorAnswer,
  ActuatorContext,
  ActuatorDeleteContext,
  ClusterActuatorOptions,
} from './cluster-author.ts';
export type { FieldsSchema, Schema, Untyped } from './schema.ts';

// Errors that the author's functions may throw.

export { RequeueAfter, Terminal } from './errors.ts';

// The types that the other types reference.

export type { Instant, Reads, Unstructured } from '@capi-serverless/apimachinery';
export type { ControlPlaneEndpoint as Endpoint, FailureDomain } from '@capi-serverless/cluster-api/contract';
export type { Log, PolicyRule } from '@capi-serverless/reconciler';
export type { ClusterActuatorSeen } from './cluster-flow.ts';
export type { ActuatorSeen } from './decide.ts';
