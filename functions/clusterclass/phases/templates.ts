// Marking the templates as the class's, and telling which of them are named in an old version.
import type { ApiFailure } from '../../../shared/api/answer.ts';
import { clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import type { ClusterClass, TemplateReference } from '../../../shared/api/cluster-class/reader.ts';
import { groupOf, type ObjectRef, versionOf } from '../../../shared/api/object.ts';
import { placeOwner } from '../../../shared/contract/owner-references.ts';
import type { Action, Outcomes } from '../../../shared/kernel/types.ts';
import type { Template, WholeView } from '../seen.ts';

/** A template that is named in another version than its contract's newest. */
export interface Outdated {
  readonly ref: TemplateReference;
  readonly latest: string;
}

export interface Judgement {
  readonly errors: readonly string[];
  readonly outdated: readonly Outdated[];
}

export function ownActionId(uid: string): string {
  return `own:${uid}`;
}

export function toTemplateRef({ metadata }: ClusterClass, { apiVersion, kind, name }: TemplateReference): ObjectRef {
  return { apiVersion, kind, namespace: metadata.namespace, name };
}

/** One write for each template that is not marked yet, also when it is named in two versions. */
export function ownActions({ clusterClass, templates }: WholeView): readonly Action[] {
  const { name, uid } = clusterClass.metadata;
  const wanted = { apiVersion: clusterApiVersion, kind: 'ClusterClass', name, uid };
  const actions = templates.flatMap(({ ref, object }): readonly Action[] => {
    if (!object.ok) {
      return [];
    }
    const { ownerReferences = [], resourceVersion } = object.value;
    const owners = placeOwner(ownerReferences, wanted);
    return owners === ownerReferences
      ? []
      : [
          {
            id: ownActionId(object.value.uid),
            onError: 'continue',
            do: 'patch',
            ref: toTemplateRef(clusterClass, ref),
            body: { metadata: { ownerReferences: owners } },
            resourceVersion,
          },
        ];
  });
  return [...new Map(actions.map(action => [action.id, action])).values()];
}

/** All templates are looked at, whatever becomes of one; a version counts only where the template is there and marked. */
export function judgeTemplates({ clusterClass, templates }: WholeView, outcomes: Outcomes): Judgement {
  const errors: string[] = [];
  const outdated: Outdated[] = [];
  for (const template of templates) {
    const { ref, latest } = template;
    const error = errorOf(clusterClass, template, outcomes);
    if (error !== undefined) {
      errors.push(error);
    } else if (latest.ok && latest.value !== versionOf(ref.apiVersion)) {
      outdated.push({ ref, latest: latest.value });
    }
  }
  return { errors, outdated };
}

function errorOf(clusterClass: ClusterClass, { ref, object, latest }: Template, outcomes: Outcomes) {
  if (!object.ok) {
    const { namespace } = clusterClass.metadata;
    return `${object.missing ? 'Could not find' : 'failed to get the'} external object for the ClusterClass. refGroupVersionKind: ${groupOf(ref.apiVersion)}/${versionOf(ref.apiVersion)}, Kind=${ref.kind}, refName: ${ref.name}, refNamespace: ${namespace}: failed to retrieve ${ref.kind} ${namespace}/${ref.name}: ${object.failure.message}`;
  }
  const failure = failureOf(outcomes, ownActionId(object.value.uid));
  if (failure !== undefined) {
    return failure.message;
  }
  return latest.ok ? undefined : `failed to update apiVersion in ref: ${latest.error}`;
}

function failureOf(outcomes: Outcomes, id: string): ApiFailure | undefined {
  const outcome = outcomes.get(id);
  return outcome?.state === 'failed' ? outcome.failure : undefined;
}
