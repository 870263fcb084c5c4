// Decides what one audit event is worth: a rule that drops it, or what it shows of the objects that changed. Pure.
import * as z from 'zod/mini';
import type { ObjectMeta } from '../../shared/api/object.ts';
import type { Sighting } from '../../shared/event-source/router.ts';
import { readAnswer, type ShownObject, type Subject, toNamed } from './answer.ts';
import type { AuditEvent } from './event.ts';

/** Why an event says nothing about a change, whoever sent the request. */
export type DropRule = 'stage' | 'read' | 'refused' | 'dry run' | 'no resource';

/** A change that names no object says at least of which kind and where one changed. */
export type Change = Sighting | { readonly unnamedIn: string | undefined };

/** An event is final only at this stage; requests that end in a panic have code 500 and change nothing that is known. */
const finalStage = 'ResponseComplete';

const writingVerbs: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/** A refused request changed nothing; one that failed, say by a timeout, may have been stored before it did. */
const firstRefusal = 400;
const firstFailure = 500;

/** The rule that drops the event; `undefined` when something may have changed. */
export function whyIrrelevant(event: AuditEvent): DropRule | undefined {
  const { stage, verb, objectRef, responseStatus } = event;
  if (stage !== finalStage) {
    return 'stage';
  }
  if (objectRef === undefined) {
    return 'no resource';
  }
  if (!writingVerbs.has(verb)) {
    return 'read';
  }
  const code = responseStatus?.code ?? 0;
  if (code >= firstRefusal && code < firstFailure) {
    return 'refused';
  }
  return isDryRun(event) ? 'dry run' : undefined;
}

/** What the event shows of objects of this kind. The answer to a request that failed is not believed. */
export function toChanges(event: AuditEvent, subject: Subject): readonly Change[] {
  const { verb, objectRef, responseStatus, responseObject } = event;
  const isDeletion = verb === 'delete' || verb === 'deletecollection';
  const hasFailed = (responseStatus?.code ?? 0) >= firstFailure;
  const objects = hasFailed ? undefined : readAnswer(responseObject, subject);
  if (objects !== undefined) {
    return objects.map(shown => toSighting(shown, verb));
  }
  const { name = '', namespace = '' } = objectRef ?? {};
  const place = namespace === '' ? {} : { namespace };
  return name === ''
    ? [{ unnamedIn: place.namespace }]
    : [
        {
          event: { type: isDeletion ? 'DELETED' : 'MODIFIED', object: toNamed(subject, { ...place, name }) },
          cause: isDeletion ? 'deletion' : 'list',
          shown: 'name',
        },
      ];
}

function toSighting({ object, shown }: ShownObject, verb: string): Sighting {
  const isRemoval = verb === 'deletecollection' || isGone(object.metadata, verb);
  return isRemoval
    ? { event: { type: 'DELETED', object }, cause: 'deletion', shown }
    : { event: { type: verb === 'create' ? 'ADDED' : 'MODIFIED', object }, cause: 'event', shown };
}

/**
 * The request that takes the last finalizer off a deleted object removes it, and no other event says so. Its answer shows
 * the version before, which must not stand for the removal.
 */
function isGone({ deletionTimestamp, finalizers = [] }: ObjectMeta, verb: string): boolean {
  return finalizers.length === 0 && (deletionTimestamp !== undefined || verb === 'delete');
}

const dryDeletion = z.object({ dryRun: z.array(z.string()).check(z.minLength(1)) });

/** In the query, or for deletions in the body as well: https://kubernetes.io/docs/reference/using-api/api-concepts/#dry-run */
function isDryRun({ requestURI, verb, requestObject }: AuditEvent): boolean {
  const mark = requestURI.indexOf('?');
  const asked = mark < 0 ? [] : new URLSearchParams(requestURI.slice(mark)).getAll('dryRun');
  if (asked.some(value => value !== '')) {
    return true;
  }
  return (verb === 'delete' || verb === 'deletecollection') && dryDeletion.safeParse(requestObject).success;
}
