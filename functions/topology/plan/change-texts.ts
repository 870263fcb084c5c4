// The texts of errors and events of writes.
import {
  type ApiFailure,
  groupOf,
  type Intent,
  type PartialObject,
  quote,
  toDisplayName,
  type Unstructured,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { readString, valueOr } from '@capi-serverless/cluster-api/contract';
import type { EventDraft } from '@capi-serverless/reconciler';
import type { Words } from './changes/step.ts';

type Named = Pick<Intent, 'apiVersion' | 'kind' | 'metadata'> | PartialObject;

/** Returns `<Kind> <namespace>/<name>`. */
export function nameObject({ kind, metadata }: Named): string {
  return `${kind} ${toDisplayName(metadata)}`;
}

/** Returns `<Kind>.<group>`. */
export function groupKindOf({ apiVersion, kind }: Pick<Named, 'apiVersion' | 'kind'>): string {
  const group = groupOf(apiVersion);
  return group === '' ? kind : `${kind}.${group}`;
}

/**
 * The reason why an object could not be created, without its name. A generated name would change the condition at each
 * retry.
 */
export function createProblem({ details }: ApiFailure, object: Intent): string {
  if (details === undefined) {
    return `failed to create ${groupKindOf(object)}`;
  }
  const { kind, group, causes } = details;
  const printedCauses = causes.map(({ type, field, message }) => `${type}: ${field}: ${message}`).join(' ');
  return `failed to create ${kind}.${group}${printedCauses === '' ? '' : `: ${printedCauses}`}`;
}

export const toCreated = (object: Intent): Words => ({
  toProblem: failure => createProblem(failure, object),
  toEvent: () => toEventDraft('TopologyCreate', `Created ${quoteObject(object)}`),
});

export const toReplaced = (object: Intent, oldName: string): Words => ({
  ...toCreated(object),
  toEvent: () =>
    toEventDraft(
      'TopologyCreate',
      `Created ${quoteObject(object)} as a replacement for ${quote(oldName)} (template rotation)`,
    ),
});

/** The event text has `detail` after the object. */
export const toPatched = (object: Unstructured, detail = ''): Words => ({
  toProblem: ({ message }) => `failed to patch ${nameObject(object)}: ${message}`,
  toEvent: () => toEventDraft('TopologyUpdate', `Updated ${quoteObject(object)}${detail}`),
});

export const toDeleted = (object: Unstructured): Words => ({
  toProblem: ({ message }) => `failed to delete ${nameObject(object)}: ${message}`,
  toEvent: () => toEventDraft('TopologyDelete', `Deleted ${quoteObject(object)}`),
});

/** The texts for a health check. Its events refer to the health check and not to the Cluster. */
export const toHealthCheckWords = {
  created: (object: Intent): Words => ({
    toProblem: ({ message }) => `failed to create ${nameObject(object)}: ${message}`,
    toEvent: made => ({
      ...toEventDraft('TopologyCreate', `Created ${quoteObject(object)}`),
      ...withoutUndefined({ about: made }),
    }),
  }),
  patched: (object: Unstructured): Words => ({
    ...toPatched(object),
    toEvent: () => ({ ...toEventDraft('TopologyUpdate', `Updated ${quoteObject(object)}`), about: object }),
  }),
  deleted: (object: Unstructured): Words => ({
    ...toDeleted(object),
    toEvent: () => ({ ...toEventDraft('TopologyDelete', `Deleted ${quoteObject(object)}`), about: object }),
  }),
} as const;

/** Returns ` with version change from <a> to <b>`, or an empty text. */
export function versionChange(current: Unstructured, desired: Intent, path: string): string {
  const [from, to] = [current, desired].map(object => valueOr(readString(object, path), ''));
  return from === '' || to === '' || from === to ? '' : ` with version change from ${from} to ${to}`;
}

function toEventDraft(reason: string, message: string): EventDraft {
  return { type: 'Normal', reason, message };
}

function quoteObject({ kind, metadata }: Named): string {
  return `${kind} ${quote(toDisplayName(metadata))}`;
}
