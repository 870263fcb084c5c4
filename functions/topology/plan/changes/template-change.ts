// The writes for one template. It is created, or its metadata changes in place. If its spec changes, a new template
// replaces it.

import type { Intent, Unstructured } from '@capi-serverless/apimachinery';
import { setAt } from '@capi-serverless/cluster-api/contract';
import type { AskingPlan } from '@capi-serverless/reconciler';
import type { Cluster } from '../../../../shared/api/cluster/reader.ts';
import { appliesWithoutChange } from '../../../../shared/server-side-apply/certain.ts';
import { replacesAnnotation, topologyManager } from '../../../../shared/topology/model/keys.ts';
import { toPatched, toReplaced } from '../change-texts.ts';
import { toIntent } from '../intent/filter.ts';
import { chooseRotatedName, type NameRotation } from '../names/name-candidates.ts';
import type { DryRunQuestion, ReadQuestion } from '../questions.ts';
import { findDifference } from './comparison.ts';
import { type Compatibility, incompatibility, isSameKind } from './compatible.ts';
import { planCreation } from './object-change.ts';
import { applyStep, nothingToDo, type PlannedWrites } from './step.ts';

export interface TemplateChange extends Pick<NameRotation, 'role' | 'topologyName'> {
  readonly cluster: Cluster;
  readonly desired: Intent;
  readonly current: Unstructured | undefined;
  readonly must: Exclude<Compatibility, 'strict'>;
  /** The new template has the name of the replaced template in an annotation until the replaced template is deleted. */
  readonly marksSuccessor?: true;
}

export interface PlannedTemplate {
  readonly plan: PlannedWrites;
  /** The name to write to the reference. */
  readonly name: string;
  readonly isRotated: boolean;
}

/** If its spec changes, or its kind, a new template replaces it. */
export function* planTemplate(change: TemplateChange): AskingPlan<DryRunQuestion | ReadQuestion, PlannedTemplate> {
  const { desired, current, must } = change;
  if (current === undefined) {
    return unrotated(desired, planCreation({ desired, isDisposable: true }));
  }
  const obstacle = incompatibility(must, current, desired);
  if (obstacle !== undefined) {
    return unrotated(desired, { steps: [], failure: obstacle });
  }
  // A dry run with the uid of an object of another kind would be refused.
  if (!isSameKind(current, desired)) {
    return yield* planSuccessor(change, current);
  }
  const difference = yield* findDifference({ intent: toIntent(desired), current });
  if (!difference.ok) {
    return unrotated(desired, { steps: [], failure: difference.error });
  }
  const { changes, specChanges } = difference.value;
  if (specChanges) {
    return yield* planSuccessor(change, current);
  }
  const step = applyStep(toIntent(desired), current.metadata.uid, toPatched(current, ' (metadata changes)'));
  return unrotated(desired, changes ? { steps: [step] } : nothingToDo);
}

function unrotated({ metadata }: Intent, plan: PlannedWrites): PlannedTemplate {
  return { plan, name: metadata.name, isRotated: false };
}

/** A new template that an interrupted pass created is reused. */
function* planSuccessor(
  { cluster, role, topologyName, desired, marksSuccessor }: TemplateChange,
  current: Unstructured,
): AskingPlan<ReadQuestion, PlannedTemplate> {
  const chosen = yield* chooseRotatedName({ cluster, role, topologyName, intent: toIntent(desired) });
  if (!chosen.ok) {
    return unrotated(desired, { steps: [], failure: chosen.error });
  }
  const { name, existing } = chosen.value;
  const renamed = toIntent(setAt(desired, 'metadata.name', name));
  const successor = marksSuccessor === true ? withMark(renamed, current.metadata.name) : renamed;
  const step = applyStep(successor, existing?.metadata.uid, toReplaced(successor, current.metadata.name));
  const isReady = existing !== undefined && appliesWithoutChange(successor, existing, topologyManager) === 'certain';
  const steps = isReady ? [] : [existing === undefined ? { ...step, isDisposable: true as const } : step];
  return { plan: { steps }, name, isRotated: true };
}

function withMark(intent: Intent, predecessor: string): Intent {
  const { metadata } = intent;
  return {
    ...intent,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [replacesAnnotation]: predecessor } },
  };
}
