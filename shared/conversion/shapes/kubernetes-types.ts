// The types of Kubernetes in the fields of Cluster API. See parse-shapes.ts for the notation.
import type { ShapeText } from '../parse-shapes.ts';

export const kubernetesShapes: ShapeText = {
  v1: `
Condition { type string, status string, observedGeneration ?int, lastTransitionTime time, reason string, message
  string }
LabelSelector { matchLabels ?<>string, matchExpressions ?[]LabelSelectorRequirement }
LabelSelectorRequirement { key string, operator string, values ?[]string }
LocalObjectReference { name ?string }
NodeSwapStatus { capacity ?*int }
NodeSystemInfo { machineID string, systemUUID string, bootID string, kernelVersion string, osImage string,
  containerRuntimeVersion string, kubeletVersion string, kubeProxyVersion string, operatingSystem string, architecture
  string, swap ?*NodeSwapStatus }
ObjectReference { kind ?string, namespace ?string, name ?string, uid ?string, apiVersion ?string, resourceVersion
  ?string, fieldPath ?string }
TypedLocalObjectReference { apiGroup *string, kind string, name string }
`,
};
