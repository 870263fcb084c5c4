// The entry for deployments: the CDK constructs of a management cluster and of a provider.
export { CapiServerless, type ForwarderOutputs } from '../aws/capi-serverless.ts';
export type {
  AuditWebhookProps,
  CapiServerlessProps,
  EksApiServer,
  EventSourceProps,
  ForwarderIrsa,
  ForwarderPodIdentity,
  FunctionSettings,
  KubeconfigApiServer,
  MonitoringProps,
  SecretReference,
} from '../aws/capi-serverless-props.ts';
export { DeploymentError } from '../aws/deployment.ts';
export { type EksClusterAttributes, eksApiServer } from '../aws/eks-api-server.ts';
export { Provider, type ProviderDeployment, type ProviderFunction, type ProviderProps } from '../aws/provider.ts';
export { type BuildProviderOptions, buildProvider } from '../bundles/build-provider.ts';
