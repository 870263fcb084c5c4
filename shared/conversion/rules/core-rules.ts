// The rules of Cluster, ClusterClass, the machine kinds and MachineHealthCheck between v1beta1 and v1beta2.
import { type KindRule, type RuleTable, rows, same } from '../rule.ts';

/** The two families of conditions are never translated into each other. */
export const conditions = rows(
  'move',
  ['conditions', 'deprecated.v1beta1.conditions'],
  ['v1beta2.conditions', 'conditions'],
);

const failure = rows(
  'move',
  ['failureReason', 'deprecated.v1beta1.failureReason'],
  ['failureMessage', 'deprecated.v1beta1.failureMessage'],
);

const timeouts = rows(
  'move',
  ['nodeDrainTimeout', 'deletion.nodeDrainTimeoutSeconds'],
  ['nodeVolumeDetachTimeout', 'deletion.nodeVolumeDetachTimeoutSeconds'],
  ['nodeDeletionTimeout', 'deletion.nodeDeletionTimeoutSeconds'],
);

const healthCheck = [
  ...rows(
    'moveItems',
    ['unhealthyConditions', 'checks.unhealthyNodeConditions'],
    ['unhealthyMachineConditions', 'checks.unhealthyMachineConditions'],
  ),
  ...rows(
    'move',
    ['nodeStartupTimeout', 'checks.nodeStartupTimeoutSeconds'],
    ['maxUnhealthy', 'remediation.triggerIf.unhealthyLessThanOrEqualTo'],
    ['unhealthyRange', 'remediation.triggerIf.unhealthyInRange'],
    ['remediationTemplate', 'remediation.templateRef'],
  ),
];

const topologyHealthCheck = [...rows('move', ['enable', 'enabled']), ...healthCheck];

const strategy = rows(
  'move',
  ['strategy.type', 'rollout.strategy.type'],
  ['strategy.rollingUpdate.maxSurge', 'rollout.strategy.rollingUpdate.maxSurge'],
  ['strategy.rollingUpdate.maxUnavailable', 'rollout.strategy.rollingUpdate.maxUnavailable'],
  ['strategy.rollingUpdate.deletePolicy', 'deletion.order'],
);

const inHealthCheck = rows('move', ['strategy.remediation.maxInFlight', 'healthCheck.remediation.maxInFlight']);

const machineHealthCheck = rows('move', ['machineHealthCheck', 'healthCheck']);

const naming = rows('move', ['namingStrategy.template', 'naming.template']);

const template = rows('template', ['ref', 'templateRef']);

const workerTemplate = [
  ...rows('move', ['template.metadata', 'metadata']),
  ...rows(
    'template',
    ['template.bootstrap.ref', 'bootstrap.templateRef'],
    ['template.infrastructure.ref', 'infrastructure.templateRef'],
  ),
];

const newCounters = rows(
  'move',
  ['v1beta2.readyReplicas', 'readyReplicas'],
  ['v1beta2.availableReplicas', 'availableReplicas'],
  ['v1beta2.upToDateReplicas', 'upToDateReplicas'],
);

const oldCounters = rows(
  'move',
  ['readyReplicas', 'deprecated.v1beta1.readyReplicas'],
  ['availableReplicas', 'deprecated.v1beta1.availableReplicas'],
);

const machineNaming = rows('move', ['machineNamingStrategy.template', 'machineNaming.template']);

const variableMetadata = rows('move', ['metadata', 'deprecatedV1Beta1Metadata']);

