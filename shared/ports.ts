// The types of the ports that declarations name. Every reconciler also has reads.
import type { DryRun } from '@capi-serverless/apimachinery';
import type { Signer } from './certificates/port.ts';
import type { Hooks } from './runtime-hooks/port.ts';
import type { WorkloadApi } from './workload/api.ts';
import type { WorkloadClusters, WorkloadNodes } from './workload/port.ts';

export interface PortTypes {
  readonly dryRun: DryRun;
  readonly hooks: Hooks;
  readonly nodes: WorkloadNodes;
  readonly signer: Signer;
  readonly workload: WorkloadClusters;
  readonly workloadApi: WorkloadApi;
}

/** The ports that a declaration names: `PortsOf<typeof declaration>`. */
export type PortsOf<Of extends { readonly ports: readonly (keyof PortTypes)[] }> = Pick<PortTypes, Of['ports'][number]>;
