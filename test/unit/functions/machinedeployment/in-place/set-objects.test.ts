import { describe, expect, it } from 'vitest';
import { toMemoryKey, toRequest } from '../../../../../functions/machinedeployment/plan/in-place/set-objects.ts';
import { aSetIntent, setObjects, specOf } from './set-objects.ts';

describe('the request of CanUpdateMachineSet', () => {
  it('has no status, owner references, finalizers and versions', () => {
    const current = setObjects(1);
    const desired = setObjects(2, { hasBootstrap: false });
    const shown = (apiVersion: string, kind: string, name: string, spec: unknown) => ({
      ...{ apiVersion, kind, spec },
      metadata: { name, namespace: 'ns', labels: { label: name }, annotations: { annotation: name } },
    });
    const template = { template: { spec: { hello: 'same' } } };
    expect(toRequest({ current, desired })).toEqual({
      current: {
        machineSet: shown('cluster.x-k8s.io/v1beta2', 'MachineSet', 'ms1', current.set['spec']),
        infrastructureMachineTemplate: shown(
          'infrastructure.cluster.x-k8s.io/v1beta2',
          'FooMachineTemplate',
          'it1',
          template,
        ),
        bootstrapConfigTemplate: shown('bootstrap.cluster.x-k8s.io/v1beta2', 'FooConfigTemplate', 'bt1', template),
      },
      desired: {
        machineSet: shown('cluster.x-k8s.io/v1beta2', 'MachineSet', 'ms2', desired.set['spec']),
        infrastructureMachineTemplate: shown(
          'infrastructure.cluster.x-k8s.io/v1beta2',
          'FooMachineTemplate',
          'it2',
          template,
        ),
      },
    });
  });
});

describe('the key of a remembered answer', () => {
  const current = setObjects(1);
  const desired = setObjects(2);
  const key = toMemoryKey({ current, desired });
  const withTemplate = (template: object) => ({
    ...desired,
    set: aSetIntent('ms2', { ...specOf(desired.set), ...template }, 'u-ms2'),
  });
  const nextGeneration = <T extends { readonly metadata: object }>(object: T) => ({
    ...object,
    metadata: { ...object.metadata, generation: 2 },
  });
  const { infrastructure, bootstrap } = desired;

  it.each([
    { change: { desired: { ...desired, set: aSetIntent('ms3', specOf(desired.set), 'u-ms2') } }, reason: 'the name' },
    { change: { desired: { ...desired, set: aSetIntent('ms2', specOf(desired.set), 'u-x') } }, reason: 'the uid' },
    { change: { desired: withTemplate({ version: 'v1.40.0' }) }, reason: 'the version' },
    { change: { desired: withTemplate({ failureDomain: 'b' }) }, reason: 'the failure domain' },
    { change: { desired: withTemplate({ infrastructureRef: {} }) }, reason: 'the infrastructure template' },
    { change: { desired: withTemplate({ bootstrap: {} }) }, reason: 'the bootstrap template' },
    {
      change: { desired: { ...desired, infrastructure: nextGeneration(infrastructure) } },
      reason: 'the content of the infrastructure template',
    },
    {
      change: { desired: { ...desired, bootstrap: bootstrap && nextGeneration(bootstrap) } },
      reason: 'the content of the bootstrap template',
    },
    { change: { desired: { ...desired, bootstrap: undefined } }, reason: 'the lack of a bootstrap template' },
    { change: { current: setObjects(3) }, reason: 'the old MachineSet' },
  ])('changes with $reason', ({ change }) => {
    expect(toMemoryKey({ current, desired, ...change })).not.toBe(key);
  });

  it('does not change with fields that are changed without extension', () => {
    expect(toMemoryKey({ current, desired: withTemplate({ taints: [], minReadySeconds: 5 }) })).toBe(key);
  });

  it('does not depend on the order of fields', () => {
    const reversed = Object.fromEntries(Object.entries(specOf(desired.set)).toReversed());
    const set = aSetIntent('ms2', reversed, 'u-ms2');
    expect(toMemoryKey({ current, desired: { ...desired, set } })).toBe(key);
  });
});
