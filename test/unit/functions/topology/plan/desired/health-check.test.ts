import type { JsonObject } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { controlPlaneOf, machineDeploymentOf } from './desired-input.ts';

const ofClass = {
  checks: {
    nodeStartupTimeoutSeconds: 60,
    unhealthyNodeConditions: [{ type: 'Ready', status: 'False', timeoutSeconds: 9 }],
  },
  remediation: { triggerIf: { unhealthyLessThanOrEqualTo: '40%' } },
};
const ownerReferences = [
  { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'c1', uid: 'uid-of-cluster-c1' },
];
const labels = { 'cluster.x-k8s.io/cluster-name': 'c1', 'topology.cluster.x-k8s.io/owned': '' };

describe('a health check of a MachineDeployment', () => {
  it('has the name of its MachineDeployment and selects its Machines', () => {
    expect(machineDeploymentOf({}, { healthCheck: ofClass }).healthCheck).toEqual({
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'MachineHealthCheck',
      metadata: { name: 'c1-md1-fffff', namespace: 'ns1', labels, ownerReferences },
      spec: {
        clusterName: 'c1',
        selector: {
          matchLabels: { 'topology.cluster.x-k8s.io/owned': '', 'topology.cluster.x-k8s.io/deployment-name': 'md1' },
        },
        ...ofClass,
      },
    });
  });
});

const templateRef = { apiVersion: 'r.io/v1', kind: 'FixTemplate', name: 'fix' };
const rows: readonly {
  readonly topology?: JsonObject;
  readonly ofClass?: JsonObject;
  readonly made: JsonObject | undefined;
  readonly reason: string;
}[] = [
  { made: undefined, reason: 'neither defines one' },
  { ofClass, made: ofClass, reason: 'the class defines one' },
  { topology: { enabled: true }, ofClass, made: ofClass, reason: 'enabled alone defines nothing' },
  { topology: { enabled: true }, made: undefined, reason: 'there is nothing to enable' },
  { topology: { enabled: false }, ofClass, made: undefined, reason: 'the topology switches it off' },
  {
    topology: { enabled: false, checks: { nodeStartupTimeoutSeconds: 30 } },
    made: undefined,
    reason: 'off though it is defined',
  },
  {
    topology: { remediation: { triggerIf: { unhealthyInRange: '[3-5]' } } },
    ofClass,
    made: { checks: { nodeStartupTimeoutSeconds: 600 }, remediation: { triggerIf: { unhealthyInRange: '[3-5]' } } },
    reason: 'all or nothing: checks of the class do not count',
  },
  {
    topology: { checks: { nodeStartupTimeoutSeconds: 0 } },
    made: { checks: { nodeStartupTimeoutSeconds: 0 } },
    reason: 'zero disables the timeout, and no remediation is set',
  },
  {
    topology: {
      checks: { unhealthyMachineConditions: [{ type: 'M' }], unhealthyNodeConditions: [], other: 1 },
      remediation: { maxInFlight: 1, templateRef, triggerIf: { unhealthyLessThanOrEqualTo: 0, other: 1 } },
    },
    made: {
      checks: { nodeStartupTimeoutSeconds: 600, unhealthyMachineConditions: [{ type: 'M' }] },
      remediation: { templateRef, triggerIf: { unhealthyLessThanOrEqualTo: 0 } },
    },
    reason: 'only its own fields, and no empty ones',
  },
  {
    topology: { remediation: { maxInFlight: 1 } },
    made: { checks: { nodeStartupTimeoutSeconds: 600 } },
    reason: 'how many at a time is for the MachineDeployment',
  },
];

describe('checks and remediation of a health check', () => {
  it.each(rows)('of a MachineDeployment: $reason', ({ topology = {}, ofClass = {}, made }) => {
    const { healthCheck } = machineDeploymentOf({ healthCheck: topology }, { healthCheck: ofClass });
    expect(partsOf(healthCheck?.['spec'])).toEqual(made);
  });

  it.each(rows)('of a control plane: $reason', ({ topology = {}, ofClass = {}, made }) => {
    const { healthCheck } = controlPlaneOf({ healthCheck: topology }, { healthCheck: ofClass });
    expect(partsOf(healthCheck?.['spec'])).toEqual(made);
  });
});

function partsOf(spec: unknown): JsonObject | undefined {
  const { clusterName: _, selector: _selector, ...parts } = Object.fromEntries(Object.entries(spec ?? {}));
  return spec === undefined ? undefined : parts;
}
