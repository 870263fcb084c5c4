// Health checks in a topology: what they say themselves, and whether there is one where one is switched on.
import { type FieldError, forbidden } from '../api/field-error.ts';
import { isDefinedTemplateRef } from '../topology/model/class-references.ts';
import type { ClassSpec } from '../topology/model/class-spec.ts';
import type { ClusterTopology } from '../topology/model/cluster-topology.ts';
import { type HealthCheck, isDefinedCheck } from '../topology/model/parts.ts';
import { readHealthCheck } from './class.ts';
import { problemsOfHealthCheck, problemsOfWorkerHealthCheck } from './workers.ts';

export function problemsOfTopologyHealthChecks(
  { controlPlane, workers }: ClusterTopology,
  classSpec: ClassSpec,
): readonly FieldError[] {
  const ofWorkers = workers.machineDeployments.flatMap(({ name, class: className, healthCheck }) => {
    const field = `spec.topology.workers.machineDeployments[${name}].healthCheck`;
    const ofClass = classSpec.workers.machineDeployments.find(each => each.class === className);
    return [
      ...(isDefinedCheck(healthCheck) ? problemsOfWorkerHealthCheck(readHealthCheck(healthCheck), field) : []),
      // That the class is missing is told of its name.
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
    ? [
        ...(hasMachines ? [] : [forbidden(field, detail)]),
        ...problemsOfHealthCheck(readHealthCheck(healthCheck), field),
      ]
    : [];
  return [...ofDefinition, ...problemsOfSwitch(healthCheck, controlPlane.healthCheck, field)];
}

/** The field's name is upstream's. */
function problemsOfSwitch(own: HealthCheck, ofClass: HealthCheck, field: string): readonly FieldError[] {
  const detail =
    'cannot be set to true as healthCheck definition is not available in the Cluster topology or the ClusterClass';
  return own.enabled !== true || isDefinedCheck(own) || isDefinedCheck(ofClass)
    ? []
    : [forbidden(`${field}.enable`, detail)];
}
