// The state of an object of any kind, derived from its conditions and contract fields. Pure.

import { isJsonObject, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { pausedAnnotation } from '@capi-serverless/cluster-api/conditions';
import { readFailureMessage, readFailureReason, valueOr } from '@capi-serverless/cluster-api/contract';
import { type ConditionView, conditionsOf, toWhy } from './conditions.ts';

/** `unknown` means that the object has not reported a state yet. */
export type Mark = 'ready' | 'waiting' | 'failing' | 'paused' | 'deleting' | 'missing' | 'unknown';

export interface ObjectView {
  readonly mark: Mark;
  /** The reason why the object is not ready. For a ready object, additional facts. */
  readonly detail: string;
}

/** Condition types that report whether an object works, most specific first. */
export type ConditionPreference = readonly [string, ...string[]];

/** Contract fields that are used if a provider does not report the condition. */
const achievements = [
  'status.initialization.provisioned',
  'status.initialization.controlPlaneInitialized',
  'status.ready',
  'status.initialized',
] as const;

/** In order of priority: a terminal failure, then the blocking cause, then the conditions. */
export function viewObject(object: Unstructured, preference: ConditionPreference): ObjectView {
  const terminal = terminalFailureOf(object);
  const condition = preferredCondition(object, preference);
  const why = condition === undefined ? '' : toReasonAndWhy(condition);
  if (terminal !== undefined) {
    return { mark: 'failing', detail: terminal };
  }
  if (object.metadata.deletionTimestamp !== undefined) {
    return { mark: 'deleting', detail: why };
  }
  if (isPaused(object)) {
    return { mark: 'paused', detail: `annotation ${pausedAnnotation}` };
  }
  if (condition === undefined) {
    const achieved = achievements.some(path => valueAt(object, path) === true);
    return { mark: achieved ? 'ready' : 'unknown', detail: achieved ? '' : phaseOf(object) };
  }
  if (condition.status === 'True') {
    return { mark: 'ready', detail: '' };
  }
  return { mark: isFailure(condition) ? 'failing' : 'waiting', detail: why };
}

/** Includes the replicas of a MachineDeployment or MachinePool, and their versions. */
export function viewCollection(object: Unstructured): ObjectView {
  return withReplicas(object, viewObject(object, ['Available']));
}

/** As in Cluster API v1.14, a MachinePool does not report whether it is available. Its phase says it. */
export function viewPool(object: Unstructured): ObjectView {
  const view = viewObject(object, ['Available']);
  if (view.mark !== 'unknown' || view.detail === '') {
    return withReplicas(object, view);
  }
  const isRunning = view.detail === 'Running';
  return withReplicas(object, { mark: isRunning ? 'ready' : 'waiting', detail: isRunning ? '' : view.detail });
}

function withReplicas(object: Unstructured, { mark, detail }: ObjectView): ObjectView {
  const counts = `${countAt(object, 'status.readyReplicas')}/${countAt(object, 'spec.replicas')} ready`;
  return { mark, detail: joined(counts, versionsOf(object, 'spec.template.spec.version'), detail) };
}

export function viewHealthCheck(object: Unstructured): ObjectView {
  const [healthy, expected] = [countAt(object, 'status.currentHealthy'), countAt(object, 'status.expectedMachines')];
  const { mark } = viewObject(object, ['RemediationAllowed']);
  const detail = `${healthy}/${expected} healthy`;
  return { mark: mark === 'ready' && healthy < expected ? 'waiting' : mark, detail };
}

/**
 * Returns the versions, for example `v1.35.0`. Before an upgrade: `v1.35.0 → v1.36.0`. During an upgrade: `v1.35.0 ×1,
 * v1.36.0 ×2`. Empty if unknown.
 */
export function versionsOf(object: Unstructured, wantedAt: string): string {
  const list = valueAt(object, 'status.versions');
  const versions = (Array.isArray(list) ? list : []).filter(isJsonObject);
  const wanted = valueAt(object, wantedAt);
  const [first, ...others] = versions.map(item => String(item['version']));
  if (first === undefined) {
    return '';
  }
  if (others.length > 0) {
    return versions.map(item => `${item['version']} ×${item['replicas']}`).join(', ');
  }
  return typeof wanted === 'string' && wanted !== first ? `${first} → ${wanted}` : first;
}

export function joined(...parts: readonly string[]): string {
  return parts.filter(part => part !== '').join('  ');
}

/** The terminal failure that a provider of the older contract reports. */
export function terminalFailureOf(object: Unstructured): string | undefined {
  const reason = valueOr(readFailureReason(object), '');
  const message = valueOr(readFailureMessage(object), '');
  return reason === '' && message === '' ? undefined : [reason, message].filter(text => text !== '').join(': ');
}

export function isPaused({ metadata }: Unstructured): boolean {
  return metadata.annotations?.[pausedAnnotation] !== undefined;
}

export function preferredCondition(object: Unstructured, preference: ConditionPreference): ConditionView | undefined {
  const conditions = conditionsOf(object);
  for (const type of preference) {
    const condition = conditions.find(candidate => candidate.type === type);
    if (condition !== undefined) {
      return condition;
    }
  }
  return undefined;
}

/** Providers choose their reasons. Reasons for failures contain one of these words. */
export function isFailure({ reason }: Pick<ConditionView, 'reason'>): boolean {
  return /fail|error/i.test(reason);
}

function toReasonAndWhy(condition: ConditionView): string {
  const why = toWhy(condition);
  return condition.reason === '' || why === condition.reason ? why : `${condition.reason}: ${why}`;
}

function phaseOf(object: Unstructured): string {
  const phase = valueAt(object, 'status.phase');
  return typeof phase === 'string' ? phase : '';
}

export function countAt(object: Unstructured, path: string): number {
  const count = valueAt(object, path);
  return typeof count === 'number' ? count : 0;
}
