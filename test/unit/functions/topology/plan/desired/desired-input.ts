// Computes desired states for tests, by default from the settled topology. All inputs are frozen.

import type { JsonObject } from '@capi-serverless/apimachinery';
import { computeDesired, type DesiredInput } from '../../../../../../functions/topology/plan/desired/compute.ts';
import type { Desired } from '../../../../../../functions/topology/plan/desired/desired-topology.ts';
import {
  aCurrent,
  anOlderControlPlane,
  settledNames,
  settledVersions,
} from '../../../../../support/settled-topology.ts';
import {
  aBlueprint,
  aSettledTopologyCluster,
  aTopologyClass,
  type BlueprintParts,
  type ClassChange,
} from '../../../../../support/topology-objects.ts';

export interface DesiredParts extends Omit<BlueprintParts, 'cluster' | 'clusterClass'> {
  /** Fields that replace whole fields of `spec.topology`. */
  readonly topology?: JsonObject;
  readonly ofClass?: ClassChange;
  readonly input?: Partial<Omit<DesiredInput, 'blueprint'>>;
}

export function aDesiredInput({ topology, ofClass, input, ...parts }: DesiredParts = {}): DesiredInput {
  const cluster = aSettledTopologyCluster(topology);
  const clusterClass = aTopologyClass(ofClass, undefined);
  return frozen({
    blueprint: aBlueprint({ cluster, clusterClass, ...parts }),
    ...{ current: aCurrent(ofContract(parts)), names: settledNames, versions: settledVersions() },
    ...input,
  });
}

function ofContract({ contract }: Pick<BlueprintParts, 'contract'>): Parameters<typeof aCurrent>[0] {
  return contract === 'v1beta1' ? { controlPlane: anOlderControlPlane() } : {};
}

export function desiredOf(options: DesiredParts = {}): Desired {
  const desired = computeDesired(aDesiredInput(options));
  if (!desired.ok) {
    throw new Error(desired.error);
  }
  return desired.value;
}

/** Returns the same with one MachineDeployment and class with these fields. */
export function machineDeploymentOf(topology: JsonObject = {}, ofClass: JsonObject = {}) {
  const machineDeployments = [{ class: 'worker', name: 'md1', ...topology }];
  const { machineDeployments: made } = desiredOf({
    topology: { workers: { machineDeployments } },
    ofClass: { machineDeployment: ofClass },
  });
  return found(made.get('md1'));
}

export function machinePoolOf(topology: JsonObject = {}, ofClass: JsonObject = {}) {
  const machinePools = [{ class: 'pool', name: 'mp1', ...topology }];
  const { machinePools: made } = desiredOf({
    topology: { workers: { machinePools } },
    ofClass: { machinePool: ofClass },
  });
  return found(made.get('mp1'));
}

export function controlPlaneOf(topology: JsonObject = {}, ofClass: JsonObject = {}, parts: DesiredParts = {}) {
  return desiredOf({ ...parts, topology: { controlPlane: topology }, ofClass: { controlPlane: ofClass } }).controlPlane;
}

export function found<T>(value: T | undefined): T {
  if (value === undefined) {
    throw new Error('There is none');
  }
  return value;
}

/** Returns the value at a dotted path, or undefined if it is absent. */
export function at(object: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => new Map(Object.entries(value ?? {})).get(key), object);
}

/** Freezes all nested values. Maps contain frozen values. */
function frozen<T>(value: T): T {
  const members = value instanceof Map ? [...value.values()] : Object.values(value ?? {});
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    members.forEach(frozen);
  }
  return value;
}
