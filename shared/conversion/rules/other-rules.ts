// The rules of ClusterResourceSet, its binding, IPAddress, IPAddressClaim and ExtensionConfig.
import { type KindRule, type RuleTable, rows } from '../rule.ts';
import { conditions } from './core-rules.ts';

export const otherRules: RuleTable = {
  'v1beta1.ClusterResourceSetStatus v1beta2.ClusterResourceSetStatus': conditions,
  'v1beta1.IPAddressClaimStatus v1beta2.IPAddressClaimStatus': conditions,
  // This version has no place for the newer conditions.
  'v1alpha1.IPAddressClaimStatus v1beta2.IPAddressClaimStatus': rows('move', [
    'conditions',
    'deprecated.v1beta1.conditions',
  ]),
  'v1alpha1.ExtensionConfigStatus v1beta2.ExtensionConfigStatus': conditions,
};

export const otherKinds: Readonly<Record<string, KindRule>> = {
  'v1beta1.ClusterResourceSet': {},
  'v1beta1.ClusterResourceSetBinding': {},
  'v1beta1.IPAddress': {},
  'v1alpha1.IPAddress': {},
  'v1beta1.IPAddressClaim': {},
  'v1alpha1.IPAddressClaim': { hasAnnotation: true, fromAnnotation: ['status.conditions'], hasClusterLabel: true },
  'v1alpha1.ExtensionConfig': {},
};
