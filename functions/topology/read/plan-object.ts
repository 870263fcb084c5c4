// The writes that make one object, or one template, what it shall be.

import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import type { Intent, Unstructured } from '../../../shared/api/object.ts';
import { setAt } from '../../../shared/contract/path.ts';
import type { Reads } from '../../../shared/kernel/types.ts';
import type { DryRunPort } from '../../../shared/kubernetes/port.ts';
import { type Compatibility, incompatibility, isSameKind } from '../../../shared/topology/changes/compatible.ts';
import { applyStep, nothingToDo, type Plan, type Words } from '../../../shared/topology/changes/step.ts';
import { nameObject, toCreated, toPatched, toReplaced, versionChange } from '../../../shared/topology/changes/words.ts';
import { appliesWithoutChange } from '../../../shared/topology/intent/certain.ts';
import type { Difference } from '../../../shared/topology/intent/dry-run.ts';
import { type Path, toIntent } from '../../../shared/topology/intent/filter.ts';
import { replacesAnnotation } from '../../../shared/topology/model/keys.ts';
import { findDifference } from './difference.ts';
import { chooseRotatedName, type Rotation } from './names.ts';

export type PlanAsk = Pick<Reads, 'get' | 'metadata'> & DryRunPort;

export interface ObjectPlan {
  readonly desired: Intent;
  /** What a reference names, or what has the chosen name and is ours. */
  readonly current: Unstructured | undefined;
  /** What of it must stay; absent: nothing that could differ. */
  readonly must?: Compatibility;
  readonly ignored?: readonly Path[];
  /** Where its Kubernetes version stands, if a change of it shall be told. */
  readonly versionAt?: string;
  /** A new one may be taken away again. */
  readonly isDisposable?: true;
  /** Refers to the objects that are planned with it. */
  readonly isReferrer?: true;
  /** Default: those of any object. */
  readonly created?: (object: Intent) => Words;
  readonly patched?: (object: Unstructured) => Words;
}

/** Creates or changes an object whose name never changes. */
export async function planObject(plan: ObjectPlan, ask: PlanAsk): Promise<Plan> {
  const { desired, current, must, ignored, versionAt, created = toCreated } = plan;
  const intent = toIntent(desired, ignored);
  const marks = plan.isReferrer === true ? { isReferrer: true as const } : {};
  if (current === undefined) {
    const disposable = plan.isDisposable === true ? { isDisposable: true as const } : {};
    return { steps: [{ ...applyStep(intent, undefined, created(desired)), ...marks, ...disposable }] };
  }
  const obstacle = must === undefined ? undefined : incompatibility(must, current, desired);
  if (obstacle !== undefined) {
    return { steps: [], failure: obstacle };
  }
  const difference = await differ({ intent, current, ...(ignored === undefined ? {} : { ignored }) }, ask);
  if (typeof difference === 'string') {
    return { steps: [], failure: difference };
  }
  const detail = versionAt === undefined ? '' : versionChange(current, desired, versionAt);
  const words = plan.patched?.(current) ?? toPatched(current, detail);
  return difference.changes
    ? { steps: [{ ...applyStep(intent, current.metadata.uid, words), ...marks }] }
    : nothingToDo;
}

export interface TemplatePlan extends Pick<Rotation, 'role' | 'topologyName'> {
  readonly cluster: Cluster;
  readonly desired: Intent;
  readonly current: Unstructured | undefined;
  readonly must: Exclude<Compatibility, 'strict'>;
  /** A successor is marked with the name of the template that it replaces, which somebody has to take off again. */
  readonly marksSuccessor?: true;
}

export interface PlannedTemplate {
  readonly plan: Plan;
  /** What its reference shall hold then. */
  readonly name: string;
  readonly isRotated: boolean;
}

/** Creates a template, or changes its metadata in place; a template whose spec changes gets a successor. */
export async function planTemplate(template: TemplatePlan, ask: PlanAsk): Promise<PlannedTemplate> {
  const { desired, current, must } = template;
  const stays = (plan: Plan): PlannedTemplate => ({ plan, name: desired.metadata.name, isRotated: false });
  if (current === undefined) {
    return stays(await planObject({ desired, current, isDisposable: true }, ask));
  }
  const obstacle = incompatibility(must, current, desired);
  if (obstacle !== undefined) {
    return stays({ steps: [], failure: obstacle });
  }
  const intent = toIntent(desired);
  // The uid of an object of another kind would only be refused.
  const difference = isSameKind(current, desired) ? await differ({ intent, current }, ask) : replaced;
  if (typeof difference === 'string') {
    return stays({ steps: [], failure: difference });
  }
  if (difference.specChanges) {
    return rotate(template, current, ask);
  }
  const words = toPatched(current, ' (metadata changes)');
  return stays(difference.changes ? { steps: [applyStep(intent, current.metadata.uid, words)] } : nothingToDo);
}

const replaced: Difference = { changes: true, specChanges: true };

/** A successor that was made before, by a pass that did not come to its end, is used. */
async function rotate(template: TemplatePlan, current: Unstructured, ask: PlanAsk): Promise<PlannedTemplate> {
  const { cluster, role, topologyName, desired, marksSuccessor } = template;
  const chosen = await chooseRotatedName({ cluster, role, topologyName, intent: toIntent(desired) }, ask);
  if (!chosen.ok) {
    return { plan: { steps: [], failure: chosen.error }, name: desired.metadata.name, isRotated: false };
  }
  const { name, existing } = chosen.value;
  const renamed = toIntent(setAt(desired, 'metadata.name', name));
  const successor = marksSuccessor === true ? withMark(renamed, current.metadata.name) : renamed;
  const step = applyStep(successor, existing?.metadata.uid, toReplaced(successor, current.metadata.name));
  const isReady = existing !== undefined && appliesWithoutChange(successor, existing) === 'certain';
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

async function differ(compared: Parameters<typeof findDifference>[0], ask: PlanAsk): Promise<Difference | string> {
  const difference = await findDifference(compared, ask);
  return difference.ok
    ? difference.value
    : `failed to create patch helper for ${nameObject(compared.current)}: ${difference.error}`;
}
