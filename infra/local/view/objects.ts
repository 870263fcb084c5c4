// How an object below a Cluster is doing, told from what it reports. Pure.
import { pausedAnnotation } from '../../../shared/api/cluster/reader.ts';
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

/** The replicas of a MachineDeployment as well. */
export function viewMachineDeployment(object: Unstructured): ObjectView {
  const { mark, detail } = viewObject(object, ['Available']);
  const counts = `${countAt(object, 'status.readyReplicas')}/${countAt(object, 'spec.replicas')} ready`;
  return { mark, detail: detail === '' ? counts : `${counts}  ${detail}` };
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
