import { describe, expect, it } from 'vitest';
import { readWholeMachine } from '../../../../../shared/api/machine/whole-machine.ts';

const metadata = { name: 'm1', namespace: 'ns', uid: 'u1', resourceVersion: '1' };
const machineType = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine' };

describe('readWholeMachine', () => {
  it('reads spec and status', () => {
    const { spec, status } = readWholeMachine({
      ...machineType,
      metadata,
      spec: {
        clusterName: 'c1',
        bootstrap: { dataSecretName: '' },
        deletion: { nodeDeletionTimeoutSeconds: 0 },
        taints: [{ key: 'a', effect: 'NoSchedule', propagation: 'Always' }, { key: 'without effect' }],
      },
      status: { nodeRef: { name: 'n1' }, deletion: { nodeDrainStartTime: '2026-01-01T00:00:00Z' } },
    });
    expect(spec.clusterName).toBe('c1');
    expect(spec.bootstrap.dataSecretName).toBe('');
    expect(spec.deletion).toEqual({
      nodeDrainTimeoutSeconds: 0,
      nodeVolumeDetachTimeoutSeconds: 0,
      nodeDeletionTimeoutSeconds: 0,
    });
    expect(spec.taints).toEqual([{ key: 'a', value: '', effect: 'NoSchedule', propagation: 'Always' }]);
    expect(status.nodeRef.name).toBe('n1');
    expect(status.deletion.nodeDrainStartTime).toBe('2026-01-01T00:00:00Z');
  });

  it('treats unreadable fields as absent', () => {
    const machine = readWholeMachine({
      ...machineType,
      metadata: { name: 'm1', uid: 'u1', resourceVersion: '1' },
      spec: { clusterName: 7, bootstrap: [], deletion: 'never', taints: {} },
      status: { addresses: [{ type: 'InternalIP' }], nodeRef: null },
    });
    expect(machine.metadata).toMatchObject({
      namespace: '',
      generation: 0,
      labels: {},
      annotations: {},
      finalizers: [],
    });
    expect(machine.spec.clusterName).toBe('');
    expect(machine.spec.bootstrap.dataSecretName).toBeUndefined();
    expect(machine.spec.deletion.nodeDeletionTimeoutSeconds).toBeUndefined();
    expect(machine.status.addresses).toEqual([]);
    expect(machine.status.nodeRef.name).toBe('');
  });
});
