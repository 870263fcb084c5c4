// The provider SDK: what a provider's author imports.
export type { Instant, Unstructured } from '../api/object.ts';
export type { Endpoint } from '../contract/endpoint.ts';
export type { FailureDomain } from '../contract/failure-domain.ts';
export type { Log } from '../kernel/log.ts';
export type { PolicyRule, Reads } from '../kernel/types.ts';
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
export { type ClusterActuator, defineClusterActuator } from './cluster-actuator.ts';
export type {
  ActuatorAnswer,
  ActuatorContext,
  ActuatorDeleteContext,
  ClusterActuatorOptions,
} from './cluster-author.ts';
export type { ClusterActuatorSeen } from './cluster-flow.ts';
export { defineControlPlaneProvider } from './control-plane.ts';
export type { ActuatorSeen } from './decide.ts';
export { RequeueAfter, Terminal } from './errors.ts';
export { defineInfrastructureProvider } from './infrastructure.ts';
export type { ProviderReconciler } from './provider.ts';
export type { FieldsSchema, Schema, Untyped } from './schema.ts';
