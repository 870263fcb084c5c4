// The kind of a control plane, and the contract of that kind.

import { answered, invalid, type ObjectMeta, refused, valid } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import {
  definitionOf,
  isSameKind,
  likelyKind,
  statedKind,
  toContract,
} from '../../../../../../functions/topology/plan/current/control-plane-contract.ts';
import { topologyTemplates } from '../../../../../support/topology-objects.ts';

const apiVersion = 'controlplane.cluster.x-k8s.io/v1beta2';
const likely = { apiVersion, kind: 'KubeadmControlPlane' } as const;

describe('the kind of a control plane', () => {
  it.each([
    { kind: 'KubeadmControlPlaneTemplate', likely: 'KubeadmControlPlane' },
    { kind: 'TemplateControlPlane', likely: 'TemplateControlPlane' },
  ])('is likely that of its template without the suffix: $kind', ({ kind, likely: made }) => {
    expect(likelyKind({ apiVersion, kind, name: 'control-plane' })).toEqual({ apiVersion, kind: made });
  });

  it.each([
    { reason: 'the template names none', template: {}, kind: likely },
    { reason: 'it names a kind', template: { kind: 'Other' }, kind: { apiVersion, kind: 'Other' } },
    { reason: 'it names a version', template: { apiVersion: 'g/v1' }, kind: { ...likely, apiVersion: 'g/v1' } },
    {
      reason: 'it names both',
      template: { apiVersion: 'g/v1', kind: 'Other' },
      kind: { apiVersion: 'g/v1', kind: 'Other' },
    },
    { reason: 'what it names is not a text', template: { kind: 7 }, kind: likely },
  ])('is the one in the template: $reason', ({ template, kind }) => {
    const object = topologyTemplates.controlPlane.withSpec({ template }).build();
    expect(statedKind(answered(object), likely)).toEqual(kind);
  });

  it('is the likely one where the template cannot be read', () => {
    expect(statedKind(refused({ reason: 'NotFound', message: '' }), likely)).toEqual(likely);
  });

  it('is the same where group, version and kind are', () => {
    expect(isSameKind(likely, { ...likely })).toBe(true);
    expect(isSameKind(likely, { ...likely, kind: 'Other' })).toBe(false);
    expect(isSameKind(likely, { ...likely, apiVersion: 'g/v1' })).toBe(false);
    expect(definitionOf(likely)).toEqual({ group: 'controlplane.cluster.x-k8s.io', kind: 'KubeadmControlPlane' });
  });
});

describe('the contract', () => {
  const metadata: ObjectMeta = {
    ...{ name: 'crd', uid: 'u', resourceVersion: '1' },
    labels: { 'cluster.x-k8s.io/v1beta2': 'v1beta2', 'cluster.x-k8s.io/v1beta1': 'v1alpha1_v1beta1' },
  };
  it.each([
    { version: 'v1beta2', contract: 'v1beta2' },
    { version: 'v1beta1', contract: 'v1beta1' },
  ])('is that of the version in which objects are written: $version', ({ version, contract }) => {
    expect(toContract({ ...likely, apiVersion: `g/${version}` }, answered(metadata))).toEqual(valid(contract));
  });

  it('is an error where the definition cannot be read or names no contract', () => {
    const problem = 'failed to get contract version for the ControlPlane object';
    expect(toContract(likely, refused({ reason: 'Forbidden', message: 'no right' }))).toEqual(
      invalid(`${problem}: failed to get CustomResourceDefinition metadata: no right`),
    );
    const none = toContract({ ...likely, apiVersion: 'g/v9' }, answered(metadata));
    expect(none.ok ? '' : none.error.startsWith(`${problem}: `)).toBe(true);
  });
});
