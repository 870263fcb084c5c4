// What a Cluster waits for, told from its status alone. Pure: the live view and the plain lines share it.

import type { Unstructured } from '../../../shared/api/object.ts';
import { isJsonObject, valueAt } from '../../../shared/kernel/merge-diff.ts';

export interface ClusterView {
  readonly phase: string;
  readonly provisioned: boolean;
  readonly paused: boolean;
  /** Empty when nothing is missing. */
  readonly waitingFor: string;
}

interface ShownCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** Condition types in the order in which a user should read them, with the status that means "fine". */
const telling: readonly { readonly type: string; readonly fine: string }[] = [
  { type: 'Deleting', fine: 'False' },
  { type: 'Paused', fine: 'False' },
  { type: 'InfrastructureReady', fine: 'True' },
  { type: 'ControlPlaneInitialized', fine: 'True' },
  { type: 'ControlPlaneAvailable', fine: 'True' },
  { type: 'WorkersAvailable', fine: 'True' },
];

export function viewCluster(cluster: Unstructured): ClusterView {
  const phase = valueAt(cluster.status, 'phase');
  const conditions = conditionsOf(cluster);
  return {
    phase: typeof phase === 'string' ? phase : '',
    provisioned: phase === 'Provisioned',
    paused: conditions.some(({ type, status }) => type === 'Paused' && status === 'True'),
    waitingFor: conditions.length === 0 ? 'its first reconcile' : waitingFor(conditions),
  };
}

function waitingFor(conditions: readonly ShownCondition[]): string {
  for (const { type, fine } of telling) {
    const condition = conditions.find(candidate => candidate.type === type);
    if (condition !== undefined && condition.status !== fine) {
      const why = condition.message === '' ? condition.reason : condition.message.replaceAll('\n', '; ');
      return `${type}: ${why}`;
    }
  }
  return '';
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
