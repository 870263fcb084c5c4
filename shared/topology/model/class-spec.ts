// Reads `ClusterClass.spec` as topologies are made from it. What cannot be read counts as absent.
import * as z from 'zod/mini';
import { count, flag, listOf, section, text, textMap, textOrEmpty } from '../../api/fields.ts';
import {
  copiedList,
  copiedObject,
  deletion,
  healthCheck,
  naming,
  orderedDeletion,
  templateMetadata,
  templateRef,
} from './parts.ts';

const templated = section({ templateRef });

const worker = {
  class: textOrEmpty,
  metadata: templateMetadata,
  naming,
  bootstrap: templated,
  infrastructure: templated,
  minReadySeconds: count,
  taints: copiedList,
};

const machineDeploymentClass = section({
  ...worker,
  failureDomain: text,
  healthCheck,
  deletion: orderedDeletion,
  readinessGates: copiedList,
  rollout: section({ strategy: copiedObject }),
});
export type MachineDeploymentClass = z.output<typeof machineDeploymentClass>;

const machinePoolClass = section({ ...worker, failureDomains: copiedList, deletion });
export type MachinePoolClass = z.output<typeof machinePoolClass>;

const controlPlaneClass = section({
  templateRef,
  machineInfrastructure: templated,
  metadata: templateMetadata,
  naming,
  healthCheck,
  deletion,
  taints: copiedList,
  readinessGates: copiedList,
});
export type ControlPlaneClass = z.output<typeof controlPlaneClass>;

const classNames = section({ names: listOf(z.string()) });
const selector = section({
  apiVersion: textOrEmpty,
  kind: textOrEmpty,
  matchResources: section({
    controlPlane: flag,
    infrastructureCluster: flag,
    machineDeploymentClass: classNames,
    machinePoolClass: classNames,
  }),
});
export type PatchSelector = z.output<typeof selector>;

/** Whether `value` is there matters: null is a value. */
const jsonPatch = z.object({
  op: textOrEmpty,
  path: textOrEmpty,
  value: z.optional(z.unknown()),
  valueFrom: z.catch(z.optional(section({ variable: textOrEmpty, template: textOrEmpty })), undefined),
});
export type JsonPatchDefinition = z.output<typeof jsonPatch>;

const patch = section({
  name: textOrEmpty,
  enabledIf: textOrEmpty,
  definitions: listOf(section({ selector, jsonPatches: listOf(jsonPatch) })),
  external: z.catch(
    z.optional(
      section({
        generatePatchesExtension: textOrEmpty,
        validateTopologyExtension: textOrEmpty,
        discoverVariablesExtension: textOrEmpty,
        settings: textMap,
      }),
    ),
    undefined,
  ),
});
export type ClassPatch = z.output<typeof patch>;

const classSpec = section({
  infrastructure: section({ templateRef, naming }),
  controlPlane: controlPlaneClass,
  workers: section({ machineDeployments: listOf(machineDeploymentClass), machinePools: listOf(machinePoolClass) }),
  kubernetesVersions: listOf(z.string()),
  upgrade: section({ external: section({ generateUpgradePlanExtension: textOrEmpty }) }),
  patches: listOf(patch),
});
export type ClassSpec = z.output<typeof classSpec>;

/** Never throws. `raw` is the ClusterClass's spec. */
export function readClassSpec(raw: unknown): ClassSpec {
  return classSpec.parse(raw);
}
