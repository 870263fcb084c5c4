// The objects of the scenarios: MachineHealthCheck ns/h1, Cluster c1, Machines m1 to m3 with Nodes n1 to n3.
import type { Instant } from '@capi-serverless/apimachinery';
import { aCluster } from '../../../support/builders.ts';
import { type ConditionParts, ObjectBuilder, testStart, timestamp } from '../../../support/object-builder.ts';

export const now: Instant = testStart + 24 * 3_600_000;
const hourAgo = timestamp(now - 3_600_000);
export const clusterNameLabel = 'cluster.x-k8s.io/cluster-name';
export const remediate = 'cluster.x-k8s.io/remediate-machine';
export const paused = 'cluster.x-k8s.io/paused';
export const skip = 'cluster.x-k8s.io/skip-remediation';

const core = 'cluster.x-k8s.io/v1beta2';
export const clusterOwner = { apiVersion: core, kind: 'Cluster', name: 'c1', uid: 'uid-1' };

export class HealthTestObject extends ObjectBuilder {
  owners(...ownerReferences: readonly { apiVersion: string; kind: string; name: string; uid: string }[]): this {
    return this.withMetadata({ ownerReferences });
  }

  onlyLabelled(labels: Readonly<Record<string, string>>): this {
    return this.withMetadata({ labels });
  }
}

const readyChecks = [
  { type: 'Ready', status: 'Unknown', timeoutSeconds: 300 },
  { type: 'Ready', status: 'False', timeoutSeconds: 300 },
];

/** A MachineHealthCheck without conditions. */
export function aFreshCheck(checks: object = {}): HealthTestObject {
  return new HealthTestObject({ apiVersion: core, kind: 'MachineHealthCheck', name: 'h1' })
    .withUid('h')
    .atGeneration(2)
    .atResourceVersion('7')
    .labelled({ [clusterNameLabel]: 'c1' })
    .owners(clusterOwner)
    .withSpec({
      clusterName: 'c1',
      selector: { matchLabels: { pool: 'a' } },
      checks: { nodeStartupTimeoutSeconds: 600, unhealthyNodeConditions: readyChecks, ...checks },
    });
}

export function aCheck(checks: object = {}): HealthTestObject {
  return aFreshCheck(checks).withCondition('Paused', { status: 'False', reason: 'NotPaused', observedGeneration: 2 });
}

export const triggeredBy = (triggerIf: object): HealthTestObject => aCheck().withSpec({ remediation: { triggerIf } });

export function aCapiCluster() {
  return aCluster()
    .withUid('uid-1')
    .withCondition('ControlPlaneInitialized', { lastTransitionTime: hourAgo })
    .withCondition('InfrastructureReady', { lastTransitionTime: hourAgo });
}

/** `number` is the number of the Machine and of its Node. */
export function machine(number: number): HealthTestObject {
  return new HealthTestObject({ apiVersion: core, kind: 'Machine', name: `m${number}` })
    .createdAt(now - 3_600_000)
    .atResourceVersion(`1${number}`)
    .labelled({ [clusterNameLabel]: 'c1', pool: 'a' })
    .withSpec({ clusterName: 'c1' })
    .withStatus({ nodeRef: { name: `n${number}` } });
}

/** A Machine without Node. */
export function young(number: number, ageSeconds: number): HealthTestObject {
  return machine(number)
    .createdAt(now - ageSeconds * 1000)
    .withStatus({ nodeRef: {} });
}

export function node(number: number, ready: ConditionParts = { lastTransitionTime: hourAgo }): HealthTestObject {
  return new HealthTestObject({ apiVersion: 'v1', kind: 'Node', name: `n${number}` })
    .clusterScoped()
    .withCondition('Ready', ready);
}

/** A Node whose kubelet stopped to report so many seconds ago. */
export function lost(number: number, seconds: number): HealthTestObject {
  const lastTransitionTime = timestamp(now - seconds * 1000);
  return node(number, { status: 'Unknown', reason: 'NodeStatusUnknown', lastTransitionTime });
}

export const templateRef = { apiVersion: 'rem.io/v1', kind: 'FooRemediationTemplate', name: 't1' };

export const externalCheck = (): HealthTestObject => aCheck().withSpec({ remediation: { templateRef } });

export function template(): HealthTestObject {
  return new HealthTestObject({ apiVersion: 'rem.io/v1', kind: 'FooRemediationTemplate', name: 't1' }).withSpec({
    template: { spec: { size: '3xl' } },
  });
}

export function request(number: number): HealthTestObject {
  return new HealthTestObject({ apiVersion: 'rem.io/v1', kind: 'FooRemediation', name: `m${number}` }).labelled({
    [clusterNameLabel]: 'c1',
  });
}
