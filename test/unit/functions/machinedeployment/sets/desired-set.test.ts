import type { JsonObject, Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { toExistingSet, toNewSet } from '../../../../../functions/machinedeployment/plan/sets/desired-set.ts';
import { readWholeMachineDeployment } from '../../../../../shared/api/machine-deployment/whole-machine-deployment.ts';
import { aMachineDeployment, aMachineSet } from '../../../../support/builders.ts';

const owner = {
  ...{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineDeployment', name: 'md1', uid: 'u-md' },
  ...{ controller: true, blockOwnerDeletion: true },
};
const inPlace = {
  minReadySeconds: 5,
  readinessGates: [{ conditionType: 'Foo' }],
  deletion: { nodeDrainTimeoutSeconds: 7 },
  taints: [{ key: 'a', effect: 'NoSchedule', propagation: 'Always' }],
};
const template = {
  metadata: { labels: { pool: 'md1' }, annotations: { note: 'x' } },
  spec: { clusterName: 'c1', version: 'v1.32.0', infrastructureRef: { kind: 'A', name: 'new' }, ...inPlace },
};
const deployment = aMachineDeployment()
  .withUid('u-md')
  .labelled({ own: 'label' })
  .annotated({ own: 'annotation' })
  .withSpec({
    ...{ clusterName: 'c1', template, deletion: { order: 'Oldest' }, machineNaming: { template: '{{ .random }}' } },
    selector: { matchLabels: { pool: 'md1' }, matchExpressions: [{ key: 'a', operator: 'Exists' }] },
    ...{ replicas: 3, paused: false, rollout: { strategy: { type: 'RollingUpdate' } } },
  });

const desired = (of = deployment) => ({
  deployment: readWholeMachineDeployment(of.build()),
  replicas: 2,
  annotations: { some: 'annotation' },
});

const expected = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineSet',
  metadata: {
    ...{ name: 'md1-abcde', namespace: 'ns', annotations: { some: 'annotation' }, ownerReferences: [owner] },
    labels: { pool: 'md1', 'machine-template-hash': '5-abcde', 'cluster.x-k8s.io/deployment-name': 'md1' },
  },
  spec: {
    ...{ clusterName: 'c1', replicas: 2 },
    ...{ deletion: { order: 'Oldest' }, machineNaming: { template: '{{ .random }}' } },
    selector: {
      matchLabels: { pool: 'md1', 'machine-template-hash': '5-abcde' },
      matchExpressions: [{ key: 'a', operator: 'Exists' }],
    },
    template: {
      metadata: { labels: { pool: 'md1', 'machine-template-hash': '5-abcde' }, annotations: { note: 'x' } },
      spec: template.spec,
    },
  },
};

const ofFinalizers = {
  ...{ manager: 'capi-machinedeployment', operation: 'Apply', apiVersion: 'cluster.x-k8s.io/v1beta2' },
  fieldsV1: { 'f:metadata': { 'f:finalizers': { 'v:"a"': {}, 'v:"b"': {} } } },
};

function appliedWith(entry: JsonObject, set: Unstructured): Unstructured {
  return { ...set, metadata: { ...set.metadata, managedFields: [entry] } } as Unstructured; // true: others use no managed fields
}

const existing = aMachineSet()
  .named('md1-abcde')
  .withUid('u-ms')
  .atResourceVersion('42')
  .labelled({ 'machine-template-hash': '5-abcde', other: 'x' })
  .annotated({ other: 'x' })
  .withSpec({
    ...{ replicas: 9, deletion: { order: 'Newest' }, selector: { matchLabels: { old: 'x' } } },
    template: {
      metadata: { labels: { old: 'x' }, annotations: { old: 'x' } },
      spec: {
        clusterName: 'c0',
        version: 'v1.31.0',
        infrastructureRef: { kind: 'A', name: 'old' },
        minReadySeconds: 9,
      },
    },
  });

describe('the desired MachineSet', () => {
  it('that is new has the template of the deployment', () => {
    expect(toNewSet(desired(), { name: 'md1-abcde', hash: '5-abcde' })).toEqual(expected);
  });

  it('that exists keeps the fields that would start a rollout', () => {
    const set = toExistingSet(desired(), existing.build());
    const { metadata, spec } = expected;
    const kept = { clusterName: 'c0', version: 'v1.31.0', infrastructureRef: { kind: 'A', name: 'old' } };
    expect(set).toEqual({
      ok: true,
      value: {
        ...expected,
        metadata: { ...metadata, uid: 'u-ms', resourceVersion: '42' },
        spec: { ...spec, template: { ...spec.template, spec: { ...kept, ...inPlace } } },
      },
    });
  });

  it('loses the fields that the deployment loses', () => {
    const bare = deployment.withSpec({ deletion: undefined, machineNaming: undefined, template: { spec: {} } });
    const set = toExistingSet(desired(bare), existing.build());
    const { metadata, spec } = set.ok ? set.value : expected;
    expect(metadata).not.toHaveProperty('finalizers');
    expect(spec).not.toHaveProperty('deletion');
    expect(spec).not.toHaveProperty('machineNaming');
    expect(spec).toMatchObject({ selector: { matchLabels: { pool: 'md1' } } });
    expect((spec as typeof expected.spec).template).toEqual({
      metadata: { labels: { 'machine-template-hash': '5-abcde' } },
      spec: { clusterName: 'c0', version: 'v1.31.0', infrastructureRef: { kind: 'A', name: 'old' } },
    });
  });

  it.each<{ readonly reason: string; readonly entry: JsonObject; readonly is: readonly string[] | undefined }>([
    { reason: 'keeps the finalizers that the manager applied', entry: ofFinalizers, is: ['a', 'b'] },
    { reason: 'has no finalizers of another manager', entry: { ...ofFinalizers, manager: 'other' }, is: undefined },
    { reason: 'has no updated finalizers', entry: { ...ofFinalizers, operation: 'Update' }, is: undefined },
    { reason: 'has none if only other fields were applied', entry: { ...ofFinalizers, fieldsV1: {} }, is: undefined },
    {
      reason: 'has none if only other metadata was applied',
      entry: { ...ofFinalizers, fieldsV1: { 'f:metadata': { 'f:name': {} } } },
      is: undefined,
    },
  ])('$reason', ({ entry, is }) => {
    const set = toExistingSet(desired(), appliedWith(entry, existing.withFinalizers('a', 'b').build()));
    expect(set.ok && set.value.metadata.finalizers).toEqual(is);
  });

  it('applies no finalizers that are gone', () => {
    const set = toExistingSet(desired(), appliedWith(ofFinalizers, existing.build()));
    expect(set.ok && Object.keys(set.value.metadata)).not.toContain('finalizers');
  });

  it.each([aMachineSet(), aMachineSet().labelled({ 'machine-template-hash': '' })])(
    'needs the label of its Machines',
    set => {
      expect(toExistingSet(desired(), set.build())).toEqual({
        ok: false,
        error:
          'failed to compute desired MachineSet: failed to get unique identifier from "machine-template-hash" annotation',
      });
    },
  );
});
