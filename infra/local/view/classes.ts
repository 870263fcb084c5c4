// What a ClusterClass is made of, how it is doing, and why: for trees and explanations. Pure.
import { judgeTemplates } from '../../../functions/clusterclass/phases/templates.ts';
import type { Template } from '../../../functions/clusterclass/seen.ts';
import { pausedAnnotation } from '../../../shared/api/cluster/reader.ts';
import { readClusterClass } from '../../../shared/api/cluster-class/reader.ts';
import { isUsable } from '../../../shared/api/cluster-class/usable.ts';
import { toDisplayName, type Unstructured, versionOf } from '../../../shared/api/object.ts';
import type { Explanation } from './explain.ts';
import type { Mark, ObjectView } from './objects.ts';
import { annotate } from './remedies.ts';
import { limited, type Node, type TreeRow, toRows } from './tree.ts';
import { conditionsOf, type ShownCondition, toWhy, type Wait } from './waiting.ts';

/** A class and the templates that it names. */
export interface ClassSnapshot {
  readonly object: Unstructured;
  readonly templates: readonly Template[];
}

/** What it waits for, and the condition that says so; `undefined` when Clusters can use it and nothing is outdated. */
export function waitOfClass(object: Unstructured): Wait | undefined {
  const paused = conditionOf(object, 'Paused');
  if (paused?.status === 'True') {
    return { until: 'its pause to end', condition: paused };
  }
  for (const type of ['VariablesReady', 'RefVersionsUpToDate']) {
    const condition = conditionOf(object, type);
    if (condition === undefined) {
      return { until: 'its first reconcile', condition };
    }
    if (condition.status !== 'True') {
      return { until: type, condition };
    }
  }
  const clusterClass = readClusterClass(object);
  return isUsable(clusterClass)
    ? undefined
    : { until: `generation ${clusterClass.metadata.generation} to be reconciled`, condition: undefined };
}

/** The class first, then its templates. */
export function toClassTree({ object, templates }: ClassSnapshot): readonly TreeRow[] {
  const wait = waitOfClass(object);
  const children = templates.map((template): Node => {
    const { ref } = template;
    return { name: `${ref.kind}/${ref.name}`, ...viewTemplate(object, template), children: [] };
  });
  return toRows({
    name: `ClusterClass/${toDisplayName(object.metadata)}`,
    mark: markOf(wait),
    detail: wait === undefined ? 'usable' : `waiting for ${toText(wait)}`,
    children: limited(children),
  });
}

/** `undefined` when it waits for nothing. The condition does not name what is wrong with a template; this does. */
export function explainClass({ object, templates }: ClassSnapshot): Explanation | undefined {
  const wait = waitOfClass(object);
  if (wait === undefined) {
    return undefined;
  }
  const { condition } = wait;
  const bad = templates.filter(template => viewTemplate(object, template).mark !== 'ready');
  return {
    waitsFor: wait.until,
    ...(condition === undefined ? {} : { condition: toConditionText(condition) }),
    pointsTo: condition?.type === 'RefVersionsUpToDate' ? bad.map(template => toProblem(object, template)) : [],
    remedies: remediesOf(object, condition),
  };
}

function viewTemplate(object: Unstructured, template: Template): ObjectView {
  const { errors, outdated } = judge(object, template);
  const [error] = errors;
  if (error !== undefined) {
    const isMissing = !template.object.ok && template.object.missing;
    return isMissing ? { mark: 'missing', detail: 'does not exist' } : { mark: 'failing', detail: error };
  }
  const version = versionOf(template.ref.apiVersion);
  const [old] = outdated;
  return old === undefined
    ? { mark: 'ready', detail: version }
    : { mark: 'waiting', detail: `named in version ${version}, latest is ${old.latest}` };
}

function judge(object: Unstructured, template: Template) {
  const clusterClass = readClusterClass(object);
  return judgeTemplates({ step: 'whole', clusterClass, templates: [template], discoveries: [] }, new Map());
}

function toProblem(object: Unstructured, template: Template): string {
  const { namespace = '' } = object.metadata;
  const { mark, detail } = viewTemplate(object, template);
  const name = `${template.ref.kind} ${namespace}/${template.ref.name}`;
  return mark === 'missing' ? `${name}, which ${detail}` : `${name}: ${detail}`;
}

function remediesOf(object: Unstructured, condition: ShownCondition | undefined): readonly string[] {
  switch (condition?.type) {
    case undefined:
      return ['see whether the functions run, and whether their watch filter leaves this ClusterClass out'];
    case 'Paused':
      return [`take the annotation away: ${annotate(object, `${pausedAnnotation}-`)}`];
    case 'VariablesReady':
      return ['mend the variables that it names, in spec.variables or in the extension of the patch'];
    default:
      return condition?.status === 'False'
        ? ['name the templates in the latest version; Clusters can use the class all the same']
        : ['create what does not exist, install the provider, or name another template'];
  }
}

function markOf(wait: Wait | undefined): Mark {
  if (wait === undefined) {
    return 'ready';
  }
  if (wait.condition?.type === 'Paused') {
    return 'paused';
  }
  return wait.condition?.type === 'VariablesReady' ? 'failing' : 'waiting';
}

function conditionOf(object: Unstructured, type: string): ShownCondition | undefined {
  return conditionsOf(object).find(condition => condition.type === type);
}

function toConditionText({ type, status, reason, message }: ShownCondition): string {
  return `${type} is ${status} (${reason})${message === '' ? '' : `: ${toWhy({ message, reason })}`}`;
}

function toText({ until, condition }: Wait): string {
  return condition === undefined ? until : `${until}: ${toWhy(condition)}`;
}
