// Checks worker classes and the control plane of a ClusterClass: names, rollout, health checks, taints, metadata.
import { type FieldError, forbidden, invalidValue, problemsOfLabelKey, quote } from '@capi-serverless/apimachinery';
import type { ClassSpec } from '../api/cluster-class/class-spec.ts';
import { type HealthCheck, isDefinedCheck, isDefinedTemplateRef } from '../api/topology-parts.ts';
import { problemsOfMetadata } from '../variables/variable-metadata.ts';
import { type Amount, readHealthCheck, readRollingUpdate, readTaints } from './checked-parts.ts';

export function problemsOfClassNames({ workers }: ClassSpec): readonly FieldError[] {
  const repeated = (list: 'machineDeployments' | 'machinePools', kind: string): readonly FieldError[] => {
    const seen = new Set<string>();
    return workers[list].flatMap((each, index) => {
      const isRepeated = seen.has(each.class);
      seen.add(each.class);
      const detail = `${kind} class must be unique. ${kind} with class ${quote(each.class)} is defined more than once`;
      return isRepeated ? [invalidValue(`spec.workers.${list}[${index}].class`, each.class, detail)] : [];
    });
  };
  return [...repeated('machineDeployments', 'MachineDeployment'), ...repeated('machinePools', 'MachinePool')];
}

export function problemsOfRollouts({ workers }: ClassSpec): readonly FieldError[] {
  return workers.machineDeployments.flatMap(({ class: name, rollout }) =>
    problemsOfRollingUpdate(rollout, `spec.workers.machineDeployments[${name}].rollout.strategy.rollingUpdate`),
  );
}

/** `rollout` belongs to a topology or a class. */
export function problemsOfRollingUpdate(rollout: unknown, field: string): readonly FieldError[] {
  const { maxUnavailable, maxSurge } = readRollingUpdate(rollout);
  return [
    ...problemsOfAmount(maxUnavailable, `${field}.maxUnavailable`),
    ...problemsOfAmount(maxSurge, `${field}.maxSurge`),
    ...(maxUnavailable === 0 && maxSurge === 0
      ? [invalidValue(field, '0', 'maxUnavailable and maxSurge cannot both be 0')]
      : []),
  ];
}

/** Accepts any number, and a percentage as text. */
export function problemsOfAmount(amount: Amount | undefined, field: string): readonly FieldError[] {
  if (typeof amount !== 'string') {
    return [];
  }
  const digits = amount.endsWith('%') ? amount.slice(0, -1) : undefined;
  const why =
    digits === undefined
      ? 'invalid type: string is not a percentage'
      : `invalid value ${quote(amount)}: strconv.Atoi: parsing ${quote(digits)}: invalid syntax`;
  return digits !== undefined && /^[+-]?\d+$/.test(digits)
    ? []
    : [invalidValue(field, amount, `must be either an int or a percentage: invalid value for IntOrString: ${why}`)];
}

export function problemsOfHealthChecks({ controlPlane, workers }: ClassSpec): readonly FieldError[] {
  const ofControlPlane = 'spec.controlPlane.healthCheck';
  return [
    ...(isDefinedCheck(controlPlane.healthCheck)
      ? [
          ...problemsOfHealthCheck(controlPlane.healthCheck, ofControlPlane),
          ...(isDefinedTemplateRef(controlPlane.machineInfrastructure.templateRef)
            ? []
            : [forbidden(ofControlPlane, 'can be only set if spec.controlPlane.machineInfrastructure is set')]),
        ]
      : []),
    ...workers.machineDeployments
      .filter(({ healthCheck }) => isDefinedCheck(healthCheck))
      .flatMap(({ class: name, healthCheck }) => {
        const field = `spec.workers.machineDeployments[${name}].healthCheck`;
        return problemsOfWorkerHealthCheck(healthCheck, field);
      }),
  ];
}

