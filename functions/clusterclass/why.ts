// Explains what a ClusterClass waits for: problems of its templates, and remedies. Pure, except for the reads of
// templates.

import { type Answer, answered, toDisplayName, type Unstructured, versionOf } from '@capi-serverless/apimachinery';
import { pausedAnnotation } from '@capi-serverless/cluster-api/conditions';
import { readClusterClass } from '../../shared/api/cluster-class/reader.ts';
import { isUsable } from '../../shared/api/cluster-class/usable.ts';
import { type ConditionView, conditionOf, toWaitText, type Wait } from '../../shared/explain/conditions.ts';
import { type Explanation, toExplanation } from '../../shared/explain/explanation.ts';
import type { Describing, Description } from '../../shared/explain/face.ts';
import { annotate } from '../../shared/explain/kubectl.ts';
import type { Mark, ObjectView } from '../../shared/explain/object-view.ts';
import type { ObjectNode, Shown } from '../../shared/explain/tree.ts';
import { readTemplates } from './observe.ts';
import { checkTemplates } from './phases/check-templates.ts';
import type { ClassTemplate } from './seen.ts';

/** Reads the templates of the class. */
export async function describeClass(object: Unstructured, { reads }: Describing): Promise<Answer<Description>> {
  const templates = await readTemplates(readClusterClass(object), reads);
  return answered({
    tree: shown => toClassNode({ object, templates }, shown),
    explanation: explainClass({ object, templates }),
  });
}

/**
 * The reason why the class waits, and the related condition. `undefined` if Clusters can use the class and no reference
 * is outdated.
 */
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

/** The problem of one template, and a remedy if its API version is outdated. */
function judgeTemplate(object: Unstructured, template: ClassTemplate) {
  const clusterClass = readClusterClass(object);
  return checkTemplates({ clusterClass, templates: [template] }, new Map());
}

function remediesOfClass(object: Unstructured, condition: ConditionView | undefined): readonly string[] {
  switch (condition?.type) {
    case undefined:
      return ['see whether the functions run, and whether their watch filter leaves this ClusterClass out'];
    case 'Paused':
      return [`take the annotation away: ${annotate(object, `${pausedAnnotation}-`)}`];
    case 'VariablesReady':
      return ['fix the variables that it names, in spec.variables or in the extension of the patch'];
    default:
      return condition?.status === 'False'
        ? ['name the templates in the latest version; Clusters can still use the class']
        : ['create what does not exist, install the provider, or name another template'];
  }
}

/** A class and the templates that it references. */
interface ClassSnapshot {
  readonly object: Unstructured;
  readonly templates: readonly ClassTemplate[];
}

/** Returns the class first, then its templates. */
export function toClassNode({ object, templates }: ClassSnapshot, shown: Shown): ObjectNode {
  const wait = waitOfClass(object);
  const children = templates.map((template): ObjectNode => {
    const { ref } = template;
    return { name: `${ref.kind}/${ref.name}`, ...viewTemplate(object, template), children: [] };
  });
  return {
    name: `ClusterClass/${toDisplayName(object.metadata)}`,
    mark: markOf(wait),
    detail: wait === undefined ? 'usable' : `waiting for ${toWaitText(wait)}`,
    children: shown(children),
  };
}

/**
 * Returns `undefined` if the class waits for nothing. The explanation names the problem of a template. The condition
 * does not name it.
 */
export function explainClass({ object, templates }: ClassSnapshot): Explanation | undefined {
  const wait = waitOfClass(object);
  if (wait === undefined) {
    return undefined;
  }
  const { condition } = wait;
  const bad = templates.filter(template => viewTemplate(object, template).mark !== 'ready');
  return toExplanation(wait, {
    pointsTo: condition?.type === 'RefVersionsUpToDate' ? bad.map(template => toProblem(object, template)) : [],
    remedies: remediesOfClass(object, condition),
  });
}

function viewTemplate(object: Unstructured, template: ClassTemplate): ObjectView {
  const { errors, outdated } = judgeTemplate(object, template);
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

function toProblem(object: Unstructured, template: ClassTemplate): string {
  const { namespace = '' } = object.metadata;
  const { mark, detail } = viewTemplate(object, template);
  const name = `${template.ref.kind} ${namespace}/${template.ref.name}`;
  return mark === 'missing' ? `${name}, which ${detail}` : `${name}: ${detail}`;
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
