// The provider SDK: what a provider's author imports.
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
export { defineControlPlaneProvider } from './control-plane.ts';
export type { ActuatorSeen } from './decide.ts';
export { RequeueAfter, Terminal } from './errors.ts';
export { defineInfrastructureProvider } from './infrastructure.ts';
export type { ProviderReconciler } from './provider.ts';
