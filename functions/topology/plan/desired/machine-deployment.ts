// One MachineDeployment of a topology, with its templates and its health check.

import { memberOf, withoutUndefined } from '@capi-serverless/apimachinery';
import { clusterApiVersion } from '../../../../shared/api/cluster/reader.ts';
import type { MachineDeploymentClass } from '../../../../shared/api/cluster-class/class-spec.ts';
import type { Blueprint, WorkerTemplates } from '../../../../shared/topology/model/blueprint.ts';
import type { MachineDeploymentTopology } from '../../../../shared/topology/model/cluster-topology.ts';
import { deploymentNameLabel } from '../../../../shared/topology/model/keys.ts';
import type { WorkerNames } from '../names/topology-names.ts';
import { type NamespacedIntent, templateToTemplate } from './clone.ts';
import type { DesiredMachineDeployment } from './desired-topology.ts';
import { present, presentOrAbsent, withoutEmpty } from './fields.ts';
import { computeHealthCheck, machineDeploymentSelector } from './health-check.ts';
import { chosenList, machineSpec, workerMetadata } from './machines.ts';
import { clusterAsOwner, metadataFields, topologyLabels } from './topology-metadata.ts';

interface MachineDeploymentInput {
  readonly cluster: Blueprint['cluster'];
  readonly topology: MachineDeploymentTopology;
  readonly from: WorkerTemplates<MachineDeploymentClass>;
  readonly names: WorkerNames;
  readonly version: string;
}

export function computeMachineDeployment(input: MachineDeploymentInput): DesiredMachineDeployment {
  const { cluster, topology, from, names } = input;
  const topologyLabel = { [deploymentNameLabel]: topology.name };
  const shared = { cluster, owner: clusterAsOwner(cluster), topologyLabel };
  const bootstrapTemplate = templateToTemplate({ ...shared, template: from.bootstrap, name: names.bootstrap.name });
  const infrastructureTemplate = templateToTemplate({
    ...shared,
    template: from.infrastructure,
    name: names.infrastructure.name,
  });
  const object = toObject(input, { bootstrapTemplate, infrastructureTemplate });
  const healthCheck = computeHealthCheck(topology.healthCheck, from.class.healthCheck, {
    cluster,
    object,
    selector: machineDeploymentSelector(topology.name),
  });
  return { object, bootstrapTemplate, infrastructureTemplate, ...withoutUndefined({ healthCheck }) };
}

type Templates = Pick<DesiredMachineDeployment, 'bootstrapTemplate' | 'infrastructureTemplate'>;

function toObject(input: MachineDeploymentInput, templates: Templates): NamespacedIntent {
  const { cluster, topology, from, names, version } = input;
  const topologyLabel = { [deploymentNameLabel]: topology.name };
  const metadata = metadataFields(workerMetadata(cluster, topologyLabel, { topology, ofClass: from.class }));
  return {
    apiVersion: clusterApiVersion,
    kind: 'MachineDeployment',
    metadata: { name: names.object.name, namespace: cluster.metadata.namespace, ...metadata },
    spec: present({
      clusterName: cluster.metadata.name,
      replicas: topology.replicas,
      rollout: rolloutOf(topology, from.class),
      deletion: presentOrAbsent({ order: topology.deletion.order ?? from.class.deletion.order }),
      remediation: presentOrAbsent({ maxInFlight: maxInFlightOf(topology) ?? maxInFlightOf(from.class) }),
      selector: { matchLabels: { ...topologyLabels(cluster), ...topologyLabel } },
      template: {
        metadata,
        spec: present({
          ...machineSpec({
            cluster,
            version,
            topology,
            ofClass: from.class,
            bootstrap: templates.bootstrapTemplate,
            infrastructure: templates.infrastructureTemplate,
          }),
          failureDomain: topology.failureDomain ?? from.class.failureDomain,
          readinessGates: chosenList(topology.readinessGates, from.class.readinessGates),
        }),
      },
    }),
  };
}

/**
 * The rollout of the topology replaces the rollout of the class completely. If it sets only `after`, the strategy of
 * the class is dropped.
 */
function rolloutOf(topology: MachineDeploymentTopology, { rollout: { strategy } }: MachineDeploymentClass): unknown {
  return withoutEmpty(topology.rollout) ?? withoutEmpty({ strategy });
}

/** `maxInFlight` has its own precedence, independent of the checks. */
function maxInFlightOf({ healthCheck }: MachineDeploymentTopology | MachineDeploymentClass): unknown {
  return memberOf(healthCheck.remediation, 'maxInFlight');
}
