// The hooks of Cluster API v1.14: https://main.cluster-api.sigs.k8s.io/tasks/experimental/runtime-sdk/
import type { JsonObject, Unstructured } from '@capi-serverless/apimachinery';
import { type AnyHook, type Hook, type HookResponse, hooksApiVersion, type RetryResponse } from './hook.ts';
import type {
  AfterClusterUpgradeRequest,
  AfterUpgradeStepRequest,
  BeforeUpgradeRequest,
  CanUpdateMachineRequest,
  CanUpdateMachineSetRequest,
  ClusterRequest,
  GeneratePatchesRequest,
  UpdateMachineRequest,
  UpgradePlanRequest,
  ValidateTopologyRequest,
} from './requests.ts';
import {
  type CanUpdateMachineResponse,
  type CanUpdateMachineSetResponse,
  canUpdateMachineResponse,
  canUpdateMachineSetResponse,
  type DiscoverVariablesResponse,
  type DiscoveryResponse,
  discoverVariablesResponse,
  discoveryResponse,
  type GeneratePatchesResponse,
  generatePatchesResponse,
  plainResponse,
  retryResponse,
  type UpgradePlanResponse,
  upgradePlanResponse,
} from './response-schemas.ts';

/** Annotations that requests omit, because they change often or contain a copy of the object. */
const hiddenAnnotations: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'cluster.x-k8s.io/conversion-data',
]);

function shown({ status: _, metadata: { annotations, ...metadata }, ...cluster }: Unstructured): JsonObject {
  const kept = Object.entries(annotations ?? {}).filter(([key]) => !hiddenAnnotations.has(key));
  const stored: Record<string, unknown> = { ...metadata };
  delete stored['managedFields'];
  return {
    ...cluster,
    metadata: { ...stored, ...(kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) }) },
  };
}

function withCluster(request: ClusterRequest): JsonObject {
  return { ...request, cluster: shown(request.cluster) };
}

function asIs(request: object): JsonObject {
  return { ...request };
}

function lifecycleHook<Request extends ClusterRequest>(name: string): Hook<Request, RetryResponse> {
  return { name, blocking: true, encode: withCluster, response: retryResponse };
}

/**
 * Every extension server implements Discovery. It is not in the catalog, because no handler can be registered for it.
 */
export const discovery: Hook<Readonly<Record<string, never>>, DiscoveryResponse> = {
  name: 'Discovery',
  blocking: false,
  encode: asIs,
  response: discoveryResponse,
};

export const discoverVariables: Hook<Readonly<Record<string, never>>, DiscoverVariablesResponse> = {
  name: 'DiscoverVariables',
  blocking: false,
  encode: asIs,
  response: discoverVariablesResponse,
};

export const generatePatches: Hook<GeneratePatchesRequest, GeneratePatchesResponse> = {
  name: 'GeneratePatches',
  blocking: false,
  encode: asIs,
  response: generatePatchesResponse,
};

export const validateTopology: Hook<ValidateTopologyRequest, HookResponse> = {
  name: 'ValidateTopology',
  blocking: false,
  encode: asIs,
  response: plainResponse,
};

export const generateUpgradePlan: Hook<UpgradePlanRequest, UpgradePlanResponse> = {
  name: 'GenerateUpgradePlan',
  blocking: false,
  encode: withCluster,
  response: upgradePlanResponse,
};

export const beforeClusterCreate = lifecycleHook<ClusterRequest>('BeforeClusterCreate');

export const afterControlPlaneInitialized: Hook<ClusterRequest, HookResponse> = {
  name: 'AfterControlPlaneInitialized',
  blocking: false,
  encode: withCluster,
  response: plainResponse,
};

export const beforeClusterUpgrade = lifecycleHook<BeforeUpgradeRequest>('BeforeClusterUpgrade');
export const beforeControlPlaneUpgrade = lifecycleHook<BeforeUpgradeRequest>('BeforeControlPlaneUpgrade');
export const afterControlPlaneUpgrade = lifecycleHook<AfterUpgradeStepRequest>('AfterControlPlaneUpgrade');
export const beforeWorkersUpgrade = lifecycleHook<BeforeUpgradeRequest>('BeforeWorkersUpgrade');
export const afterWorkersUpgrade = lifecycleHook<AfterUpgradeStepRequest>('AfterWorkersUpgrade');
export const afterClusterUpgrade = lifecycleHook<AfterClusterUpgradeRequest>('AfterClusterUpgrade');
export const beforeClusterDelete = lifecycleHook<ClusterRequest>('BeforeClusterDelete');

export const canUpdateMachine: Hook<CanUpdateMachineRequest, CanUpdateMachineResponse> = {
  name: 'CanUpdateMachine',
  blocking: false,
  encode: asIs,
  response: canUpdateMachineResponse,
};

export const canUpdateMachineSet: Hook<CanUpdateMachineSetRequest, CanUpdateMachineSetResponse> = {
  name: 'CanUpdateMachineSet',
  blocking: false,
  encode: asIs,
  response: canUpdateMachineSetResponse,
};

export const updateMachine: Hook<UpdateMachineRequest, RetryResponse> = {
  name: 'UpdateMachine',
  blocking: true,
  encode: asIs,
  response: retryResponse,
};

/** The hooks for which handlers can be registered. */
export const catalog: readonly AnyHook[] = [
  discoverVariables,
  generatePatches,
  validateTopology,
  generateUpgradePlan,
  beforeClusterCreate,
  afterControlPlaneInitialized,
  beforeClusterUpgrade,
  beforeControlPlaneUpgrade,
  afterControlPlaneUpgrade,
  beforeWorkersUpgrade,
  afterWorkersUpgrade,
  afterClusterUpgrade,
  beforeClusterDelete,
  canUpdateMachine,
  canUpdateMachineSet,
  updateMachine,
];

const catalogNames: ReadonlySet<string> = new Set(catalog.map(({ name }) => name));

/** Returns true if this version has this hook. Names are case-sensitive. */
export function isInCatalog({ apiVersion, hook }: { readonly apiVersion: string; readonly hook: string }): boolean {
  return apiVersion === hooksApiVersion && catalogNames.has(hook);
}
