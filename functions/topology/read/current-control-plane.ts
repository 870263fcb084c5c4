// Reads the control plane of a topology: the object, the machine template that it names, and its health check.
import { type Checked, invalid, mapChecked, valid } from '../../../shared/api/checked.ts';
import type { ContractReference } from '../../../shared/api/cluster/reader.ts';
import { groupOf, toDisplayName, type Unstructured } from '../../../shared/api/object.ts';
import type { ContractVersion } from '../../../shared/contract/contract-version.ts';
import { readMap } from '../../../shared/contract/path.ts';
import { controlPlanePaths, readVersionedReference } from '../../../shared/topology/desired/control-plane-paths.ts';
import { isDefinedTemplateRef } from '../../../shared/topology/model/class-references.ts';
import type { Current } from '../../../shared/topology/model/current.ts';
import type { TemplateRef } from '../../../shared/topology/model/parts.ts';
import type { TopologySource } from './blueprint.ts';
import { prefixed } from './checks.ts';
import { checkOwned, describe, readFromCluster, readHealthCheck, readReferenced } from './current.ts';
import type { PassReads } from './pass-reads.ts';

export interface ControlPlaneAsk {
  readonly ask: PassReads;
  /** Of a control plane's kind: a class that names another kind than the Cluster runs may have another contract. */
  contractOf(object: Unstructured): Promise<Checked<ContractVersion>>;
}

/** Without machine infrastructure in the class neither template nor health check is looked at. */
export async function readControlPlane(
  { cluster, classSpec }: TopologySource,
  { ask, contractOf }: ControlPlaneAsk,
): Promise<Checked<Current['controlPlane']>> {
  const { namespace, name } = cluster.metadata;
  const { templateRef, machineInfrastructure } = classSpec.controlPlane;
  const stored = { ref: cluster.spec.controlPlaneRef, from: templateRef, names: 'object', namespace } as const;
  const read = await readFromCluster(stored, toDisplayName({ namespace, name }), ask);
  if (!read.ok || read.value === undefined) {
    return read.ok ? valid({}) : read;
  }
  const object = read.value;
  if (!isDefinedTemplateRef(machineInfrastructure.templateRef)) {
    return valid({ object });
  }
  const [machineTemplate, healthCheck] = await Promise.all([
    readMachineTemplate(object, { from: machineInfrastructure.templateRef, namespace }, { ask, contractOf }),
    readHealthCheck(object, ask, cause => `failed to get MachineHealthCheck for ${describe(object)}: ${cause}`),
  ]);
  if (!machineTemplate.ok) {
    return machineTemplate;
  }
  if (!healthCheck.ok) {
    return healthCheck;
  }
  const checked = healthCheck.value === undefined ? {} : { healthCheck: healthCheck.value };
  return valid({ object, machineTemplate: machineTemplate.value, ...checked });
}

interface Origin {
  readonly from: TemplateRef;
  readonly namespace: string;
}

async function readMachineTemplate(
  object: Unstructured,
  { from, namespace }: Origin,
  { ask, contractOf }: ControlPlaneAsk,
): Promise<Checked<Unstructured>> {
  const contract = await contractOf(object);
  if (!contract.ok) {
    return contract;
  }
  const ref = contract.value === 'v1beta1' ? readOlderReference(object) : readReference(object);
  if (!ref.ok) {
    return prefixed(ref, `failed to get InfrastructureMachineTemplate reference for ${describe(object)}`);
  }
  const template = await readReferenced({ ref: ref.value, from, names: 'template', namespace }, ask);
  const read = prefixed(template, `failed to get InfrastructureMachineTemplate for ${describe(object)}`);
  return checkOwned(read, describe(object));
}

/** The older form tells an API version instead of a group. */
function readOlderReference(object: Unstructured): Checked<ContractReference> {
  return mapChecked(readVersionedReference(object), ({ apiVersion, kind, name }) => ({
    apiGroup: groupOf(apiVersion),
    kind,
    name,
  }));
}

function readReference(object: Unstructured): Checked<ContractReference> {
  const path = controlPlanePaths.v1beta2.infrastructureRef;
  const found = readMap(object, path);
  switch (found.state) {
    case 'absent':
      return invalid(`field .${path} is not set`);
    case 'wrongType':
      return invalid(found.error);
    case 'value': {
      const { apiGroup, kind, name } = found.value;
      return valid({ apiGroup: toText(apiGroup), kind: toText(kind), name: toText(name) });
    }
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
