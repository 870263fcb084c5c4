// Reads what admission looks at in a ClusterClass and in the Clusters made from it. What cannot be read counts as absent.
import * as z from 'zod/mini';
import { count, flag, listOf, section, text, textMap, textOrEmpty } from '../api/fields.ts';

const templateRef = section({ apiVersion: textOrEmpty, kind: textOrEmpty, name: textOrEmpty });
export type TemplateRef = z.output<typeof templateRef>;

const templated = section({ templateRef });
const naming = section({ template: textOrEmpty });
const metadata = section({ labels: textMap, annotations: textMap });
export type ClassMetadata = z.output<typeof metadata>;

const amount = z.catch(z.optional(z.union([z.number(), z.string()])), undefined);
/** A number, or a share such as "25%". */
export type Amount = string | number;

const hasMembers = z.transform(
  (raw: unknown): boolean => typeof raw === 'object' && raw !== null && Object.keys(raw).length > 0,
);

/** What a check looks for, and what is done about it; also whether any of both is there. */
const healthCheck = z.pipe(
  z.transform((raw: unknown) => {
    const { checks, remediation, enabled } = fieldsOf(raw);
    return { checks, remediation, enabled, hasChecks: checks, hasRemediation: remediation };
  }),
  z.object({
    enabled: flag,
    hasChecks: hasMembers,
    hasRemediation: hasMembers,
    checks: section({ nodeStartupTimeoutSeconds: count }),
    remediation: section({
      templateRef,
      maxInFlight: amount,
      triggerIf: section({ unhealthyLessThanOrEqualTo: amount }),
    }),
  }),
);
export type HealthCheck = z.output<typeof healthCheck>;

function fieldsOf(raw: unknown): Readonly<Partial<Record<'checks' | 'remediation' | 'enabled', unknown>>> {
  return typeof raw === 'object' && raw !== null ? raw : {};
}

export function isDefinedCheck({ hasChecks, hasRemediation }: HealthCheck): boolean {
  return hasChecks || hasRemediation;
}

/** `raw` is the `healthCheck` of a topology or a class. */
export function readHealthCheck(raw: unknown): HealthCheck {
  return healthCheck.parse(raw);
}

const taints = listOf(section({ key: textOrEmpty }));
export type Taint = z.output<typeof taints>[number];

export function readTaints(raw: unknown): readonly Taint[] {
  return taints.parse(raw);
}

const worker = {
  class: textOrEmpty,
  metadata,
  naming,
  bootstrap: templated,
  infrastructure: templated,
  taints,
};

const rollingUpdate = section({ maxUnavailable: amount, maxSurge: amount });
export type RollingUpdate = z.output<typeof rollingUpdate>;
const rollout = section({ strategy: section({ rollingUpdate }) });
/** `raw` is the `rollout` of a topology or a class. */
export function readRollingUpdate(raw: unknown): RollingUpdate {
  return rollout.parse(raw).strategy.rollingUpdate;
}

const deploymentClasses = listOf(section({ ...worker, healthCheck, rollout }));
export type DeploymentClass = z.output<typeof deploymentClasses>[number];
const poolClasses = listOf(section(worker));
export type PoolClass = z.output<typeof poolClasses>[number];

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
export type Selector = z.output<typeof selector>;

const valueFrom = z.catch(z.optional(section({ variable: text, template: text })), undefined);
const jsonPatches = listOf(
  z.object({ op: textOrEmpty, path: textOrEmpty, value: z.optional(z.unknown()), valueFrom: z.optional(valueFrom) }),
);
export type JsonPatch = z.output<typeof jsonPatches>[number];

const definitions = z.catch(z.optional(listOf(section({ selector, jsonPatches }))), undefined);
const external = z.catch(
  z.optional(
    section({
      generatePatchesExtension: textOrEmpty,
      validateTopologyExtension: textOrEmpty,
      discoverVariablesExtension: textOrEmpty,
    }),
  ),
  undefined,
);
const patches = listOf(z.object({ name: textOrEmpty, enabledIf: textOrEmpty, definitions, external }));
export type Patch = z.output<typeof patches>[number];

const classSpec = section({
  infrastructure: section({ templateRef, naming }),
  controlPlane: section({ templateRef, machineInfrastructure: templated, metadata, naming, healthCheck, taints }),
  workers: section({ machineDeployments: deploymentClasses, machinePools: poolClasses }),
  kubernetesVersions: listOf(z.string()),
  patches,
  variables: z.optional(z.unknown()),
});
export type ClassSpec = z.output<typeof classSpec>;

export function readClassSpec(raw: unknown): ClassSpec {
  return classSpec.parse(raw);
}

const topologyWorker = { name: textOrEmpty, class: textOrEmpty };
const topology = section({
  topology: section({
    classRef: section({ name: textOrEmpty, namespace: textOrEmpty }),
    version: textOrEmpty,
    controlPlane: section({ healthCheck }),
    workers: section({
      machineDeployments: listOf(section({ ...topologyWorker, replicas: count, metadata, healthCheck })),
      machinePools: listOf(section(topologyWorker)),
    }),
  }),
});

export type Topology = z.output<typeof topology>['topology'];

export function readTopology(spec: unknown): Topology {
  return topology.parse(spec).topology;
}
