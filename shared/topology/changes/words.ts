// In which words it is told what became of a write.
import type { ApiFailure } from '../../api/answer.ts';
import { quote } from '../../api/field-error.ts';
import { groupOf, type Intent, type PartialObject, toDisplayName, type Unstructured } from '../../api/object.ts';
import { readString, valueOr } from '../../contract/path.ts';
import type { EventDraft } from '../../kernel/types.ts';
import type { Words } from './step.ts';

type Named = Pick<Intent, 'apiVersion' | 'kind' | 'metadata'> | PartialObject;

/** `<Kind> <namespace>/<name>` */
export function nameObject({ kind, metadata }: Named): string {
  return `${kind} ${toDisplayName(metadata)}`;
}

/** `<Kind>.<group>` */
export function groupKindOf({ apiVersion, kind }: Pick<Named, 'apiVersion' | 'kind'>): string {
  const group = groupOf(apiVersion);
  return group === '' ? kind : `${kind}.${group}`;
}

/**
 * Why an object could not be created, without its name: a name that changes from try to try would change the condition each
 * time.
 */
export function createProblem({ details }: ApiFailure, object: Intent): string {
  if (details === undefined) {
    return `failed to create ${groupKindOf(object)}`;
  }
  const { kind, group, causes } = details;
  const told = causes.map(({ type, field, message }) => `${type}: ${field}: ${message}`).join(' ');
  return `failed to create ${kind}.${group}${told === '' ? '' : `: ${told}`}`;
}

export const toCreated = (object: Intent): Words => ({
  toProblem: failure => createProblem(failure, object),
  toEvent: () => tell('TopologyCreate', `Created ${quoteObject(object)}`),
});

export const toReplaced = (object: Intent, oldName: string): Words => ({
  ...toCreated(object),
  toEvent: () =>
    tell('TopologyCreate', `Created ${quoteObject(object)} as a replacement for ${quote(oldName)} (template rotation)`),
});

/** `detail` follows the object in the event. */
export const toPatched = (object: Unstructured, detail = ''): Words => ({
  toProblem: ({ message }) => `failed to patch ${nameObject(object)}: ${message}`,
  toEvent: () => tell('TopologyUpdate', `Updated ${quoteObject(object)}${detail}`),
});

export const toDeleted = (object: Unstructured): Words => ({
  toProblem: ({ message }) => `failed to delete ${nameObject(object)}: ${message}`,
  toEvent: () => tell('TopologyDelete', `Deleted ${quoteObject(object)}`),
});

/** Of a health check, which tells of itself rather than of its Cluster. */
export const toHealthCheckWords = {
  created: (object: Intent): Words => ({
    toProblem: ({ message }) => `failed to create ${nameObject(object)}: ${message}`,
    toEvent: made => ({
      ...tell('TopologyCreate', `Created ${quoteObject(object)}`),
      ...(made === undefined ? {} : { about: made }),
    }),
  }),
  patched: (object: Unstructured): Words => ({
    ...toPatched(object),
    toEvent: () => ({ ...tell('TopologyUpdate', `Updated ${quoteObject(object)}`), about: object }),
  }),
  deleted: (object: Unstructured): Words => ({
    ...toDeleted(object),
    toEvent: () => ({ ...tell('TopologyDelete', `Deleted ${quoteObject(object)}`), about: object }),
  }),
} as const;

/** ` with version change from <a> to <b>`, or nothing. */
export function versionChange(current: Unstructured, desired: Intent, path: string): string {
  const [from, to] = [current, desired].map(object => valueOr(readString(object, path), ''));
  return from === '' || to === '' || from === to ? '' : ` with version change from ${from} to ${to}`;
}

function tell(reason: string, message: string): EventDraft {
  return { type: 'Normal', reason, message };
}

function quoteObject({ kind, metadata }: Named): string {
  return `${kind} ${quote(toDisplayName(metadata))}`;
}
