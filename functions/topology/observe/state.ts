// Reads the blueprint and the current state of a topology in parallel.

import {
  all,
  type Checked,
  invalid,
  mapChecked,
  prefixed,
  toDisplayName,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import type { ContractVersion } from '@capi-serverless/cluster-api/contract';
import { isDefinedTemplateRef } from '../../../shared/api/topology-parts.ts';
import type { Blueprint } from '../../../shared/topology/model/blueprint.ts';
import type { TopologySource } from '../plan/class-templates.ts';
import {
  definitionOf,
  isSameKind,
  likelyKind,
  type ObjectKind,
  statedKind,
  toContract,
} from '../plan/current/control-plane-contract.ts';
import type { Current } from '../plan/current/current-topology.ts';
import { readBlueprint } from './blueprint.ts';
import { type ControlPlaneAsk, readControlPlane } from './current/read-control-plane.ts';
import { readFromCluster } from './current/read-referenced.ts';
import { readMachineDeployments, readMachinePools } from './current/read-workers.ts';
import type { PassReads } from './pass-reads.ts';

export interface TopologyState {
  readonly blueprint: Blueprint;
  readonly current: Current;
}

/** Errors are complete, as in the condition. An error of the class has precedence over an error of the objects. */
export async function readState(source: TopologySource, ask: PassReads): Promise<Checked<TopologyState>> {
  const [templates, current, contract] = await Promise.all([
    readBlueprint(source, ask),
    readCurrent(source, { ask, contractOf: object => askContract(object, ask) }),
    readContract(source, ask),
  ]);
  const parts = all({
    templates: prefixed(templates, 'error reading the ClusterClass'),
    current: prefixed(current, 'error reading current state of the Cluster topology'),
    contract: prefixed(
      contract,
      'error computing the desired state of the Cluster topology: failed to compute ControlPlane',
    ),
  });
  return mapChecked(parts, ({ templates: found, current: there, contract: version }) => ({
    blueprint: { ...found, controlPlane: { ...found.controlPlane, contract: version } },
    current: there,
  }));
}

/**
 * The kind of a template usually follows from its name. Therefore the definition is read in parallel with the template.
 */
async function readContract(
  { classSpec, className }: TopologySource,
  ask: PassReads,
): Promise<Checked<ContractVersion>> {
  const { templateRef } = classSpec.controlPlane;
  if (!isDefinedTemplateRef(templateRef)) {
    return invalid('reference is not set');
  }
  const likely = likelyKind(templateRef);
  const [template, contract] = await Promise.all([
    ask.get({ ...templateRef, namespace: className.namespace }),
    askContract(likely, ask),
  ]);
  const stated = statedKind(template, likely);
  return isSameKind(stated, likely) ? contract : askContract(stated, ask);
}

async function askContract(kind: ObjectKind, ask: PassReads): Promise<Checked<ContractVersion>> {
  return toContract(kind, await ask.definition(definitionOf(kind)));
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
  return mapChecked(
    all({ infrastructureCluster, controlPlane, machineDeployments, machinePools }),
    ({ infrastructureCluster: object, ...others }) => ({
      ...others,
      ...withoutUndefined({ infrastructureCluster: object }),
    }),
  );
}
