// The core kinds in v1beta2. See parse-shapes.ts for the notation.
import type { ShapeText } from '../parse-shapes.ts';

export const coreV1Beta2Shapes: ShapeText = {
  v1beta2: `
APIEndpoint { host ?string, port ?int }
Bootstrap { configRef ?ContractVersionedObjectReference, dataSecretName ?*string }
Cluster { kind ?string, apiVersion ?string, metadata metadata, spec ?ClusterSpec, status ?ClusterStatus }
ClusterAvailabilityGate { conditionType ?string, polarity ?string }
ClusterClass { kind ?string, apiVersion ?string, metadata metadata, spec ?ClusterClassSpec, status ?ClusterClassStatus
  }
ClusterClassDeprecatedStatus { v1beta1 ?*ClusterClassV1Beta1DeprecatedStatus }
ClusterClassPatch { name ?string, description ?string, enabledIf ?string, definitions ?[]PatchDefinition, external
  ?*ExternalPatchDefinition }
ClusterClassRef { name ?string, namespace ?string }
ClusterClassSpec { availabilityGates ?[]ClusterAvailabilityGate, infrastructure ?InfrastructureClass, controlPlane
  ?ControlPlaneClass, workers ?WorkersClass, variables ?[]ClusterClassVariable, patches ?[]ClusterClassPatch, upgrade
  ?ClusterClassUpgrade, kubernetesVersions ?[]string }
ClusterClassStatus { conditions ?[]v1.Condition, variables ?[]ClusterClassStatusVariable, observedGeneration ?int,
  deprecated ?*ClusterClassDeprecatedStatus }
ClusterClassStatusVariable { name ?string, definitionsConflict ?*bool, definitions
  ?[]ClusterClassStatusVariableDefinition }
ClusterClassStatusVariableDefinition { from ?string, required ?*bool, deprecatedV1Beta1Metadata
  ?ClusterClassVariableMetadata, schema ?VariableSchema }
ClusterClassTemplateReference { kind ?string, name ?string, apiVersion ?string }
ClusterClassUpgrade { external ?ClusterClassUpgradeExternal }
ClusterClassUpgradeExternal { generateUpgradePlanExtension ?string }
ClusterClassV1Beta1DeprecatedStatus { conditions ?[]Condition }
ClusterClassVariable { name ?string, required ?*bool, deprecatedV1Beta1Metadata ?ClusterClassVariableMetadata, schema
  ?VariableSchema }
ClusterClassVariableMetadata { labels ?<>string, annotations ?<>string }
ClusterControlPlaneStatus { desiredReplicas ?*int, replicas ?*int, upToDateReplicas ?*int, readyReplicas ?*int,
  availableReplicas ?*int, versions ?[]StatusVersion, upgradePlan ?[]StatusUpgradePlanVersion }
ClusterDeprecatedStatus { v1beta1 ?*ClusterV1Beta1DeprecatedStatus }
ClusterInitializationStatus { infrastructureProvisioned ?*bool, controlPlaneInitialized ?*bool }
ClusterNetwork { apiServerPort ?int, services ?NetworkRanges, pods ?NetworkRanges, serviceDomain ?string }
ClusterSpec { paused ?*bool, clusterNetwork ?ClusterNetwork, controlPlaneEndpoint ?APIEndpoint, controlPlaneRef
  ?ContractVersionedObjectReference, infrastructureRef ?ContractVersionedObjectReference, topology ?Topology,
  availabilityGates ?[]ClusterAvailabilityGate }
ClusterStatus { conditions ?[]v1.Condition, initialization ?ClusterInitializationStatus, controlPlane
  ?*ClusterControlPlaneStatus, workers ?*WorkersStatus, failureDomains ?[]FailureDomain, phase ?string,
  observedGeneration ?int, deprecated ?*ClusterDeprecatedStatus }
ClusterV1Beta1DeprecatedStatus { conditions ?[]Condition, failureReason ?*string, failureMessage ?*string }
ClusterVariable { name ?string, value ?json }
Condition { type string, status string, severity ?string, lastTransitionTime time, reason ?string, message ?string }
ContractVersionedObjectReference { kind ?string, name ?string, apiGroup ?string }
ControlPlaneClass { metadata ?ObjectMeta, templateRef ?ClusterClassTemplateReference, machineInfrastructure
  ?ControlPlaneClassMachineInfrastructureTemplate, healthCheck ?ControlPlaneClassHealthCheck, naming
  ?ControlPlaneClassNamingSpec, deletion ?ControlPlaneClassMachineDeletionSpec, taints ?[]MachineTaint, readinessGates
  ?[]MachineReadinessGate }
ControlPlaneClassHealthCheck { checks ?ControlPlaneClassHealthCheckChecks, remediation
  ?ControlPlaneClassHealthCheckRemediation }
ControlPlaneClassHealthCheckChecks { nodeStartupTimeoutSeconds ?*int, unhealthyNodeConditions
  ?[]UnhealthyNodeCondition, unhealthyMachineConditions ?[]UnhealthyMachineCondition }
ControlPlaneClassHealthCheckRemediation { triggerIf ?ControlPlaneClassHealthCheckRemediationTriggerIf, templateRef
  ?MachineHealthCheckRemediationTemplateReference }
ControlPlaneClassHealthCheckRemediationTriggerIf { unhealthyLessThanOrEqualTo ?*intOrString, unhealthyInRange ?string
  }
ControlPlaneClassMachineDeletionSpec { nodeDrainTimeoutSeconds ?*int, nodeVolumeDetachTimeoutSeconds ?*int,
  nodeDeletionTimeoutSeconds ?*int }
ControlPlaneClassMachineInfrastructureTemplate { templateRef ?ClusterClassTemplateReference }
ControlPlaneClassNamingSpec { template ?string }
ControlPlaneTopology { metadata ?ObjectMeta, replicas ?*int, rollout ?ControlPlaneTopologyRolloutSpec, healthCheck
  ?ControlPlaneTopologyHealthCheck, deletion ?ControlPlaneTopologyMachineDeletionSpec, taints ?[]MachineTaint,
  readinessGates ?[]MachineReadinessGate, variables ?ControlPlaneVariables }
ControlPlaneTopologyHealthCheck { enabled ?*bool, checks ?ControlPlaneTopologyHealthCheckChecks, remediation
  ?ControlPlaneTopologyHealthCheckRemediation }
ControlPlaneTopologyHealthCheckChecks { nodeStartupTimeoutSeconds ?*int, unhealthyNodeConditions
  ?[]UnhealthyNodeCondition, unhealthyMachineConditions ?[]UnhealthyMachineCondition }
ControlPlaneTopologyHealthCheckRemediation { triggerIf ?ControlPlaneTopologyHealthCheckRemediationTriggerIf,
  templateRef ?MachineHealthCheckRemediationTemplateReference }
ControlPlaneTopologyHealthCheckRemediationTriggerIf { unhealthyLessThanOrEqualTo ?*intOrString, unhealthyInRange
  ?string }
ControlPlaneTopologyMachineDeletionSpec { nodeDrainTimeoutSeconds ?*int, nodeVolumeDetachTimeoutSeconds ?*int,
  nodeDeletionTimeoutSeconds ?*int }
ControlPlaneTopologyRolloutSpec { after ?time }
ControlPlaneVariables { overrides ?[]ClusterVariable }
ExternalPatchDefinition { generatePatchesExtension ?string, validateTopologyExtension ?string,
  discoverVariablesExtension ?string, settings ?<>string }
FailureDomain { name ?string, controlPlane ?*bool, attributes ?<>string }
InfrastructureClass { templateRef ?ClusterClassTemplateReference, naming ?InfrastructureClassNamingSpec }
InfrastructureClassNamingSpec { template ?string }
JSONPatch { op ?string, path ?string, value ?*json, valueFrom ?*JSONPatchValue }
JSONPatchValue { variable ?string, template ?string }
JSONSchemaProps { description ?string, example ?*json, type ?string, properties ?<>JSONSchemaProps,
  additionalProperties ?*JSONSchemaProps, maxProperties ?*int, minProperties ?*int, required ?[]string, items
  ?*JSONSchemaProps, maxItems ?*int, minItems ?*int, uniqueItems ?*bool, format ?string, maxLength ?*int, minLength
  ?*int, pattern ?string, maximum ?*int, exclusiveMaximum ?*bool, minimum ?*int, exclusiveMinimum ?*bool,
  x-kubernetes-preserve-unknown-fields ?*bool, enum ?[]json, default ?*json, x-kubernetes-validations
  ?[]ValidationRule, x-metadata ?VariableSchemaMetadata, x-kubernetes-int-or-string ?*bool, allOf ?[]JSONSchemaProps,
  oneOf ?[]JSONSchemaProps, anyOf ?[]JSONSchemaProps, not ?*JSONSchemaProps }
Machine { kind ?string, apiVersion ?string, metadata metadata, spec ?MachineSpec, status ?MachineStatus }
MachineAddress { type ?string, address ?string }
MachineDeletionSpec { nodeDrainTimeoutSeconds ?*int, nodeVolumeDetachTimeoutSeconds ?*int, nodeDeletionTimeoutSeconds
  ?*int }
MachineDeletionStatus { nodeDrainStartTime ?time, waitForNodeVolumeDetachStartTime ?time, waitForPreDrainHookStartTime
  ?time, waitForPreTerminateHookStartTime ?time }
MachineDeployment { kind ?string, apiVersion ?string, metadata metadata, spec ?MachineDeploymentSpec, status
  ?MachineDeploymentStatus }
MachineDeploymentClass { metadata ?ObjectMeta, class ?string, bootstrap ?MachineDeploymentClassBootstrapTemplate,
  infrastructure ?MachineDeploymentClassInfrastructureTemplate, healthCheck ?MachineDeploymentClassHealthCheck,
  failureDomain ?string, naming ?MachineDeploymentClassNamingSpec, deletion
  ?MachineDeploymentClassMachineDeletionSpec, taints ?[]MachineTaint, minReadySeconds ?*int, readinessGates
  ?[]MachineReadinessGate, rollout ?MachineDeploymentClassRolloutSpec }
MachineDeploymentClassBootstrapTemplate { templateRef ?ClusterClassTemplateReference }
MachineDeploymentClassHealthCheck { checks ?MachineDeploymentClassHealthCheckChecks, remediation
  ?MachineDeploymentClassHealthCheckRemediation }
MachineDeploymentClassHealthCheckChecks { nodeStartupTimeoutSeconds ?*int, unhealthyNodeConditions
  ?[]UnhealthyNodeCondition, unhealthyMachineConditions ?[]UnhealthyMachineCondition }
MachineDeploymentClassHealthCheckRemediation { maxInFlight ?*intOrString, triggerIf
  ?MachineDeploymentClassHealthCheckRemediationTriggerIf, templateRef ?MachineHealthCheckRemediationTemplateReference
  }
MachineDeploymentClassHealthCheckRemediationTriggerIf { unhealthyLessThanOrEqualTo ?*intOrString, unhealthyInRange
  ?string }
MachineDeploymentClassInfrastructureTemplate { templateRef ?ClusterClassTemplateReference }
MachineDeploymentClassMachineDeletionSpec { order ?string, nodeDrainTimeoutSeconds ?*int,
  nodeVolumeDetachTimeoutSeconds ?*int, nodeDeletionTimeoutSeconds ?*int }
MachineDeploymentClassNamingSpec { template ?string }
MachineDeploymentClassRolloutSpec { strategy ?MachineDeploymentClassRolloutStrategy }
MachineDeploymentClassRolloutStrategy { type ?string, rollingUpdate
  ?MachineDeploymentClassRolloutStrategyRollingUpdate }
MachineDeploymentClassRolloutStrategyRollingUpdate { maxUnavailable ?*intOrString, maxSurge ?*intOrString }
MachineDeploymentDeletionSpec { order ?string }
MachineDeploymentDeprecatedStatus { v1beta1 ?*MachineDeploymentV1Beta1DeprecatedStatus }
MachineDeploymentRemediationSpec { maxInFlight ?*intOrString }
MachineDeploymentRolloutSpec { after ?time, strategy ?MachineDeploymentRolloutStrategy }
MachineDeploymentRolloutStrategy { type ?string, rollingUpdate ?MachineDeploymentRolloutStrategyRollingUpdate }
MachineDeploymentRolloutStrategyRollingUpdate { maxUnavailable ?*intOrString, maxSurge ?*intOrString }
MachineDeploymentSpec { clusterName ?string, replicas ?*int, rollout ?MachineDeploymentRolloutSpec, selector
  ?v1.LabelSelector, template ?MachineTemplateSpec, machineNaming ?MachineNamingSpec, remediation
  ?MachineDeploymentRemediationSpec, deletion ?MachineDeploymentDeletionSpec, paused ?*bool }
MachineDeploymentStatus { conditions ?[]v1.Condition, observedGeneration ?int, selector ?string, replicas ?*int,
  readyReplicas ?*int, availableReplicas ?*int, upToDateReplicas ?*int, versions ?[]StatusVersion, phase ?string,
  deprecated ?*MachineDeploymentDeprecatedStatus }
MachineDeploymentTopology { metadata ?ObjectMeta, class ?string, name ?string, failureDomain ?string, replicas ?*int,
  healthCheck ?MachineDeploymentTopologyHealthCheck, deletion ?MachineDeploymentTopologyMachineDeletionSpec, taints
  ?[]MachineTaint, minReadySeconds ?*int, readinessGates ?[]MachineReadinessGate, rollout
  ?MachineDeploymentTopologyRolloutSpec, variables ?MachineDeploymentVariables }
MachineDeploymentTopologyHealthCheck { enabled ?*bool, checks ?MachineDeploymentTopologyHealthCheckChecks, remediation
  ?MachineDeploymentTopologyHealthCheckRemediation }
MachineDeploymentTopologyHealthCheckChecks { nodeStartupTimeoutSeconds ?*int, unhealthyNodeConditions
  ?[]UnhealthyNodeCondition, unhealthyMachineConditions ?[]UnhealthyMachineCondition }
MachineDeploymentTopologyHealthCheckRemediation { maxInFlight ?*intOrString, triggerIf
  ?MachineDeploymentTopologyHealthCheckRemediationTriggerIf, templateRef
  ?MachineHealthCheckRemediationTemplateReference }
MachineDeploymentTopologyHealthCheckRemediationTriggerIf { unhealthyLessThanOrEqualTo ?*intOrString, unhealthyInRange
  ?string }
MachineDeploymentTopologyMachineDeletionSpec { order ?string, nodeDrainTimeoutSeconds ?*int,
  nodeVolumeDetachTimeoutSeconds ?*int, nodeDeletionTimeoutSeconds ?*int }
MachineDeploymentTopologyRolloutSpec { after ?time, strategy ?MachineDeploymentTopologyRolloutStrategy }
MachineDeploymentTopologyRolloutStrategy { type ?string, rollingUpdate
  ?MachineDeploymentTopologyRolloutStrategyRollingUpdate }
MachineDeploymentTopologyRolloutStrategyRollingUpdate { maxUnavailable ?*intOrString, maxSurge ?*intOrString }
MachineDeploymentV1Beta1DeprecatedStatus { conditions ?[]Condition, updatedReplicas int, readyReplicas int,
  availableReplicas int, unavailableReplicas int }
MachineDeploymentVariables { overrides ?[]ClusterVariable }
MachineDeprecatedStatus { v1beta1 ?*MachineV1Beta1DeprecatedStatus }
MachineDrainRule { kind ?string, apiVersion ?string, metadata metadata, spec ?MachineDrainRuleSpec }
MachineDrainRuleDrainConfig { behavior ?string, order ?*int }
MachineDrainRuleMachineSelector { selector ?*v1.LabelSelector, clusterSelector ?*v1.LabelSelector }
MachineDrainRulePodSelector { selector ?*v1.LabelSelector, namespaceSelector ?*v1.LabelSelector }
MachineDrainRuleSpec { drain ?MachineDrainRuleDrainConfig, machines ?[]MachineDrainRuleMachineSelector, pods
  ?[]MachineDrainRulePodSelector }
MachineHealthCheck { kind ?string, apiVersion ?string, metadata metadata, spec ?MachineHealthCheckSpec, status
  ?MachineHealthCheckStatus }
MachineHealthCheckChecks { nodeStartupTimeoutSeconds ?*int, unhealthyNodeConditions ?[]UnhealthyNodeCondition,
  unhealthyMachineConditions ?[]UnhealthyMachineCondition }
MachineHealthCheckDeprecatedStatus { v1beta1 ?*MachineHealthCheckV1Beta1DeprecatedStatus }
MachineHealthCheckRemediation { triggerIf ?MachineHealthCheckRemediationTriggerIf, templateRef
  ?MachineHealthCheckRemediationTemplateReference }
MachineHealthCheckRemediationTemplateReference { kind ?string, name ?string, apiVersion ?string }
MachineHealthCheckRemediationTriggerIf { unhealthyLessThanOrEqualTo ?*intOrString, unhealthyInRange ?string }
MachineHealthCheckSpec { clusterName ?string, selector ?v1.LabelSelector, checks ?MachineHealthCheckChecks,
  remediation ?MachineHealthCheckRemediation }
MachineHealthCheckStatus { conditions ?[]v1.Condition, expectedMachines ?*int, currentHealthy ?*int,
  remediationsAllowed ?*int, observedGeneration ?int, targets ?[]string, deprecated
  ?*MachineHealthCheckDeprecatedStatus }
MachineHealthCheckV1Beta1DeprecatedStatus { conditions ?[]Condition }
MachineInitializationStatus { infrastructureProvisioned ?*bool, bootstrapDataSecretCreated ?*bool }
MachineNamingSpec { template ?string }
MachineNodeReference { name ?string }
MachinePool { kind ?string, apiVersion ?string, metadata metadata, spec ?MachinePoolSpec, status ?MachinePoolStatus }
MachinePoolClass { metadata ?ObjectMeta, class ?string, bootstrap ?MachinePoolClassBootstrapTemplate, infrastructure
  ?MachinePoolClassInfrastructureTemplate, failureDomains ?[]string, naming ?MachinePoolClassNamingSpec, deletion
  ?MachinePoolClassMachineDeletionSpec, taints ?[]MachineTaint, minReadySeconds ?*int }
MachinePoolClassBootstrapTemplate { templateRef ?ClusterClassTemplateReference }
MachinePoolClassInfrastructureTemplate { templateRef ?ClusterClassTemplateReference }
MachinePoolClassMachineDeletionSpec { nodeDrainTimeoutSeconds ?*int, nodeVolumeDetachTimeoutSeconds ?*int,
  nodeDeletionTimeoutSeconds ?*int }
MachinePoolClassNamingSpec { template ?string }
MachinePoolDeprecatedStatus { v1beta1 ?*MachinePoolV1Beta1DeprecatedStatus }
MachinePoolInitializationStatus { infrastructureProvisioned ?*bool, bootstrapDataSecretCreated ?*bool }
MachinePoolSpec { clusterName ?string, replicas ?*int, template ?MachineTemplateSpec, providerIDList ?[]string,
  failureDomains ?[]string }
MachinePoolStatus { conditions ?[]v1.Condition, initialization ?MachinePoolInitializationStatus, nodeRefs
  ?[]v1.ObjectReference, replicas ?*int, readyReplicas ?*int, availableReplicas ?*int, upToDateReplicas ?*int,
  versions ?[]StatusVersion, phase ?string, observedGeneration ?int, deprecated ?*MachinePoolDeprecatedStatus }
MachinePoolTopology { metadata ?ObjectMeta, class ?string, name ?string, failureDomains ?[]string, deletion
  ?MachinePoolTopologyMachineDeletionSpec, taints ?[]MachineTaint, minReadySeconds ?*int, replicas ?*int, variables
  ?MachinePoolVariables }
MachinePoolTopologyMachineDeletionSpec { nodeDrainTimeoutSeconds ?*int, nodeVolumeDetachTimeoutSeconds ?*int,
  nodeDeletionTimeoutSeconds ?*int }
MachinePoolV1Beta1DeprecatedStatus { conditions ?[]Condition, failureReason ?*string, failureMessage ?*string,
  readyReplicas ?int, availableReplicas ?int, unavailableReplicas ?int }
MachinePoolVariables { overrides ?[]ClusterVariable }
MachineReadinessGate { conditionType ?string, polarity ?string }
MachineSet { kind ?string, apiVersion ?string, metadata metadata, spec ?MachineSetSpec, status ?MachineSetStatus }
MachineSetDeletionSpec { order ?string }
MachineSetDeprecatedStatus { v1beta1 ?*MachineSetV1Beta1DeprecatedStatus }
MachineSetSpec { clusterName ?string, replicas ?*int, selector ?v1.LabelSelector, template ?MachineTemplateSpec,
  machineNaming ?MachineNamingSpec, deletion ?MachineSetDeletionSpec }
MachineSetStatus { conditions ?[]v1.Condition, selector ?string, replicas ?*int, readyReplicas ?*int,
  availableReplicas ?*int, upToDateReplicas ?*int, versions ?[]StatusVersion, observedGeneration ?int, deprecated
  ?*MachineSetDeprecatedStatus }
MachineSetV1Beta1DeprecatedStatus { conditions ?[]Condition, failureReason ?*string, failureMessage ?*string,
  fullyLabeledReplicas int, readyReplicas int, availableReplicas int }
MachineSpec { clusterName ?string, bootstrap ?Bootstrap, infrastructureRef ?ContractVersionedObjectReference, version
  ?string, providerID ?string, failureDomain ?string, minReadySeconds ?*int, readinessGates ?[]MachineReadinessGate,
  deletion ?MachineDeletionSpec, taints ?[]MachineTaint }
MachineStatus { conditions ?[]v1.Condition, initialization ?MachineInitializationStatus, nodeRef
  ?MachineNodeReference, nodeInfo ?*v1.NodeSystemInfo, lastUpdated ?time, addresses ?[]MachineAddress, failureDomain
  ?string, phase ?string, certificatesExpiryDate ?time, observedGeneration ?int, deletion ?*MachineDeletionStatus,
  deprecated ?*MachineDeprecatedStatus }
MachineTaint { key ?string, value ?string, effect ?string, propagation ?string }
MachineTemplateSpec { metadata ?ObjectMeta, spec ?MachineSpec }
MachineV1Beta1DeprecatedStatus { conditions ?[]Condition, failureReason ?*string, failureMessage ?*string }
NetworkRanges { cidrBlocks ?[]string }
ObjectMeta { labels ?<>string, annotations ?<>string }
PatchDefinition { selector ?PatchSelector, jsonPatches ?[]JSONPatch }
PatchSelector { apiVersion ?string, kind ?string, matchResources ?PatchSelectorMatch }
PatchSelectorMatch { controlPlane ?*bool, infrastructureCluster ?*bool, machineDeploymentClass
  ?*PatchSelectorMatchMachineDeploymentClass, machinePoolClass ?*PatchSelectorMatchMachinePoolClass }
PatchSelectorMatchMachineDeploymentClass { names ?[]string }
PatchSelectorMatchMachinePoolClass { names ?[]string }
StatusUpgradePlanVersion { version ?string }
StatusVersion { version ?string, replicas ?int }
Topology { classRef ?ClusterClassRef, version ?string, controlPlane ?ControlPlaneTopology, workers ?WorkersTopology,
  variables ?[]ClusterVariable }
UnhealthyMachineCondition { type ?string, status ?string, timeoutSeconds ?*int }
UnhealthyNodeCondition { type ?string, status ?string, timeoutSeconds ?*int }
ValidationRule { rule ?string, message ?string, messageExpression ?string, reason ?string, fieldPath ?string }
VariableSchema { openAPIV3Schema ?JSONSchemaProps }
VariableSchemaMetadata { labels ?<>string, annotations ?<>string }
WorkersClass { machineDeployments ?[]MachineDeploymentClass, machinePools ?[]MachinePoolClass }
WorkersStatus { desiredReplicas ?*int, replicas ?*int, upToDateReplicas ?*int, readyReplicas ?*int, availableReplicas
  ?*int, versions ?[]StatusVersion, upgradePlan ?[]StatusUpgradePlanVersion }
WorkersTopology { machineDeployments ?[]MachineDeploymentTopology, machinePools ?[]MachinePoolTopology }
`,
};
