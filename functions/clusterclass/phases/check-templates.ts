// Sets the owner reference of the class on its templates, and finds references with an old version.
import { groupOf, type ObjectRef, versionOf } from '@capi-serverless/apimachinery';
import { placeOwner } from '@capi-serverless/cluster-api/contract';
import { type Action, failureOf, type Outcomes, type PassChange, type Phase } from '@capi-serverless/reconciler';
import { clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import type { ClusterClass } from '../../../shared/api/cluster-class/reader.ts';
import type { TemplateRef } from '../../../shared/api/topology-parts.ts';
import type { ClassTemplate, ObservedClass } from '../seen.ts';

/** A template whose reference has another version than the newest version of the contract. */
export interface Outdated {
  readonly ref: TemplateRef;
  readonly latest: string;
}

export interface TemplateCheck {
  readonly errors: readonly string[];
  readonly outdated: readonly Outdated[];
}

type ClassWithTemplates = Pick<ObservedClass, 'clusterClass' | 'templates'>;

export function ownActionId(uid: string): string {
  return `own:${uid}`;
}

export function toTemplateRef({ metadata }: ClusterClass, { apiVersion, kind, name }: TemplateRef): ObjectRef {
  return { apiVersion, kind, namespace: metadata.namespace, name };
}

interface TemplatesChange extends PassChange {
  readonly templates: TemplateCheck;
}

export function templatesPhase(seen: ClassWithTemplates): Phase<TemplatesChange> {
  const change = (outcomes: Outcomes): TemplatesChange => {
    const templates = checkTemplates(seen, outcomes);
    return { templates, errors: templates.errors };
  };
  return { actions: ownActions(seen), steps: [{ change }] };
}

/**
 * Returns one write for each template without the owner reference. A template that is referenced in two versions gets
 * one write.
 */
function ownActions({ clusterClass, templates }: ClassWithTemplates): readonly Action[] {
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

/**
 * Checks all templates, even if one fails. The version is checked only if the template exists and has the owner
 * reference.
 */
export function checkTemplates({ clusterClass, templates }: ClassWithTemplates, outcomes: Outcomes): TemplateCheck {
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

function errorOf(clusterClass: ClusterClass, { ref, object, latest }: ClassTemplate, outcomes: Outcomes) {
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
