// The name of each object of a topology, without its unique characters.
import { type Checked, mapChecked, valid } from '@capi-serverless/apimachinery';
import { cutName, fitName } from '../../../../shared/names/name-length.ts';
import { type NameData, renderName } from '../../../../shared/names/naming-template.ts';
import type { Randomness } from '../../../../shared/names/random-characters.ts';

/** The purpose of a name. Names are computed from these values, so the values must never change. */
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

interface NamePattern {
  readonly role: NameRole;
  readonly clusterName: string;
  /** "" for objects that exist once per Cluster. */
  readonly topologyName: string;
  /** The naming template of the class, "" if there is none. */
  readonly template: string;
}

/** A name has at most 63 bytes, so that it is a valid label value. */
export function toName(pattern: NamePattern, { random, ending }: Randomness): Checked<string> {
  const { clusterName, topologyName, template } = pattern;
  const cluster = { name: clusterName };
  const rendered = (fallback: string, data: NameData): Checked<string> =>
    mapChecked(renderName(template === '' ? fallback : template, { cluster, random, ...data }), name =>
      fitName(name, ending),
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
      return valid(cutName(`${clusterName}-`) + random);
    case 'MachineDeploymentBootstrapTemplate':
    case 'MachineDeploymentInfrastructureTemplate':
    case 'MachinePoolBootstrapObject':
    case 'MachinePoolInfrastructureObject':
      return valid(cutName(`${clusterName}-${topologyName}-`) + random);
  }
}
