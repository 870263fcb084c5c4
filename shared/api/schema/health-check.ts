// The health check settings of a Cluster's topology, of a ClusterClass and of a MachineHealthCheck.
import {
  atomicList,
  choice,
  filledObject,
  filledText,
  flag,
  int32,
  intOrString,
  type JsonSchema,
  object,
  text,
} from './json-schema.ts';
import { maxInFlight } from './machine-parts.ts';
import { conditionType } from './name-schemas.ts';
import { versionedReference } from './reference-schemas.ts';

const timeoutSeconds = int32('How long the condition must last before the Machine counts as unhealthy.', {
  minimum: 0,
});

const nodeCondition = object(
  'A Node condition that marks the Machine as unhealthy when it lasts.',
  {
    type: text('Type of the condition.', { minLength: 1 }),
    status: text('The status that marks the Machine as unhealthy.', { minLength: 1 }),
    timeoutSeconds,
  },
  { required: ['type', 'status', 'timeoutSeconds'] },
);

/** Conditions that health checks change. A health check must not depend on them. */
const ownConditions = ['Ready', 'Available', 'HealthCheckSucceeded', 'OwnerRemediated', 'ExternallyRemediated'];

const machineCondition = object(
  'A Machine condition that marks the Machine as unhealthy when it lasts.',
  {
    type: conditionType('Type of the condition.', [
      {
        rule: `!(self in [${ownConditions.map(type => `'${type}'`).join(',')}])`,
        message: `${ownConditions.join(', ')} cannot be checked`,
      },
    ]),
    status: choice('The status that marks the Machine as unhealthy.', ['True', 'False', 'Unknown']),
    timeoutSeconds,
  },
  { required: ['type', 'status', 'timeoutSeconds'] },
);

const conditionLimits = { minItems: 1, maxItems: 100 };

export const healthChecks = filledObject('What makes a Machine unhealthy.', {
  nodeStartupTimeoutSeconds: int32('How long a Machine may take to get its Node; 0 switches this check off.', {
    minimum: 0,
  }),
  unhealthyNodeConditions: atomicList(
    'Node conditions that mark a Machine as unhealthy.',
    nodeCondition,
    conditionLimits,
  ),
  unhealthyMachineConditions: atomicList(
    'Machine conditions that mark a Machine as unhealthy.',
    machineCondition,
    conditionLimits,
  ),
});

const remediation = {
  triggerIf: filledObject('Remediation stops while this does not hold.', {
    unhealthyLessThanOrEqualTo: intOrString('At most this many Machines are unhealthy: a number or a percentage.'),
    unhealthyInRange: filledText('The number of unhealthy Machines is in this range, such as [3-5].', 32, {
      pattern: '^\\[[0-9]+-[0-9]+\\]$',
    }),
  }),
  templateRef: versionedReference('Template of the object that an external remediation gets for each Machine.'),
};

const remediationText = 'How unhealthy Machines are remediated.';

function healthCheck(remediationSchema: JsonSchema): JsonSchema {
  return filledObject('Health check of the Machines; overrides that of the ClusterClass.', {
    enabled: flag('Switches the health check on or off.'),
    checks: healthChecks,
    remediation: remediationSchema,
  });
}

function healthCheckClass(remediationSchema: JsonSchema): JsonSchema {
  return filledObject('Health check of the Machines, unless a Cluster overrides it.', {
    checks: healthChecks,
    remediation: remediationSchema,
  });
}

export const healthCheckRemediation = filledObject(remediationText, remediation);
const machineDeploymentRemediation = filledObject(remediationText, { maxInFlight, ...remediation });

export const controlPlaneHealthCheck = healthCheck(healthCheckRemediation);
export const machineDeploymentHealthCheck = healthCheck(machineDeploymentRemediation);

/** Health checks of a ClusterClass. A defined health check is enabled. */
export const controlPlaneHealthCheckClass = healthCheckClass(healthCheckRemediation);
export const machineDeploymentHealthCheckClass = healthCheckClass(machineDeploymentRemediation);
