// Reads `ClusterClass.spec` for reconcilers and admission. Unreadable values are treated as absent.
import * as z from 'zod/mini';
import { availabilityGates, count, flag, listOf, section, text, textMap, textOrEmpty } from '../fields.ts';
import {
  copiedList,
  copiedObject,
  deletion,
  healthCheck,
  naming,
  orderedDeletion,
  templateMetadata,
  templateRef,
} from '../topology-parts.ts';

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

/** The presence of `value` is significant, because null is a valid value. */
const jsonPatch = z.object({
  op: textOrEmpty,
  path: textOrEmpty,
  value: z.optional(z.unknown()),
  valueFrom: z.catch(z.optional(section({ variable: textOrEmpty, template: textOrEmpty })), undefined),
});
export type JsonPatchDefinition = z.output<typeof jsonPatch>;

const definition = section({ selector, jsonPatches: listOf(jsonPatch) });
export type PatchDefinition = z.output<typeof definition>;

const patch = section({
  name: textOrEmpty,
  enabledIf: textOrEmpty,
  /** Undefined if absent. An empty list is not absent. */
  definitions: z.catch(z.optional(listOf(definition)), undefined),
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

export const classSpec = section({
  availabilityGates,
  infrastructure: section({ templateRef, naming }),
  controlPlane: controlPlaneClass,
  workers: section({ machineDeployments: listOf(machineDeploymentClass), machinePools: listOf(machinePoolClass) }),
  kubernetesVersions: listOf(z.string()),
  upgrade: section({ external: section({ generateUpgradePlanExtension: textOrEmpty }) }),
  patches: listOf(patch),
  /** `shared/variables` parses this field. */
  variables: z.optional(z.unknown()),
});
export type ClassSpec = z.output<typeof classSpec>;

/** Never throws. `raw` is the ClusterClass's spec. */
export function readClassSpec(raw: unknown): ClassSpec {
  return classSpec.parse(raw);
}

/** Returns the extension handler that defines variables of the patch. Empty if there is none. */
export function discovererOf({ external }: ClassPatch): string {
  return external?.discoverVariablesExtension ?? '';
}
