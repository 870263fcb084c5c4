import { setAt } from '@capi-serverless/cluster-api/contract';
import { describe, expect, it } from 'vitest';
import { replacementBy, replacementIn } from '../../../../cli/plan/machine-replacement.ts';
import { aMachineDeployment } from '../../../support/builders.ts';

const reference = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'FooMachineTemplate', name: 'a' };
const template = { metadata: { labels: {} }, spec: { version: 'v1', infrastructureRef: reference } };
const workers = { ...aMachineDeployment().build(), spec: { replicas: 2, template } };
const pool = { ...workers, kind: 'MachinePool' };
const controlPlane = {
  ...workers,
  apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
  kind: 'FooControlPlane',
  spec: { replicas: 3, version: 'v1', machineTemplate: template, config: { a: 1 } },
};
const hosted = { ...controlPlane, spec: { version: 'v1' } };

describe('a write that replaces Machines', () => {
  it.each([
    {
      reason: 'a version',
      object: workers,
      path: 'spec.template.spec.version',
      to: 'v2',
      why: 'Version v1, v2 required',
    },
    {
      reason: 'a template',
      object: workers,
      path: 'spec.template.spec.infrastructureRef.name',
      to: 'b',
      why: 'FooMachine is not up-to-date',
    },
    {
      reason: 'a version of a pool',
      object: pool,
      path: 'spec.template.spec.version',
      to: 'v2',
      why: 'Version v1, v2 required',
    },
    { reason: 'a label', object: workers, path: 'spec.template.metadata.labels.a', to: 'b', why: undefined },
    { reason: 'replicas', object: workers, path: 'spec.replicas', to: 9, why: undefined },
    {
      reason: 'a version of a control plane',
      object: controlPlane,
      path: 'spec.version',
      to: 'v2',
      why: 'spec.version of its Machines changes',
    },
    {
      reason: 'its config',
      object: controlPlane,
      path: 'spec.config.a',
      to: 2,
      why: 'spec.config of its Machines changes',
    },
    {
      reason: 'its template',
      object: controlPlane,
      path: 'spec.machineTemplate.spec.infrastructureRef.name',
      to: 'b',
      why: 'spec.machineTemplate of its Machines changes',
    },
    { reason: 'its replicas', object: controlPlane, path: 'spec.replicas', to: 5, why: undefined },
    {
      reason: 'its labels',
      object: controlPlane,
      path: 'spec.machineTemplate.metadata.labels.a',
      to: 'b',
      why: undefined,
    },
    {
      reason: 'its time limits',
      object: controlPlane,
      path: 'spec.machineTemplate.spec.deletion.nodeDrainTimeoutSeconds',
      to: 5,
      why: undefined,
    },
    { reason: 'a control plane without Machines', object: hosted, path: 'spec.version', to: 'v2', why: undefined },
    {
      reason: 'a MachineSet',
      object: { ...workers, kind: 'MachineSet' },
      path: 'spec.template.spec.version',
      to: 'v2',
      why: undefined,
    },
    {
      reason: 'no replicas',
      object: { ...workers, spec: { ...workers.spec, replicas: 0 } },
      path: 'spec.template.spec.version',
      to: 'v2',
      why: undefined,
    },
    {
      reason: 'OnDelete',
      object: { ...workers, spec: { ...workers.spec, rollout: { strategy: { type: 'OnDelete' } } } },
      path: 'spec.template.spec.version',
      to: 'v2',
      why: undefined,
    },
  ])('is decided by the change: $reason', ({ object, path, to, why }) => {
    expect(replacementBy({ before: object, after: setAt(object, path, to) })).toBe(why);
  });

  it('is neither a creation, nor a deletion, nor a write of the status', () => {
    const after = setAt(workers, 'spec.template.spec.version', 'v2');
    expect(replacementBy({ before: undefined, after })).toBeUndefined();
    expect(replacementBy({ before: workers, after: undefined })).toBeUndefined();
    expect(replacementBy({ before: workers, after, subresource: 'status' })).toBeUndefined();
  });
});

describe('the preview of a rollout', () => {
  const replaced = { set: 's1', replicas: 2, how: 'replacement', because: ['Version v1, v2 required'] };
  const previewOf = (rollout: object) => ({ title: '', lines: [], data: { rollout } });

  it('replaces the Machines of sets that have steps and are not updated in place', () => {
    const others = [
      { ...replaced, set: 's2', how: 'inPlace' },
      { ...replaced, set: 's3', replicas: 0 },
    ];
    expect(replacementIn(previewOf({ steps: [{}], replaced: [replaced, ...others] }))).toBe(
      'Machines of MachineSet s1: Version v1, v2 required',
    );
    expect(replacementIn(previewOf({ steps: [], replaced: [replaced] }))).toBeUndefined();
    expect(replacementIn(previewOf({ steps: [{}], replaced: others }))).toBeUndefined();
    expect(replacementIn({ title: '', lines: [], data: { deletion: {} } })).toBeUndefined();
  });
});
