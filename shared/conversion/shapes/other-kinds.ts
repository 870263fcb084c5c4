// ClusterResourceSet, its binding, IPAddress, IPAddressClaim and ExtensionConfig. See parse-shapes.ts for the notation.
import type { ShapeText } from '../parse-shapes.ts';

export const otherShapes: ShapeText = {
  v1alpha1: `
ClientConfig { url ?*string, service ?*ServiceReference, caBundle ?bytes }
ExtensionConfig { kind ?string, apiVersion ?string, metadata metadata, spec ExtensionConfigSpec, status
  ExtensionConfigStatus }
ExtensionConfigSpec { clientConfig ClientConfig, namespaceSelector ?*v1.LabelSelector, settings ?<>string }
ExtensionConfigStatus { handlers ?[]ExtensionHandler, conditions ?[]v1beta1.Condition, v1beta2
  ?*ExtensionConfigV1Beta2Status }
ExtensionConfigV1Beta2Status { conditions ?[]v1.Condition }
ExtensionHandler { name string, requestHook GroupVersionHook, timeoutSeconds ?*int, failurePolicy ?*string }
GroupVersionHook { apiVersion string, hook string }
IPAddress { kind ?string, apiVersion ?string, metadata metadata, spec IPAddressSpec }
IPAddressClaim { kind ?string, apiVersion ?string, metadata metadata, spec IPAddressClaimSpec, status
  IPAddressClaimStatus }
IPAddressClaimSpec { poolRef v1.TypedLocalObjectReference }
IPAddressClaimStatus { addressRef v1.LocalObjectReference, conditions ?[]v1beta1.Condition }
IPAddressSpec { claimRef v1.LocalObjectReference, poolRef v1.TypedLocalObjectReference, address string, prefix int,
  gateway ?string }
ServiceReference { namespace string, name string, path ?*string, port ?*int }
`,
  v1beta1: `
ClusterResourceSet { kind ?string, apiVersion ?string, metadata metadata, spec ClusterResourceSetSpec, status
  ClusterResourceSetStatus }
ClusterResourceSetBinding { kind ?string, apiVersion ?string, metadata metadata, spec ClusterResourceSetBindingSpec }
ClusterResourceSetBindingSpec { bindings ?[]*ResourceSetBinding, clusterName ?string }
ClusterResourceSetSpec { clusterSelector v1.LabelSelector, resources ?[]ResourceRef, strategy ?string }
ClusterResourceSetStatus { observedGeneration ?int, conditions ?[]Condition, v1beta2 ?*ClusterResourceSetV1Beta2Status
  }
ClusterResourceSetV1Beta2Status { conditions ?[]v1.Condition }
IPAddress { kind ?string, apiVersion ?string, metadata metadata, spec IPAddressSpec }
IPAddressClaim { kind ?string, apiVersion ?string, metadata metadata, spec IPAddressClaimSpec, status
  IPAddressClaimStatus }
IPAddressClaimSpec { clusterName ?string, poolRef v1.TypedLocalObjectReference }
IPAddressClaimStatus { addressRef v1.LocalObjectReference, conditions ?[]Condition, v1beta2
  ?*IPAddressClaimV1Beta2Status }
IPAddressClaimV1Beta2Status { conditions ?[]v1.Condition }
IPAddressSpec { claimRef v1.LocalObjectReference, poolRef v1.TypedLocalObjectReference, address string, prefix int,
  gateway ?string }
ResourceBinding { name string, kind string, hash ?string, lastAppliedTime ?*time, applied bool }
ResourceRef { name string, kind string }
ResourceSetBinding { clusterResourceSetName string, resources ?[]ResourceBinding }
`,
  v1beta2: `
ClientConfig { url ?string, service ?ServiceReference, caBundle ?bytes }
ClusterResourceSet { kind ?string, apiVersion ?string, metadata metadata, spec ?ClusterResourceSetSpec, status
  ?ClusterResourceSetStatus }
ClusterResourceSetBinding { kind ?string, apiVersion ?string, metadata metadata, spec ?ClusterResourceSetBindingSpec }
ClusterResourceSetBindingSpec { bindings ?[]ResourceSetBinding, clusterName ?string }
ClusterResourceSetDeprecatedStatus { v1beta1 ?*ClusterResourceSetV1Beta1DeprecatedStatus }
ClusterResourceSetSpec { clusterSelector ?v1.LabelSelector, resources ?[]ResourceRef, strategy ?string }
ClusterResourceSetStatus { conditions ?[]v1.Condition, observedGeneration ?int, deprecated
  ?*ClusterResourceSetDeprecatedStatus }
ClusterResourceSetV1Beta1DeprecatedStatus { conditions ?[]Condition }
ExtensionConfig { kind ?string, apiVersion ?string, metadata metadata, spec ?ExtensionConfigSpec, status
  ?ExtensionConfigStatus }
ExtensionConfigDeprecatedStatus { v1beta1 ?*ExtensionConfigV1Beta1DeprecatedStatus }
ExtensionConfigSpec { clientConfig ?ClientConfig, namespaceSelector ?*v1.LabelSelector, settings ?<>string }
ExtensionConfigStatus { conditions ?[]v1.Condition, handlers ?[]ExtensionHandler, deprecated
  ?*ExtensionConfigDeprecatedStatus }
ExtensionConfigV1Beta1DeprecatedStatus { conditions ?[]Condition }
ExtensionHandler { name ?string, requestHook ?GroupVersionHook, timeoutSeconds ?int, failurePolicy ?string }
GroupVersionHook { apiVersion ?string, hook ?string }
IPAddress { kind ?string, apiVersion ?string, metadata metadata, spec ?IPAddressSpec }
IPAddressClaim { kind ?string, apiVersion ?string, metadata metadata, spec ?IPAddressClaimSpec, status
  ?IPAddressClaimStatus }
IPAddressClaimDeprecatedStatus { v1beta1 ?*IPAddressClaimV1Beta1DeprecatedStatus }
IPAddressClaimReference { name ?string }
IPAddressClaimSpec { clusterName ?string, poolRef ?IPPoolReference }
IPAddressClaimStatus { conditions ?[]v1.Condition, addressRef ?IPAddressReference, deprecated
  ?*IPAddressClaimDeprecatedStatus }
IPAddressClaimV1Beta1DeprecatedStatus { conditions ?[]Condition }
IPAddressReference { name ?string }
IPAddressSpec { claimRef ?IPAddressClaimReference, poolRef ?IPPoolReference, address ?string, prefix ?*int, gateway
  ?string }
IPPoolReference { name ?string, kind ?string, apiGroup ?string }
ResourceBinding { name ?string, kind ?string, hash ?string, lastAppliedTime ?time, applied ?*bool }
ResourceRef { name ?string, kind ?string }
ResourceSetBinding { clusterResourceSetName ?string, resources ?[]ResourceBinding }
ServiceReference { namespace ?string, name ?string, path ?string, port ?*int }
`,
};
