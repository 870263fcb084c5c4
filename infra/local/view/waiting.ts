// What a Cluster waits for, told from its status alone. Pure.

import { isJsonObject } from '../../../shared/api/json.ts';
import type { Unstructured } from '../../../shared/api/object.ts';
import { valueAt } from '../../../shared/kernel/merge-diff.ts';

export interface ClusterView {
  /** Empty until a first reconcile went through. */
  readonly phase: string;
  readonly provisioned: boolean;
  readonly paused: boolean;
  /** Everything that a user of the Cluster depends on works. */
  readonly available: boolean;
  /** Empty when nothing is missing. */
  readonly waitingFor: string;
}

export interface ShownCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** What a Cluster waits for, and the condition that says so, if one does. */
export interface Wait {
  readonly until: string;
  readonly condition: ShownCondition | undefined;
}

/** Condition types in the order in which a user should read them, and what is waited for unless they have that status. */
const telling: readonly { readonly type: string; readonly fine: string; readonly until?: string }[] = [
  { type: 'Paused', fine: 'False', until: 'its pause to end' },
  { type: 'Deleting', fine: 'False', until: 'what belongs to it to go' },
  { type: 'TopologyReconciled', fine: 'True' },
  { type: 'InfrastructureReady', fine: 'True' },
  { type: 'ControlPlaneInitialized', fine: 'True' },
  { type: 'ControlPlaneAvailable', fine: 'True' },
  { type: 'RemoteConnectionProbe', fine: 'True' },
  { type: 'WorkersAvailable', fine: 'True' },
  { type: 'Available', fine: 'True' },
];

export function viewCluster(cluster: Unstructured): ClusterView {
  const phase = valueAt(cluster.status, 'phase');
  const conditions = conditionsOf(cluster);
  const wait = waitOf(cluster);
  return {
    phase: typeof phase === 'string' ? phase : '',
    provisioned: phase === 'Provisioned',
    paused: isTrue(conditions, 'Paused'),
    available: isTrue(conditions, 'Available'),
    waitingFor: wait === undefined ? '' : toWaiting(wait),
  };
}

/** The first thing a user should know that a Cluster waits for; `undefined` when its conditions name nothing. */
export function waitOf(cluster: Unstructured): Wait | undefined {
  const conditions = conditionsOf(cluster);
  if (valueAt(cluster.status, 'phase') === undefined && !isTrue(conditions, 'Paused')) {
    return { until: 'its first reconcile', condition: undefined };
  }
  for (const { type, fine, until = type } of telling) {
    const condition = conditions.find(candidate => candidate.type === type);
    if (condition !== undefined && condition.status !== fine) {
      return { until, condition };
    }
  }
  return undefined;
}

function toWaiting({ until, condition }: Wait): string {
  return condition === undefined ? until : `${until}: ${toWhy(condition)}`;
}

function isTrue(conditions: readonly ShownCondition[], wanted: string): boolean {
  return conditions.some(({ type, status }) => type === wanted && status === 'True');
}

/** In one line; a message over several lines is a list, nested lists included. */
export function toWhy({ message, reason }: Pick<ShownCondition, 'message' | 'reason'>): string {
  const lines = message.split('\n').map(line => line.replace(/^\s*(\* )?/, '').trim());
  return lines.filter(line => line !== '').join('; ') || reason;
}

/** Of an object of any kind, in whatever shape; v1beta2 conditions win where an older API version has both. */
export function conditionsOf(object: Unstructured): readonly ShownCondition[] {
  const newer = valueAt(object.status, 'v1beta2.conditions');
  const list = Array.isArray(newer) ? newer : valueAt(object.status, 'conditions');
  return Array.isArray(list) ? list.filter(isJsonObject).map(toShown) : [];
}

function toShown(condition: Readonly<Record<string, unknown>>): ShownCondition {
  const text = (field: string): string => {
    const value = condition[field];
    return typeof value === 'string' ? value : '';
  };
  return { type: text('type'), status: text('status'), reason: text('reason'), message: text('message') };
}
