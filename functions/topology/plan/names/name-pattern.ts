// The name of each object of a topology, without its unique characters.
import { type Checked, mapChecked, valid } from '@capi-serverless/apimachinery';
import { type NameData, renderName } from './naming-template.ts';
import type { Randomness } from './random.ts';

/** The purpose of a name. Names are computed from it: never change a value. */
export type NameRole =
  | 'InfrastructureCluster'
  | 'ControlPlane'
  | 'ControlPlaneMachineTemplate'
  | 'MachineDeployment'
  | 'MachineDeploymentBootstrapTemplate'
  | 'MachineDeploymentInfrastructureTemplate'
  | 'MachinePool'
  | 'MachinePoolBootstrapObject'
  | 'MachinePoolInfrastructureObject';

export interface NamePattern {
  readonly role: NameRole;
  readonly clusterName: string;
  /** "" for objects that a Cluster has once. */
  readonly topologyName: string;
  /** The class's; "" if it has none. */
  readonly template: string;
}

/** The longest name, and how much of a longer one is kept before new random characters. */
const longestBytes = 63;
const keptBytes = 58;

/** Not longer than 63 bytes, so that it can be the value of a label. */
export function toName(pattern: NamePattern, { random, ending }: Randomness): Checked<string> {
  const { clusterName, topologyName, template } = pattern;
  const cluster = { name: clusterName };
  const rendered = (fallback: string, data: NameData): Checked<string> =>
    mapChecked(renderName(template === '' ? fallback : template, { cluster, random, ...data }), name =>
      bytesOf(name).length > longestBytes ? cut(name) + ending : name,
    );
  switch (pattern.role) {
    case 'InfrastructureCluster':
    case 'ControlPlane':
      return rendered('{{ .cluster.name }}-{{ .random }}', {});
    case 'MachineDeployment':
      return rendered('{{ .cluster.name }}-{{ .machineDeployment.topologyName }}-{{ .random }}', {
        machineDeployment: { topologyName },
      });
    case 'MachinePool':
      return rendered('{{ .cluster.name }}-{{ .machinePool.topologyName }}-{{ .random }}', {
        machinePool: { topologyName },
      });
    case 'ControlPlaneMachineTemplate':
      return valid(cut(`${clusterName}-`) + random);
    case 'MachineDeploymentBootstrapTemplate':
    case 'MachineDeploymentInfrastructureTemplate':
    case 'MachinePoolBootstrapObject':
    case 'MachinePoolInfrastructureObject':
      return valid(cut(`${clusterName}-${topologyName}-`) + random);
  }
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The first bytes, without a partial character at the end. */
function cut(text: string): string {
  return new TextDecoder().decode(bytesOf(text).subarray(0, keptBytes), { stream: true });
}
