// Reads the control plane of a topology: the object, the machine template that it references, and its health check.
import {
  all,
  type Checked,
  mapChecked,
  prefixed,
  toDisplayName,
  type Unstructured,
  valid,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import type { ContractVersion } from '@capi-serverless/cluster-api/contract';
import type { TemplateRef } from '../../../../shared/api/topology-parts.ts';
import { isDefinedTemplateRef } from '../../../../shared/api/topology-parts.ts';
import { nameObject } from '../../plan/change-texts.ts';
import type { TopologySource } from '../../plan/class-templates.ts';
import type { Current } from '../../plan/current/current-topology.ts';
import { machineTemplateReference } from '../../plan/current/machine-template-reference.ts';
import { checkOwned } from '../../plan/current/stored-reference.ts';
import type { PassReads } from '../pass-reads.ts';
import { readFromCluster, readHealthCheck, readReferenced } from './read-referenced.ts';

export interface ControlPlaneAsk {
  readonly ask: PassReads;
  /**
   * Returns the contract of a control plane's kind. If the class has changed the kind, the current object may have
   * another contract.
   */
  contractOf(object: Unstructured): Promise<Checked<ContractVersion>>;
}

/** If the class has no control plane machine infrastructure, neither the template nor the health check is read. */
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
    readHealthCheck(object, ask, cause => `failed to get MachineHealthCheck for ${nameObject(object)}: ${cause}`),
  ]);
  return mapChecked(all({ machineTemplate, healthCheck }), ({ healthCheck: check, ...others }) => ({
    object,
    ...others,
    ...withoutUndefined({ healthCheck: check }),
  }));
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
  const ref = machineTemplateReference(object, contract.value);
  if (!ref.ok) {
    return prefixed(ref, `failed to get InfrastructureMachineTemplate reference for ${nameObject(object)}`);
  }
  const template = await readReferenced({ ref: ref.value, from, names: 'template', namespace }, ask);
  const read = prefixed(template, `failed to get InfrastructureMachineTemplate for ${nameObject(object)}`);
  return checkOwned(read, nameObject(object));
}
