// What a Cluster waits for, told from its status alone. Pure.
import type { Unstructured } from '../../../shared/api/object.ts';
import { isJsonObject, valueAt } from '../../../shared/kernel/merge-diff.ts';

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

interface ShownCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** Condition types in the order in which a user should read them, and what is waited for unless they have that status. */
const telling: readonly { readonly type: string; readonly fine: string; readonly until?: string }[] = [
  { type: 'Paused', fine: 'False', until: 'its pause to end' },
  { type: 'Deleting', fine: 'False', until: 'what belongs to it to go' },
  { type: 'TopologyReconciled', fine: 'True' },
  { type: 'InfrastructureReady', fine: 'True' },
  { type: 'ControlPlaneInitialized', fine: 'True' },
  { type: 'ControlPlaneAvailable', fine: 'True' },
  { type: 'WorkersAvailable', fine: 'True' },
  { type: 'Available', fine: 'True' },
];

export function viewCluster(cluster: Unstructured): ClusterView {
  const phase = valueAt(cluster.status, 'phase');
  const conditions = conditionsOf(cluster);
  const isTrue = (wanted: string): boolean =>
    conditions.some(({ type, status }) => type === wanted && status === 'True');
  const paused = isTrue('Paused');
  const isReconciled = phase !== undefined || paused;
  return {
    phase: typeof phase === 'string' ? phase : '',
    provisioned: phase === 'Provisioned',
    paused,
    available: isTrue('Available'),
    waitingFor: isReconciled ? toWaiting(conditions) : 'its first reconcile',
  };
}

function toWaiting(conditions: readonly ShownCondition[]): string {
  for (const { type, fine, until = type } of telling) {
    const condition = conditions.find(candidate => candidate.type === type);
    if (condition !== undefined && condition.status !== fine) {
      return `${until}: ${toWhy(condition)}`;
    }
  }
  return '';
}

/** A message over several lines is a list, nested lists included. */
function toWhy({ message, reason }: ShownCondition): string {
  const lines = message.split('\n').map(line => line.replace(/^\s*(\* )?/, '').trim());
  return lines.filter(line => line !== '').join('; ') || reason;
}

function conditionsOf(cluster: Unstructured): readonly ShownCondition[] {
  const list = valueAt(cluster.status, 'conditions');
  return Array.isArray(list) ? list.filter(isJsonObject).map(toShown) : [];
}

function toShown(condition: Readonly<Record<string, unknown>>): ShownCondition {
  const text = (field: string): string => {
    const value = condition[field];
    return typeof value === 'string' ? value : '';
  };
  return { type: text('type'), status: text('status'), reason: text('reason'), message: text('message') };
}