/** Includes the fields that only MachineDeployments have. */
export function problemsOfWorkerHealthCheck(check: HealthCheck, field: string): readonly FieldError[] {
  return [
    ...problemsOfHealthCheck(check, field),
    ...problemsOfAmount(readHealthCheck(check).remediation.maxInFlight, `${field}.remediation.maxInFlight`),
  ];
}

/** A shorter timeout would treat a starting Node as failed. */
const shortestStartupSeconds = 30;

/** `check` is a health check of a topology or a class, or the spec of a MachineHealthCheck. */
export function problemsOfHealthCheck(check: unknown, field: string): readonly FieldError[] {
  const { checks, remediation } = readHealthCheck(check);
  const seconds = checks.nodeStartupTimeoutSeconds ?? 0;
  const place = `${field}.checks.nodeStartupTimeoutSeconds`;
  return [
    ...(seconds !== 0 && seconds < shortestStartupSeconds
      ? [invalidValue(place, seconds, 'must be at least 30s')]
      : []),
    ...problemsOfAmount(
      remediation.triggerIf.unhealthyLessThanOrEqualTo,
      `${field}.remediation.triggerIf.unhealthyLessThanOrEqualTo`,
    ),
  ];
}

export function problemsOfAllTaints({ controlPlane, workers }: ClassSpec, allowed: boolean): readonly FieldError[] {
  const ofClasses = (list: 'machineDeployments' | 'machinePools'): readonly FieldError[] =>
    workers[list].flatMap(each => problemsOfTaints(each.taints, `spec.workers.${list}[${each.class}].taints`, allowed));
  return [
    ...problemsOfTaints(controlPlane.taints, 'spec.controlPlane.taints', allowed),
    ...ofClasses('machineDeployments'),
    ...ofClasses('machinePools'),
  ];
}

export const taintsDisabled =
  'taints are not allowed to be set when the feature gate MachineTaintPropagation is disabled';

export function problemsOfTaints(list: unknown, field: string, allowed: boolean): readonly FieldError[] {
  const taints = readTaints(list);
  return [
    ...(taints.length > 0 && !allowed ? [forbidden(field, taintsDisabled)] : []),
    ...taints.flatMap(({ key }, index) =>
      [...reservationOf(key), ...problemsOfLabelKey(key)].map(problem =>
        invalidValue(`${field}[${index}].key`, key, problem),
      ),
    ),
  ];
}

export const outOfServiceTaint = 'node.kubernetes.io/out-of-service';
export const ownTaints = ['node.cluster.x-k8s.io/uninitialized', 'node.cluster.x-k8s.io/outdated-revision'];
export const cloudTaintPrefix = 'node.cloudprovider.kubernetes.io/';

function reservationOf(key: string): readonly string[] {
  if (ownTaints.includes(key)) {
    return ['taint key is not allowed'];
  }
  if (key.startsWith('node.kubernetes.io/') && key !== outOfServiceTaint) {
    return [`taint key must not have the prefix node.kubernetes.io/, except for ${outOfServiceTaint}`];
  }
  if (key.startsWith(cloudTaintPrefix)) {
    return [`taint key must not have the prefix ${cloudTaintPrefix}`];
  }
  return key === 'node-role.kubernetes.io/master'
    ? ['taint is deprecated since 1.24 and should not be used anymore']
    : [];
}

export function problemsOfAllMetadata({ controlPlane, workers }: ClassSpec): readonly FieldError[] {
  const ofClasses = (list: 'machineDeployments' | 'machinePools'): readonly FieldError[] =>
    workers[list].flatMap(each =>
      problemsOfMetadata(each.metadata, `spec.workers.${list}[${each.class}].template.metadata`),
    );
  return [
    ...problemsOfMetadata(controlPlane.metadata, 'spec.controlPlane.metadata'),
    ...ofClasses('machineDeployments'),
    ...ofClasses('machinePools'),
  ];
}
