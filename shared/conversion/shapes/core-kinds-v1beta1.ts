// The core kinds in v1beta1. See parse-shapes.ts for the notation.
import type { ShapeText } from '../parse-shapes.ts';

export const coreV1Beta1Shapes: ShapeText = {
  v1beta1: `
APIEndpoint { host string, port int }
Bootstrap { configRef ?*v1.ObjectReference, dataSecretName ?*string }
Cluster { kind ?string, apiVersion ?string, metadata metadata, spec ClusterSpec, status ClusterStatus }
ClusterAvailabilityGate { conditionType string, polarity ?string }
ClusterClass { kind ?string, apiVersion ?string, metadata metadata, spec ClusterClassSpec, status ClusterClassStatus }
ClusterClassPatch { name string, description ?string, enabledIf ?*string, definitions ?[]PatchDefinition, external
  ?*ExternalPatchDefinition }
ClusterClassSpec { availabilityGates ?[]ClusterAvailabilityGate, infrastructure LocalObjectTemplate,
  infrastructureNamingStrategy ?*InfrastructureNamingStrategy, controlPlane ControlPlaneClass, workers WorkersClass,
  variables ?[]ClusterClassVariable, patches ?[]ClusterClassPatch, upgrade ?ClusterClassUpgrade, kubernetesVersions
  ?[]string }
ClusterClassStatus { variables ?[]ClusterClassStatusVariable, conditions ?[]Condition, observedGeneration ?int,
  v1beta2 ?*ClusterClassV1Beta2Status }
ClusterClassStatusVariable { name string, definitionsConflict bool, definitions []ClusterClassStatusVariableDefinition
  }
ClusterClassStatusVariableDefinition { from string, required bool, metadata ClusterClassVariableMetadata, schema
  VariableSchema }
ClusterClassUpgrade { external ?ClusterClassUpgradeExternal }
ClusterClassUpgradeExternal { generateUpgradePlanExtension ?string }
ClusterClassV1Beta2Status { conditions ?[]v1.Condition }
ClusterClassVariable { name string, required bool, metadata ClusterClassVariableMetadata, schema VariableSchema }
ClusterClassVariableMetadata { labels ?<>string, annotations ?<>string }
ClusterControlPlaneStatus { desiredReplicas ?*int, replicas ?*int, upToDateReplicas ?*int, readyReplicas ?*int,
  availableReplicas ?*int, versions ?[]StatusVersion, upgradePlan ?[]StatusUpgradePlanVersion }
ClusterNetwork { apiServerPort ?*int, services ?*NetworkRanges, pods ?*NetworkRanges, serviceDomain ?string }
ClusterSpec { paused ?bool, clusterNetwork ?*ClusterNetwork, controlPlaneEndpoint APIEndpoint, controlPlaneRef
  ?*v1.ObjectReference, infrastructureRef ?*v1.ObjectReference, topology ?*Topology, availabilityGates
  ?[]ClusterAvailabilityGate }
ClusterStatus { failureDomains ?<>FailureDomainSpec, failureReason ?*string, failureMessage ?*string, phase ?string,
  infrastructureReady bool, controlPlaneReady bool, conditions ?[]Condition, observedGeneration ?int, v1beta2
  ?*ClusterV1Beta2Status }
ClusterV1Beta2Status { conditions ?[]v1.Condition, controlPlane ?*ClusterControlPlaneStatus, workers ?*WorkersStatus }
ClusterVariable { name string, definitionFrom ?string, value json }
Condition { type string, status string, severity ?string, lastTransitionTime time, reason ?string, message ?string }
ControlPlaneClass { metadata ObjectMeta, ref *v1.ObjectReference, machineInfrastructure ?*LocalObjectTemplate,
  machineHealthCheck ?*MachineHealthCheckClass, namingStrategy ?*ControlPlaneClassNamingStrategy, nodeDrainTimeout
  ?*duration, nodeVolumeDetachTimeout ?*duration, nodeDeletionTimeout ?*duration, taints ?[]MachineTaint,
  readinessGates ?[]MachineReadinessGate }
ControlPlaneClassNamingStrategy { template ?*string }
ControlPlaneTopology { metadata ObjectMeta, replicas ?*int, rollout ?ControlPlaneTopologyRolloutSpec,
  machineHealthCheck ?*MachineHealthCheckTopology, nodeDrainTimeout ?*duration, nodeVolumeDetachTimeout ?*duration,
  nodeDeletionTimeout ?*duration, taints ?[]MachineTaint, readinessGates ?[]MachineReadinessGate, variables
  ?*ControlPlaneVariables }
ControlPlaneTopologyRolloutSpec { after ?time }
ControlPlaneVariables { overrides ?[]ClusterVariable }
ExternalPatchDefinition { generateExtension ?*string, validateExtension ?*string, discoverVariablesExtension ?*string,
  settings ?<>string }
FailureDomainSpec { controlPlane ?bool, attributes ?<>string }
InfrastructureNamingStrategy { template ?*string }
JSONPatch { op string, path string, value ?*json, valueFrom ?*JSONPatchValue }
JSONPatchValue { variable ?*string, template ?*string }
JSONSchemaProps { description ?string, example ?*json, type ?string, properties ?<>JSONSchemaProps,
  additionalProperties ?*JSONSchemaProps, maxProperties ?*int, minProperties ?*int, required ?[]string, items
  ?*JSONSchemaProps, maxItems ?*int, minItems ?*int, uniqueItems ?bool, format ?string, maxLength ?*int, minLength
  ?*int, pattern ?string, maximum ?*int, exclusiveMaximum ?bool, minimum ?*int, exclusiveMinimum ?bool,
  x-kubernetes-preserve-unknown-fields ?bool, enum ?[]json, default ?*json, x-kubernetes-validations
  ?[]ValidationRule, x-metadata ?*VariableSchemaMetadata, x-kubernetes-int-or-string ?bool, allOf ?[]JSONSchemaProps,
  oneOf ?[]JSONSchemaProps, anyOf ?[]JSONSchemaProps, not ?*JSONSchemaProps }
LocalObjectTemplate { ref *v1.ObjectReference }
Machine { kind ?string, apiVersion ?string, metadata metadata, spec MachineSpec, status MachineStatus }
MachineAddress { type string, address string }
MachineDeletionStatus { nodeDrainStartTime ?*time, waitForNodeVolumeDetachStartTime ?*time,
  waitForPreDrainHookStartTime ?*time, waitForPreTerminateHookStartTime ?*time }
MachineDeployment { kind ?string, apiVersion ?string, metadata metadata, spec MachineDeploymentSpec, status
  MachineDeploymentStatus }
MachineDeploymentClass { class string, template MachineDeploymentClassTemplate, machineHealthCheck
  ?*MachineHealthCheckClass, failureDomain ?*string, namingStrategy ?*MachineDeploymentClassNamingStrategy,
  nodeDrainTimeout ?*duration, nodeVolumeDetachTimeout ?*duration, nodeDeletionTimeout ?*duration, taints
  ?[]MachineTaint, minReadySeconds ?*int, readinessGates ?[]MachineReadinessGate, strategy ?*MachineDeploymentStrategy
  }
MachineDeploymentClassNamingStrategy { template ?*string }
MachineDeploymentClassTemplate { metadata ObjectMeta, bootstrap LocalObjectTemplate, infrastructure
  LocalObjectTemplate }
MachineDeploymentSpec { clusterName string, replicas ?*int, rolloutAfter ?*time, selector v1.LabelSelector, template
  MachineTemplateSpec, strategy ?*MachineDeploymentStrategy, machineNamingStrategy ?*MachineNamingStrategy,
  minReadySeconds ?*int, revisionHistoryLimit ?*int, paused ?bool, progressDeadlineSeconds ?*int }
MachineDeploymentStatus { observedGeneration ?int, selector ?string, replicas int, updatedReplicas int, readyReplicas
  int, availableReplicas int, unavailableReplicas int, phase ?string, conditions ?[]Condition, versions
  ?[]StatusVersion, v1beta2 ?*MachineDeploymentV1Beta2Status }
MachineDeploymentStrategy { type ?string, rollingUpdate ?*MachineRollingUpdateDeployment, remediation
  ?*RemediationStrategy }
MachineDeploymentTopology { metadata ObjectMeta, class string, name string, failureDomain ?*string, replicas ?*int,
  machineHealthCheck ?*MachineHealthCheckTopology, nodeDrainTimeout ?*duration, nodeVolumeDetachTimeout ?*duration,
  nodeDeletionTimeout ?*duration, taints ?[]MachineTaint, minReadySeconds ?*int, readinessGates
  ?[]MachineReadinessGate, rollout ?MachineDeploymentTopologyRolloutSpec, strategy ?*MachineDeploymentStrategy,
  variables ?*MachineDeploymentVariables }
MachineDeploymentTopologyRolloutSpec { after ?time }
MachineDeploymentV1Beta2Status { conditions ?[]v1.Condition, readyReplicas ?*int, availableReplicas ?*int,
  upToDateReplicas ?*int }
MachineDeploymentVariables { overrides ?[]ClusterVariable }
MachineDrainRule { kind ?string, apiVersion ?string, metadata metadata, spec MachineDrainRuleSpec }
MachineDrainRuleDrainConfig { behavior string, order ?*int }
MachineDrainRuleMachineSelector { selector ?*v1.LabelSelector, clusterSelector ?*v1.LabelSelector }
MachineDrainRulePodSelector { selector ?*v1.LabelSelector, namespaceSelector ?*v1.LabelSelector }
MachineDrainRuleSpec { drain MachineDrainRuleDrainConfig, machines ?[]MachineDrainRuleMachineSelector, pods
  ?[]MachineDrainRulePodSelector }
MachineHealthCheck { kind ?string, apiVersion ?string, metadata metadata, spec MachineHealthCheckSpec, status
  MachineHealthCheckStatus }
MachineHealthCheckClass { unhealthyConditions ?[]UnhealthyCondition, unhealthyMachineConditions
  ?[]UnhealthyMachineCondition, maxUnhealthy ?*intOrString, unhealthyRange ?*string, nodeStartupTimeout ?*duration,
  remediationTemplate ?*v1.ObjectReference }
MachineHealthCheckSpec { clusterName string, selector v1.LabelSelector, unhealthyConditions ?[]UnhealthyCondition,
  unhealthyMachineConditions ?[]UnhealthyMachineCondition, maxUnhealthy ?*intOrString, unhealthyRange ?*string,
  nodeStartupTimeout ?*duration, remediationTemplate ?*v1.ObjectReference }
MachineHealthCheckStatus { expectedMachines int, currentHealthy int, remediationsAllowed int, observedGeneration ?int,
  targets ?[]string, conditions ?[]Condition, v1beta2 ?*MachineHealthCheckV1Beta2Status }
MachineHealthCheckTopology { enable ?*bool, unhealthyConditions ?[]UnhealthyCondition, unhealthyMachineConditions
  ?[]UnhealthyMachineCondition, maxUnhealthy ?*intOrString, unhealthyRange ?*string, nodeStartupTimeout ?*duration,
  remediationTemplate ?*v1.ObjectReference }
MachineHealthCheckV1Beta2Status { conditions ?[]v1.Condition }
MachineNamingStrategy { template ?string }
MachinePool { kind ?string, apiVersion ?string, metadata metadata, spec MachinePoolSpec, status MachinePoolStatus }
MachinePoolClass { class string, template MachinePoolClassTemplate, failureDomains ?[]string, namingStrategy
  ?*MachinePoolClassNamingStrategy, nodeDrainTimeout ?*duration, nodeVolumeDetachTimeout ?*duration,
  nodeDeletionTimeout ?*duration, taints ?[]MachineTaint, minReadySeconds ?*int }
MachinePoolClassNamingStrategy { template ?*string }
MachinePoolClassTemplate { metadata ObjectMeta, bootstrap LocalObjectTemplate, infrastructure LocalObjectTemplate }
MachinePoolSpec { clusterName string, replicas ?*int, template MachineTemplateSpec, minReadySeconds ?*int,
  providerIDList ?[]string, failureDomains ?[]string }
MachinePoolStatus { nodeRefs ?[]v1.ObjectReference, replicas int, readyReplicas ?int, availableReplicas ?int,
  unavailableReplicas ?int, failureReason ?*string, failureMessage ?*string, phase ?string, bootstrapReady bool,
  infrastructureReady bool, observedGeneration ?int, conditions ?[]Condition, versions ?[]StatusVersion, v1beta2
  ?*MachinePoolV1Beta2Status }
MachinePoolTopology { metadata ObjectMeta, class string, name string, failureDomains ?[]string, nodeDrainTimeout
  ?*duration, nodeVolumeDetachTimeout ?*duration, nodeDeletionTimeout ?*duration, taints ?[]MachineTaint,
  minReadySeconds ?*int, replicas ?*int, variables ?*MachinePoolVariables }
MachinePoolV1Beta2Status { conditions ?[]v1.Condition, readyReplicas ?*int, availableReplicas ?*int, upToDateReplicas
  ?*int }
MachinePoolVariables { overrides ?[]ClusterVariable }
MachineReadinessGate { conditionType string, polarity ?string }
MachineRollingUpdateDeployment { maxUnavailable ?*intOrString, maxSurge ?*intOrString, deletePolicy ?*string }
MachineSet { kind ?string, apiVersion ?string, metadata metadata, spec MachineSetSpec, status MachineSetStatus }
MachineSetSpec { clusterName string, replicas ?*int, minReadySeconds ?int, deletePolicy ?string, selector
  v1.LabelSelector, template MachineTemplateSpec, machineNamingStrategy ?*MachineNamingStrategy }
MachineSetStatus { selector ?string, replicas int, fullyLabeledReplicas int, readyReplicas int, availableReplicas int,
  observedGeneration ?int, failureReason ?*string, failureMessage ?*string, conditions ?[]Condition, versions
  ?[]StatusVersion, v1beta2 ?*MachineSetV1Beta2Status }
MachineSetV1Beta2Status { conditions ?[]v1.Condition, readyReplicas ?*int, availableReplicas ?*int, upToDateReplicas
  ?*int }
MachineSpec { clusterName string, bootstrap Bootstrap, infrastructureRef v1.ObjectReference, version ?*string,
  providerID ?*string, failureDomain ?*string, readinessGates ?[]MachineReadinessGate, nodeDrainTimeout ?*duration,
  nodeVolumeDetachTimeout ?*duration, nodeDeletionTimeout ?*duration, taints ?[]MachineTaint }
MachineStatus { nodeRef ?*v1.ObjectReference, nodeInfo ?*v1.NodeSystemInfo, lastUpdated ?*time, failureReason
  ?*string, failureMessage ?*string, addresses ?[]MachineAddress, phase ?string, certificatesExpiryDate ?*time,
  bootstrapReady bool, infrastructureReady bool, observedGeneration ?int, conditions ?[]Condition, deletion
  ?*MachineDeletionStatus, v1beta2 ?*MachineV1Beta2Status }
MachineTaint { key ?string, value ?string, effect ?string, propagation ?string }
MachineTemplateSpec { metadata ObjectMeta, spec MachineSpec }
MachineV1Beta2Status { conditions ?[]v1.Condition }
NetworkRanges { cidrBlocks []string }
ObjectMeta { labels ?<>string, annotations ?<>string }
PatchDefinition { selector PatchSelector, jsonPatches []JSONPatch }
PatchSelector { apiVersion string, kind string, matchResources PatchSelectorMatch }
PatchSelectorMatch { controlPlane ?bool, infrastructureCluster ?bool, machineDeploymentClass
  ?*PatchSelectorMatchMachineDeploymentClass, machinePoolClass ?*PatchSelectorMatchMachinePoolClass }
PatchSelectorMatchMachineDeploymentClass { names ?[]string }
PatchSelectorMatchMachinePoolClass { names ?[]string }
RemediationStrategy { maxInFlight ?*intOrString }
StatusUpgradePlanVersion { version ?string }
StatusVersion { version ?string, replicas ?int }
Topology { class string, classNamespace ?string, version string, rolloutAfter ?*time, controlPlane
  ControlPlaneTopology, workers ?*WorkersTopology, variables ?[]ClusterVariable }
UnhealthyCondition { type string, status string, timeout duration }
UnhealthyMachineCondition { type ?string, status ?string, timeout duration }
ValidationRule { rule string, message ?string, messageExpression ?string, reason ?string, fieldPath ?string }
VariableSchema { openAPIV3Schema JSONSchemaProps }
VariableSchemaMetadata { labels ?<>string, annotations ?<>string }
WorkersClass { machineDeployments ?[]MachineDeploymentClass, machinePools ?[]MachinePoolClass }
WorkersStatus { desiredReplicas ?*int, replicas ?*int, upToDateReplicas ?*int, readyReplicas ?*int, availableReplicas
  ?*int, versions ?[]StatusVersion, upgradePlan ?[]StatusUpgradePlanVersion }
WorkersTopology { machineDeployments ?[]MachineDeploymentTopology, machinePools ?[]MachinePoolTopology }
`,
};
