// How an object below a Cluster is doing, told from what it reports. Pure.
import { pausedAnnotation } from '../../../shared/api/cluster/reader.ts';
import { isJsonObject } from '../../../shared/api/json.ts';
import type { Unstructured } from '../../../shared/api/object.ts';
import { readFailureMessage, readFailureReason } from '../../../shared/contract/infra-cluster.ts';
import { valueOr } from '../../../shared/contract/path.ts';
import { valueAt } from '../../../shared/kernel/merge-diff.ts';
import type { Referred } from './snapshot.ts';
import { conditionsOf, type ShownCondition, toWhy } from './waiting.ts';

/** `unknown`: it reports nothing yet. */
export type Mark = 'ready' | 'waiting' | 'failing' | 'paused' | 'deleting' | 'missing' | 'unknown';

export interface ObjectView {
  readonly mark: Mark;
  /** Why it is not ready; of something ready, what else is worth knowing. */
  readonly detail: string;
}

/** Condition types that tell whether an object works, the most telling first. */
export type Telling = readonly [string, ...string[]];

export const infrastructureTelling: Telling = ['Ready', 'Available'];
export const controlPlaneTelling: Telling = ['Available', 'Ready'];
export const machineTelling: Telling = ['Available', 'Ready'];

/** Fields of the contract that stand in for a condition which a provider does not report. */
const achievements = [
  'status.initialization.provisioned',
  'status.initialization.controlPlaneInitialized',
  'status.ready',
  'status.initialized',
] as const;

export function viewReferred(referred: Referred, telling: Telling): ObjectView {
  switch (referred.state) {
    case 'found':
      return viewObject(referred.object, telling);
    case 'missing':
      return { mark: 'missing', detail: 'does not exist' };
    case 'pending':
      return { mark: 'unknown', detail: '' };
    case 'notInstalled':
      return { mark: 'missing', detail: `CustomResourceDefinition ${referred.crd} is not installed` };
    case 'unreadable':
      return { mark: 'failing', detail: referred.error };
  }
}

/** A failure that no retry mends comes before everything else, then what holds the object up, then its conditions. */
export function viewObject(object: Unstructured, telling: Telling): ObjectView {
  const terminal = terminalFailureOf(object);
  const condition = tellingCondition(object, telling);
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

/** The replicas of a MachineDeployment or a MachinePool as well, and what they run. */
export function viewCollection(object: Unstructured): ObjectView {
  const { mark, detail } = viewObject(object, ['Available']);
  const counts = `${countAt(object, 'status.readyReplicas')}/${countAt(object, 'spec.replicas')} ready`;
  return { mark, detail: joined(counts, versionsOf(object, 'spec.template.spec.version'), detail) };
}

/** Replicas and versions of a control plane, as far as it tells them. */
export function viewControlPlane(referred: Referred): ObjectView {
  const view = viewReferred(referred, controlPlaneTelling);
  if (referred.state !== 'found' || valueAt(referred.object, 'status.replicas') === undefined) {
    return view;
  }
  const { object } = referred;
  const counts = `${countAt(object, 'status.readyReplicas')}/${countAt(object, 'spec.replicas')} ready`;
  return { ...view, detail: joined(counts, versionsOf(object, 'spec.version'), view.detail) };
}

export function viewHealthCheck(object: Unstructured): ObjectView {
  const [healthy, expected] = [countAt(object, 'status.currentHealthy'), countAt(object, 'status.expectedMachines')];
  const { mark } = viewObject(object, ['RemediationAllowed']);
  const detail = `${healthy}/${expected} healthy`;
  return { mark: mark === 'ready' && healthy < expected ? 'waiting' : mark, detail };
}

/** `v1.35.0`, `v1.35.0 → v1.36.0` while it is wanted and not there, `v1.35.0 ×1, v1.36.0 ×2` on the way; empty when unknown. */
function versionsOf(object: Unstructured, wantedAt: string): string {
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

function joined(...parts: readonly string[]): string {
  return parts.filter(part => part !== '').join('  ');
}

/** What a provider of the older contract calls a failure that no retry mends. */
export function terminalFailureOf(object: Unstructured): string | undefined {
  const reason = valueOr(readFailureReason(object), '');
  const message = valueOr(readFailureMessage(object), '');
  return reason === '' && message === '' ? undefined : [reason, message].filter(text => text !== '').join(': ');
}

export function isPaused({ metadata }: Unstructured): boolean {
  return metadata.annotations?.[pausedAnnotation] !== undefined;
}

export function tellingCondition(object: Unstructured, telling: Telling): ShownCondition | undefined {
  const conditions = conditionsOf(object);
  for (const type of telling) {
    const condition = conditions.find(candidate => candidate.type === type);
    if (condition !== undefined) {
      return condition;
    }
  }
  return undefined;
}

/** Providers name reasons as they like; those of failures have the word in them. */
export function isFailure({ reason }: Pick<ShownCondition, 'reason'>): boolean {
  return /fail|error/i.test(reason);
}

function toReasonAndWhy(condition: ShownCondition): string {
  const why = toWhy(condition);
  return condition.reason === '' || why === condition.reason ? why : `${condition.reason}: ${why}`;
}

function phaseOf(object: Unstructured): string {
  const phase = valueAt(object, 'status.phase');
  return typeof phase === 'string' ? phase : '';
}

function countAt(object: Unstructured, path: string): number {
  const count = valueAt(object, path);
  return typeof count === 'number' ? count : 0;
}
