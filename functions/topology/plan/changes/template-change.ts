// The writes for one template. It is created, or its metadata changes in place. If its spec changes, a new template
// replaces it.

import type { Checked, Intent, Unstructured } from '@capi-serverless/apimachinery';
import { setAt } from '@capi-serverless/cluster-api/contract';
import type { Cluster } from '../../../../shared/api/cluster/reader.ts';
import { appliesWithoutChange } from '../../../../shared/server-side-apply/certain.ts';
import { replacesAnnotation, topologyManager } from '../../../../shared/topology/model/keys.ts';
import { toPatched, toReplaced } from '../change-texts.ts';
import type { DryRunDifference } from '../intent/dry-run.ts';
import { toIntent } from '../intent/filter.ts';
import type { NameRotation } from '../names/name-candidates.ts';
import type { ChosenName } from '../names/topology-names.ts';
import type { Compared } from './comparison.ts';
import { type Compatibility, incompatibility, isSameKind } from './compatible.ts';
import { planCreation } from './object-change.ts';
import { applyStep, nothingToDo, type TopologyPlan } from './step.ts';

export interface TemplateChange extends Pick<NameRotation, 'role' | 'topologyName'> {
  readonly cluster: Cluster;
  readonly desired: Intent;
  readonly current: Unstructured | undefined;
  readonly must: Exclude<Compatibility, 'strict'>;
  /** The new template has the name of the replaced template in an annotation until the replaced template is deleted. */
  readonly marksSuccessor?: true;
}

export interface PlannedTemplate {
  readonly plan: TopologyPlan;
  /** The name to write to the reference. */
  readonly name: string;
  readonly isRotated: boolean;
}

export type ExistingTemplate = TemplateChange & { readonly current: Unstructured };

/** 'rotate': a name for the new template must be chosen. */
type TemplateStep =
  | { readonly state: 'planned'; readonly template: PlannedTemplate }
  | { readonly state: 'rotate'; readonly template: ExistingTemplate };

type StartedTemplate =
  | TemplateStep
  | { readonly state: 'compare'; readonly template: ExistingTemplate; readonly compared: Compared };

export function startTemplate(change: TemplateChange): StartedTemplate {
  const { desired, current, must } = change;
  if (current === undefined) {
    return unrotated(desired, planCreation({ desired, isDisposable: true }));
  }
  const obstacle = incompatibility(must, current, desired);
  if (obstacle !== undefined) {
    return unrotated(desired, { steps: [], failure: obstacle });
  }
  const template = { ...change, current };
  // A dry run with the uid of an object of another kind would be refused.
  return isSameKind(current, desired)
    ? { state: 'compare', template, compared: { intent: toIntent(desired), current } }
    : { state: 'rotate', template };
}

export function finishTemplate(template: ExistingTemplate, difference: Checked<DryRunDifference>): TemplateStep {
  const { desired, current } = template;
  if (!difference.ok) {
    return unrotated(desired, { steps: [], failure: difference.error });
  }
  const { changes, specChanges } = difference.value;
  if (specChanges) {
    return { state: 'rotate', template };
  }
  const words = toPatched(current, ' (metadata changes)');
  const step = applyStep(toIntent(desired), current.metadata.uid, words);
  return unrotated(desired, changes ? { steps: [step] } : nothingToDo);
}

function unrotated({ metadata }: Intent, plan: TopologyPlan): Extract<TemplateStep, { state: 'planned' }> {
  return { state: 'planned', template: { plan, name: metadata.name, isRotated: false } };
}

/** The input for choosing the name of the new template. */
export function toRotation({ cluster, role, topologyName, desired }: TemplateChange): NameRotation {
  return { cluster, role, topologyName, intent: toIntent(desired) };
}

/** A new template that an interrupted pass created is reused. */
export function planSuccessor(
  { desired, current, marksSuccessor }: ExistingTemplate,
  chosen: Checked<ChosenName>,
): PlannedTemplate {
  if (!chosen.ok) {
    return unrotated(desired, { steps: [], failure: chosen.error }).template;
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
