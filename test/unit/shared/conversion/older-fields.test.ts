import { describe, expect, it } from 'vitest';
import { olderField, unknownFields } from '../../../../shared/conversion/older-fields.ts';
import { isInOlderVersion, toStoredForm } from '../../../../shared/conversion/stored-form.ts';

describe('a field of the stored version', () => {
  const of = (kind: string) => ({ apiVersion: 'cluster.x-k8s.io/v1beta1', kind });

  it.each([
    { kind: 'Cluster', field: 'spec.topology.classRef.name', older: 'spec.topology.class' },
    { kind: 'Cluster', field: 'spec.topology.version', older: 'spec.topology.version' },
    { kind: 'Cluster', field: 'spec.topology', older: 'spec.topology' },
    {
      kind: 'Cluster',
      field: 'spec.topology.workers.machineDeployments[0].deletion.order',
      older: 'spec.topology.workers.machineDeployments[0].strategy.rollingUpdate.deletePolicy',
    },
    {
      kind: 'Cluster',
      field:
        'spec.topology.workers.machineDeployments[md-0].healthCheck.checks.unhealthyNodeConditions[1].timeoutSeconds',
      older: 'spec.topology.workers.machineDeployments[md-0].machineHealthCheck.unhealthyConditions[1].timeout',
    },
    {
      kind: 'Cluster',
      field: 'spec.topology.workers.machineDeployments[0].healthCheck.remediation.maxInFlight',
      older: 'spec.topology.workers.machineDeployments[0].strategy.remediation.maxInFlight',
    },
    {
      kind: 'ClusterClass',
      field: 'spec.controlPlane.machineInfrastructure.templateRef.name',
      older: 'spec.controlPlane.machineInfrastructure.ref.name',
    },
    {
      kind: 'ClusterClass',
      field: 'spec.workers.machineDeployments[0].infrastructure.templateRef.kind',
      older: 'spec.workers.machineDeployments[0].template.infrastructure.ref.kind',
    },
    {
      kind: 'ClusterClass',
      field: 'spec.variables[a.b].schema.openAPIV3Schema.properties[p].type',
      older: 'spec.variables[a.b].schema.openAPIV3Schema.properties[p].type',
    },
    { kind: 'Machine', field: 'spec.minReadySeconds', older: 'spec.minReadySeconds' },
    { kind: 'Machine', field: 'spec.infrastructureRef.apiGroup', older: 'spec.infrastructureRef.apiGroup' },
    { kind: 'Machine', field: 'metadata.labels.a', older: 'metadata.labels.a' },
    { kind: 'Machine', field: '', older: '' },
  ])('$field of a $kind is $older', ({ kind, field, older }) => {
    expect(olderField(of(kind), field)).toBe(older);
  });
});

describe('unknown fields', () => {
  it('are those that the version of the object does not have', () => {
    const object = {
      apiVersion: 'cluster.x-k8s.io/v1beta1',
      kind: 'ClusterClass',
      metadata: { name: 'q', more: 1 },
      spec: {
        controlPlane: {
          templateRef: {},
          ref: { kind: 'K' },
          machineHealthCheck: { unhealthyConditions: [{ timeoutSeconds: 1 }, null] },
        },
        variables: [
          { name: 'a', schema: { openAPIV3Schema: { properties: { p: { typo: 1 } }, default: { any: 1 } } } },
        ],
        workers: 'wrong',
        patches: 'wrong',
      },
    };
    expect(unknownFields(object)).toEqual([
      'spec.controlPlane.templateRef',
      'spec.controlPlane.machineHealthCheck.unhealthyConditions[0].timeoutSeconds',
      'spec.variables[0].schema.openAPIV3Schema.properties[p].typo',
    ]);
  });
});

describe('the stored form', () => {
  const machine = { apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'MachinePool', spec: { clusterName: 'c1' } };

  it('has a status only if the object has one', () => {
    const stored = toStoredForm(machine);
    expect(stored).toMatchObject({
      ok: true,
      value: {
        object: { apiVersion: 'cluster.x-k8s.io/v1beta2' },
        deprecation: 'cluster.x-k8s.io/v1beta1 MachinePool is deprecated; use cluster.x-k8s.io/v1beta2 MachinePool',
      },
    });
    expect(stored.ok && stored.value.object).not.toHaveProperty('status');
    const withStatus = toStoredForm({ ...machine, status: {} });
    expect(withStatus.ok && withStatus.value.object).toHaveProperty('status');
  });

  it('of other objects is the object', () => {
    const current = { ...machine, apiVersion: 'cluster.x-k8s.io/v1beta2' };
    expect(toStoredForm(current)).toEqual({ ok: true, value: { object: current } });
    expect(isInOlderVersion({ apiVersion: 'v1', kind: 'Secret' })).toBe(false);
    expect(toStoredForm({ ...machine, spec: 1 })).toEqual({ ok: false, error: 'spec: must be an object' });
  });
});
