// The order of the objects of a fleet that wait: what a user should look at first. Pure.
import { compareText } from '@capi-serverless/apimachinery';
import type { Wait } from './conditions.ts';

/** An object that waits. */
export interface WaitingObject {
  readonly kind: string;
  /** The namespace and name. */
  readonly display: string;
  /** Whether it is a Machine of a control plane. */
  readonly isControlPlane: boolean;
  readonly wait: Wait;
}

interface Rule {
  /** The class of causes, for readers of this table. */
  readonly what: string;
  /** Default: each kind. */
  readonly kinds?: readonly string[];
  /** The types of the condition. Default: each, also none. */
  readonly conditions?: readonly string[];
  /** Of the reason and the message of the condition. */
  readonly text?: RegExp;
  readonly isControlPlane?: true;
  /** It ends with the wait of another object, which is a cause. It comes after all causes. */
  readonly follows?: true;
}

const node = ['BootstrapConfigReady', 'InfrastructureReady', 'NodeReady', 'NodeHealthy', 'Updating'];

/**
 * From the most urgent one. The first rule that matches an object counts. A cause comes before what follows from it, and
 * a cause that ends by itself comes last.
 */
const rules: readonly Rule[] = [
  { what: 'what several classes and Clusters use', kinds: ['ExtensionConfig'] },
  { what: 'what several Clusters use', kinds: ['ClusterClass'] },
  {
    what: 'what follows from the class, the Cluster or its connection',
    conditions: ['TopologyReconciled', 'BootstrapConfigReady', 'NodeReady', 'NodeHealthy'],
    text: /^(?:ClusterClassNotReconciled|ConnectionDown)|Waiting for (?:Cluster|[Cc]ontrol ?[Pp]lane)|ClusterClass is not successfully/,
    follows: true,
  },
  {
    what: 'a topology that cannot be made, or that an extension blocks',
    kinds: ['Cluster'],
    conditions: ['TopologyReconciled'],
    text: /^ReconcileFailed|hooks are blocking/,
  },
  { what: 'the base of a Cluster', kinds: ['Cluster'], conditions: ['InfrastructureReady', 'RemoteConnectionProbe'] },
  { what: 'a control plane', kinds: ['Machine'], conditions: node, isControlPlane: true },
  { what: 'a control plane', kinds: ['Cluster'], conditions: ['ControlPlaneInitialized', 'ControlPlaneAvailable'] },
  {
    what: 'a remediation that does not happen',
    kinds: ['MachineHealthCheck', 'Machine'],
    conditions: ['RemediationAllowed', 'OwnerRemediated'],
  },
  { what: 'a deletion that stands still', kinds: ['Machine'], conditions: ['Deleting'] },
  {
    what: 'a deletion that stands still',
    kinds: ['Cluster'],
    conditions: ['Deleting'],
    text: /^(?!WaitingForWorkersDeletion)/,
  },
  { what: 'Machines that are not made', kinds: ['MachineSet'], text: /is blocked because|MachineCreationFailed/ },
  { what: 'a machine', kinds: ['Machine', 'MachinePool'], conditions: node },
  { what: 'a machine', kinds: ['Machine'], conditions: ['HealthCheckSucceeded'] },
  { what: 'what is applied', kinds: ['ClusterResourceSet', 'ClusterResourceSetBinding'] },
  { what: 'a pause', kinds: ['Cluster'], conditions: ['Paused'] },
  { what: 'a rollout', kinds: ['MachineDeployment'], conditions: ['RollingOut'] },
];

/** The order of kinds within a class of causes. */
const kinds = ['Cluster', 'MachineHealthCheck', 'MachineDeployment', 'MachineSet', 'MachinePool', 'Machine'];

/** Returns the objects from the most urgent one. Of the same urgency, by kind and name. */
export function byUrgency<Waiting extends WaitingObject>(objects: readonly Waiting[]): readonly Waiting[] {
  return objects.toSorted(
    (a, b) => rankOf(a) - rankOf(b) || kindRank(a) - kindRank(b) || compareText(a.display, b.display),
  );
}

function rankOf(object: WaitingObject): number {
  const rank = rules.findIndex(rule => matches(rule, object));
  return rank < 0 || rules[rank]?.follows === true ? rules.length : rank;
}

function matches(rule: Rule, { kind, isControlPlane, wait: { condition } }: WaitingObject): boolean {
  return (
    (rule.kinds?.includes(kind) ?? true) &&
    (rule.conditions === undefined || (condition !== undefined && rule.conditions.includes(condition.type))) &&
    (rule.text === undefined ||
      (condition !== undefined && rule.text.test(`${condition.reason} ${condition.message}`))) &&
    (rule.isControlPlane === undefined || isControlPlane)
  );
}

function kindRank({ kind }: WaitingObject): number {
  const rank = kinds.indexOf(kind);
  return rank < 0 ? kinds.length : rank;
}
