// Checks the health checks in a topology: their fields, and whether a check is defined if it is enabled.
import { type FieldError, forbidden } from '@capi-serverless/apimachinery';
import type { ClassSpec } from '../api/cluster-class/class-spec.ts';
import { type HealthCheck, isDefinedCheck, isDefinedTemplateRef } from '../api/topology-parts.ts';
import type { ClusterTopology } from '../topology/model/cluster-topology.ts';
import { problemsOfHealthCheck, problemsOfWorkerHealthCheck } from './workers.ts';

export function problemsOfTopologyHealthChecks(
  { controlPlane, workers }: ClusterTopology,
  classSpec: ClassSpec,
): readonly FieldError[] {
  const ofWorkers = workers.machineDeployments.flatMap(({ name, class: className, healthCheck }) => {
    const field = `spec.topology.workers.machineDeployments[${name}].healthCheck`;
    const ofClass = classSpec.workers.machineDeployments.find(each => each.class === className);
    return [
      ...(isDefinedCheck(healthCheck) ? problemsOfWorkerHealthCheck(healthCheck, field) : []),
      // A missing class is reported as an error of the class name.
      ...(ofClass === undefined ? [] : problemsOfSwitch(healthCheck, ofClass.healthCheck, field)),
    ];
  });
  return [...problemsOfControlPlane(controlPlane.healthCheck, classSpec), ...ofWorkers];
}

function problemsOfControlPlane(healthCheck: HealthCheck, { controlPlane }: ClassSpec): readonly FieldError[] {
  const field = 'spec.topology.controlPlane.healthCheck';
  const detail = 'can be only set if spec.controlPlane.machineInfrastructure is set in ClusterClass';
  const hasMachines = isDefinedTemplateRef(controlPlane.machineInfrastructure.templateRef);
  const ofDefinition = isDefinedCheck(healthCheck)
    ? [...(hasMachines ? [] : [forbidden(field, detail)]), ...problemsOfHealthCheck(healthCheck, field)]
    : [];
  return [...ofDefinition, ...problemsOfSwitch(healthCheck, controlPlane.healthCheck, field)];
}

/** The field name in the message is upstream's. */
function problemsOfSwitch(own: HealthCheck, ofClass: HealthCheck, field: string): readonly FieldError[] {
  const detail =
    'cannot be set to true as healthCheck definition is not available in the Cluster topology or the ClusterClass';
  return own.enabled !== true || isDefinedCheck(own) || isDefinedCheck(ofClass)
    ? []
    : [forbidden(`${field}.enable`, detail)];
}
