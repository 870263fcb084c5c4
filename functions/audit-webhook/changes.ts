// Maps one audit event to the changes of objects that it reports, or to the reason why it is dropped. Pure.

import type { ObjectMeta } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import type { ReceivedEvent } from '../../shared/event-source/router.ts';
import { type AuditedKind, type ResponseObject, readAnswer, toNamed } from './answer.ts';
import type { AuditEvent } from './event.ts';

/** The reason why an event reports no change. */
type DropRule = 'stage' | 'read' | 'refused' | 'dry run' | 'no resource';

/** A change of a named object, or of unnamed objects of one kind in a namespace. */
export type AuditedChange = ReceivedEvent | { readonly unnamedIn: string | undefined };

/** Events of earlier stages are incomplete. Requests that end in a panic have code 500. */
const finalStage = 'ResponseComplete';

const writingVerbs: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/** A refused request changes nothing. A failed request may have been stored, for example after a timeout. */
const firstRefusal = 400;
const firstFailure = 500;

/** Returns the rule that drops the event, or `undefined` if the request may have changed an object. */
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

/** Returns the changes of objects of this kind. The response to a failed request is ignored. */
export function toChanges(event: AuditEvent, subject: AuditedKind): readonly AuditedChange[] {
  const { verb, objectRef, responseStatus, responseObject } = event;
  const isDeletion = verb === 'delete' || verb === 'deletecollection';
  const hasFailed = (responseStatus?.code ?? 0) >= firstFailure;
  const objects = hasFailed ? undefined : readAnswer(responseObject, subject);
  if (objects !== undefined) {
    return objects.map(detail => toReceivedEvent(detail, verb));
  }
  const { name = '', namespace = '' } = objectRef ?? {};
  const place = namespace === '' ? {} : { namespace };
  return name === ''
    ? [{ unnamedIn: place.namespace }]
    : [
        {
          event: { type: isDeletion ? 'DELETED' : 'MODIFIED', object: toNamed(subject, { ...place, name }) },
          cause: isDeletion ? 'deletion' : 'list',
          detail: 'name',
        },
      ];
}

function toReceivedEvent({ object, detail }: ResponseObject, verb: string): ReceivedEvent {
  const isRemoval = verb === 'deletecollection' || isGone(object.metadata, verb);
  return isRemoval
    ? { event: { type: 'DELETED', object }, cause: 'deletion', detail }
    : { event: { type: verb === 'create' ? 'ADDED' : 'MODIFIED', object }, cause: 'event', detail };
}

/**
 * A request that removes the last finalizer of a deleted object removes the object. No other event reports the removal.
 * The response of this request contains the version before the removal.
 */
function isGone({ deletionTimestamp, finalizers = [] }: ObjectMeta, verb: string): boolean {
  return finalizers.length === 0 && (deletionTimestamp !== undefined || verb === 'delete');
}

const dryDeletion = z.object({ dryRun: z.array(z.string()).check(z.minLength(1)) });

/**
 * The option is in the query. For deletions it may also be in the body:
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#dry-run
 */
function isDryRun({ requestURI, verb, requestObject }: AuditEvent): boolean {
  const mark = requestURI.indexOf('?');
  const asked = mark < 0 ? [] : new URLSearchParams(requestURI.slice(mark)).getAll('dryRun');
  if (asked.some(value => value !== '')) {
    return true;
  }
  return (verb === 'delete' || verb === 'deletecollection') && dryDeletion.safeParse(requestObject).success;
}