export const coreRules: RuleTable = {
  'v1beta1.ClusterSpec v1beta2.ClusterSpec': same('restore', 'paused'),
  'v1beta1.ClusterStatus v1beta2.ClusterStatus': [
    ...rows(
      'restore',
      ['infrastructureReady', 'initialization.infrastructureProvisioned'],
      ['controlPlaneReady', 'initialization.controlPlaneInitialized'],
    ),
    ...same('failureDomains', 'failureDomains'),
    ...rows('move', ['v1beta2.controlPlane', 'controlPlane'], ['v1beta2.workers', 'workers']),
    ...failure,
    ...conditions,
  ],
  'v1beta1.Topology v1beta2.Topology': rows(
    'move',
    ['class', 'classRef.name'],
    ['classNamespace', 'classRef.namespace'],
  ),
  'v1beta1.ControlPlaneTopology v1beta2.ControlPlaneTopology': [...timeouts, ...machineHealthCheck],
  'v1beta1.MachineDeploymentTopology v1beta2.MachineDeploymentTopology': [
    ...timeouts,
    ...machineHealthCheck,
    ...strategy,
    ...inHealthCheck,
  ],
  'v1beta1.MachinePoolTopology v1beta2.MachinePoolTopology': timeouts,
  'v1beta1.MachineHealthCheckTopology v1beta2.ControlPlaneTopologyHealthCheck': topologyHealthCheck,
  'v1beta1.MachineHealthCheckTopology v1beta2.MachineDeploymentTopologyHealthCheck': topologyHealthCheck,

  'v1beta1.ClusterClassSpec v1beta2.ClusterClassSpec': rows('move', [
    'infrastructureNamingStrategy.template',
    'infrastructure.naming.template',
  ]),
  'v1beta1.LocalObjectTemplate v1beta2.InfrastructureClass': template,
  'v1beta1.LocalObjectTemplate v1beta2.ControlPlaneClassMachineInfrastructureTemplate': template,
  'v1beta1.ControlPlaneClass v1beta2.ControlPlaneClass': [...template, ...timeouts, ...machineHealthCheck, ...naming],
  'v1beta1.MachineDeploymentClass v1beta2.MachineDeploymentClass': [
    ...workerTemplate,
    ...timeouts,
    ...machineHealthCheck,
    ...naming,
    ...strategy,
    ...inHealthCheck,
  ],
  'v1beta1.MachinePoolClass v1beta2.MachinePoolClass': [...workerTemplate, ...timeouts, ...naming],
  'v1beta1.MachineHealthCheckClass v1beta2.ControlPlaneClassHealthCheck': healthCheck,
  'v1beta1.MachineHealthCheckClass v1beta2.MachineDeploymentClassHealthCheck': healthCheck,
  'v1beta1.ClusterClassVariable v1beta2.ClusterClassVariable': variableMetadata,
  'v1beta1.ClusterClassStatusVariable v1beta2.ClusterClassStatusVariable': same('restore', 'definitionsConflict'),
  'v1beta1.ClusterClassStatusVariableDefinition v1beta2.ClusterClassStatusVariableDefinition': variableMetadata,
  'v1beta1.JSONSchemaProps v1beta2.JSONSchemaProps': same(
    'restore',
    'uniqueItems',
    'exclusiveMaximum',
    'exclusiveMinimum',
    'x-kubernetes-preserve-unknown-fields',
    'x-kubernetes-int-or-string',
  ),
  'v1beta1.PatchSelectorMatch v1beta2.PatchSelectorMatch': same('restore', 'controlPlane', 'infrastructureCluster'),
  'v1beta1.ExternalPatchDefinition v1beta2.ExternalPatchDefinition': rows(
    'move',
    ['generateExtension', 'generatePatchesExtension'],
    ['validateExtension', 'validateTopologyExtension'],
  ),
  'v1beta1.ClusterClassStatus v1beta2.ClusterClassStatus': conditions,

  'v1beta1.MachineSpec v1beta2.MachineSpec': timeouts,
  'v1beta1.MachineStatus v1beta2.MachineStatus': [
    ...rows(
      'restore',
      ['bootstrapReady', 'initialization.bootstrapDataSecretCreated'],
      ['infrastructureReady', 'initialization.infrastructureProvisioned'],
    ),
    ...same('phase', 'phase'),
    ...failure,
    ...conditions,
  ],

  'v1beta1.MachineSetSpec v1beta2.MachineSetSpec': [
    // Without an annotation, 0 is always absent.
    ...rows('restore', ['minReadySeconds', 'template.spec.minReadySeconds']),
    ...rows('move', ['deletePolicy', 'deletion.order']),
    ...machineNaming,
  ],
  'v1beta1.MachineSetStatus v1beta2.MachineSetStatus': [
    ...oldCounters,
    ...rows('move', ['fullyLabeledReplicas', 'deprecated.v1beta1.fullyLabeledReplicas']),
    ...newCounters,
    ...failure,
    ...conditions,
  ],

  'v1beta1.MachineDeploymentSpec v1beta2.MachineDeploymentSpec': [
    ...same('restore', 'paused'),
    ...rows(
      'move',
      ['minReadySeconds', 'template.spec.minReadySeconds'],
      ['rolloutAfter', 'rollout.after'],
      ['strategy.remediation.maxInFlight', 'remediation.maxInFlight'],
    ),
    ...strategy,
    ...machineNaming,
  ],
  'v1beta1.MachineDeploymentStatus v1beta2.MachineDeploymentStatus': [
    ...oldCounters,
    ...rows(
      'move',
      ['unavailableReplicas', 'deprecated.v1beta1.unavailableReplicas'],
      ['updatedReplicas', 'deprecated.v1beta1.updatedReplicas'],
    ),
    ...newCounters,
    ...conditions,
  ],

  'v1beta1.MachinePoolSpec v1beta2.MachinePoolSpec': rows('move', ['minReadySeconds', 'template.spec.minReadySeconds']),
  'v1beta1.MachinePoolStatus v1beta2.MachinePoolStatus': [
    ...rows(
      'restore',
      ['bootstrapReady', 'initialization.bootstrapDataSecretCreated'],
      ['infrastructureReady', 'initialization.infrastructureProvisioned'],
    ),
    ...oldCounters,
    ...rows('move', ['unavailableReplicas', 'deprecated.v1beta1.unavailableReplicas']),
    ...newCounters,
    ...failure,
    ...conditions,
  ],

  'v1beta1.MachineHealthCheckSpec v1beta2.MachineHealthCheckSpec': healthCheck,
  'v1beta1.UnhealthyCondition v1beta2.UnhealthyNodeCondition': rows('move', ['timeout', 'timeoutSeconds']),
  'v1beta1.UnhealthyMachineCondition v1beta2.UnhealthyMachineCondition': rows('move', ['timeout', 'timeoutSeconds']),
  'v1beta1.MachineHealthCheckStatus v1beta2.MachineHealthCheckStatus': [
    ...same('restore', 'expectedMachines', 'currentHealthy', 'remediationsAllowed'),
    ...conditions,
  ],
};

/** MachineSet and MachineDrainRule have no annotation. */
export const coreKinds: Readonly<Record<string, KindRule>> = {
  'v1beta1.Cluster': { hasAnnotation: true },
  'v1beta1.ClusterClass': { hasAnnotation: true },
  'v1beta1.Machine': {
    hasAnnotation: true,
    fromAnnotation: ['spec.minReadySeconds', 'status.phase', 'status.failureDomain'],
  },
  'v1beta1.MachineSet': { alwaysNewer: 'status.deprecated.v1beta1' },
  'v1beta1.MachineDeployment': { hasAnnotation: true, alwaysNewer: 'status.deprecated.v1beta1' },
  'v1beta1.MachinePool': { hasAnnotation: true, alwaysNewer: 'status.deprecated.v1beta1' },
  'v1beta1.MachineHealthCheck': { hasAnnotation: true },
  'v1beta1.MachineDrainRule': {},
};
