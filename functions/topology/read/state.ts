// Reads what a topology is made from and what is there of it, both at once.
import * as z from 'zod/mini';
import { type Checked, invalid, mapChecked } from '../../../shared/api/checked.ts';
import { section, text } from '../../../shared/api/fields.ts';
import { groupOf, toDisplayName, versionOf } from '../../../shared/api/object.ts';
import { type ContractVersion, contractOfVersion } from '../../../shared/contract/contract-version.ts';
import { valueAt } from '../../../shared/kernel/merge-diff.ts';
import type { Blueprint } from '../../../shared/topology/model/blueprint.ts';
import { isDefinedTemplateRef } from '../../../shared/topology/model/class-references.ts';
import type { Current } from '../../../shared/topology/model/current.ts';
import { readBlueprint, type TopologySource } from './blueprint.ts';
import { prefixed } from './checks.ts';
import { readFromCluster } from './current.ts';
import { type ControlPlaneAsk, readControlPlane } from './current-control-plane.ts';
import { readMachineDeployments, readMachinePools } from './current-workers.ts';
import type { PassReads } from './pass-reads.ts';

export interface TopologyState {
  readonly blueprint: Blueprint;
  readonly current: Current;
}

/** Errors are told whole; one of the class before one of the objects. */
export async function readState(source: TopologySource, ask: PassReads): Promise<Checked<TopologyState>> {
  const contract = readContract(source, ask);
  const [templates, current, found] = await Promise.all([
    readBlueprint(source, ask),
    readCurrent(source, { ask, contractOf: object => askContract(object, ask) }),
    contract,
  ]);
  if (!templates.ok) {
    return prefixed(templates, 'error reading the ClusterClass');
  }
  if (!current.ok) {
    return prefixed(current, 'error reading current state of the Cluster topology');
  }
  return mapChecked(
    prefixed(found, 'error computing the desired state of the Cluster topology: failed to compute ControlPlane'),
    value => ({
      blueprint: { ...templates.value, controlPlane: { ...templates.value.controlPlane, contract: value } },
      current: current.value,
    }),
  );
}

/**
 * The contract of the control plane's kind, in the version in which its objects are written. The template may name another
 * kind than its own name tells; nobody does, so its definition is asked for without waiting for the template.
 */
async function readContract(
  { classSpec, className }: TopologySource,
  ask: PassReads,
): Promise<Checked<ContractVersion>> {
  const { templateRef } = classSpec.controlPlane;
  if (!isDefinedTemplateRef(templateRef)) {
    return invalid('reference is not set');
  }
  const guess = { apiVersion: templateRef.apiVersion, kind: templateRef.kind.replace(/Template$/, '') };
  const [template, likely] = await Promise.all([
    ask.get({ ...templateRef, namespace: className.namespace }),
    askContract(guess, ask),
  ]);
  const body = template.ok ? valueAt(template.value.spec, 'template') : undefined;
  const made = { ...guess, ...stated.parse(body) };
  const isGuessed = made.apiVersion === guess.apiVersion && made.kind === guess.kind;
  return isGuessed ? likely : askContract(made, ask);
}

const stated = z.pipe(
  section({ apiVersion: text, kind: text }),
  z.transform(({ apiVersion, kind }) => ({
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind }),
  })),
);

async function askContract(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  ask: PassReads,
): Promise<Checked<ContractVersion>> {
  const definition = await ask.definition({ group: groupOf(apiVersion), kind });
  const contract = definition.ok
    ? contractOfVersion(definition.value, versionOf(apiVersion))
    : invalid(`failed to get CustomResourceDefinition metadata: ${definition.failure.message}`);
  return prefixed(contract, 'failed to get contract version for the ControlPlane object');
}

async function readCurrent(source: TopologySource, asking: ControlPlaneAsk): Promise<Checked<Current>> {
  const { cluster, classSpec } = source;
  const { namespace, name } = cluster.metadata;
  const { templateRef } = classSpec.infrastructure;
  const stored = { ref: cluster.spec.infrastructureRef, from: templateRef, names: 'object', namespace } as const;
  const [infrastructureCluster, controlPlane, machineDeployments, machinePools] = await Promise.all([
    readFromCluster(stored, toDisplayName({ namespace, name }), asking.ask),
    readControlPlane(source, asking),
    readMachineDeployments(source, asking.ask),
    readMachinePools(source, asking.ask),
  ]);
  if (!infrastructureCluster.ok) {
    return infrastructureCluster;
  }
  if (!controlPlane.ok) {
    return controlPlane;
  }
  if (!machineDeployments.ok) {
    return machineDeployments;
  }
  return mapChecked(machinePools, pools => ({
    ...(infrastructureCluster.value === undefined ? {} : { infrastructureCluster: infrastructureCluster.value }),
    controlPlane: controlPlane.value,
    machineDeployments: machineDeployments.value,
    machinePools: pools,
  }));
}
