// Checks answers of workload clusters. Their servers belong to tenants, so an answer may be anything. Pure.
import { type Answer, type ApiFailure, isJsonObject, refused } from '@capi-serverless/apimachinery';
import type { ApiCall } from './requester.ts';
import { resourceListKind } from './urls.ts';

/** The bounds of a failure, of which parts reach conditions, logs and timers. */
const maxMessageLength = 4096;
const maxCauses = 16;
const maxRetryAfterMs = 60_000;

/** Returns the answer, or a failure if its body is not an object of the requested kind. Bounds the texts of a failure. */
export function checkedAnswer(call: ApiCall, answer: Answer<unknown>, label: string): Answer<unknown> {
  if (!answer.ok) {
    return { ...answer, failure: bounded(answer.failure) };
  }
  if (isAnswerTo(call, answer.value)) {
    return answer;
  }
  const reason = call.verb === 'get' || call.verb === 'list' ? 'Unparsable' : 'UnknownOutcome';
  const expected = call.verb === 'list' ? `a list of ${call.target.kind}` : `a ${call.target.kind}`;
  return refused({ reason, code: 200, message: `${label}: the answer is not ${expected}` });
}

function isAnswerTo({ verb, target, accept }: ApiCall, body: unknown): boolean {
  if (!isJsonObject(body)) {
    return false;
  }
  const { kind, apiVersion } = body;
  if (target.kind === resourceListKind) {
    // The API server of upstream's in-memory backend does not say the kind.
    const isOfKind = kind === undefined || kind === resourceListKind;
    return isOfKind && body['groupVersion'] === target.apiVersion && Array.isArray(body['resources']);
  }
  if (verb === 'create' || (verb === 'delete' && kind === 'Status')) {
    return true;
  }
  if (verb === 'list') {
    const { items } = body;
    return kind === `${target.kind}List` && (items === null || (Array.isArray(items) && items.every(hasMetadata)));
  }
  const isMetadata = accept !== undefined && kind === 'PartialObjectMetadata';
  return (isMetadata || (kind === target.kind && apiVersion === target.apiVersion)) && hasMetadata(body);
}

/**
 * Whether the members of the metadata that are read without a parser have their type. The API server of upstream's in-memory
 * backend stores no uid. Writes have no precondition then.
 */
function hasMetadata(object: unknown): boolean {
  const metadata = isJsonObject(object) ? object['metadata'] : undefined;
  if (!isJsonObject(metadata)) {
    return false;
  }
  const { name, uid, resourceVersion, labels, annotations, finalizers, ownerReferences, deletionTimestamp } = metadata;
  return (
    [name, resourceVersion].every(isText) &&
    (uid === undefined || isText(uid)) &&
    [labels, annotations].every(isTextMap) &&
    (finalizers === undefined || (Array.isArray(finalizers) && finalizers.every(each => typeof each === 'string'))) &&
    (ownerReferences === undefined || (Array.isArray(ownerReferences) && ownerReferences.every(isJsonObject))) &&
    (deletionTimestamp === undefined || typeof deletionTimestamp === 'string')
  );
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isTextMap(map: unknown): boolean {
  return map === undefined || (isJsonObject(map) && Object.values(map).every(text => typeof text === 'string'));
}

function bounded(failure: ApiFailure): ApiFailure {
  const { message, retryAfterMs, causes, details } = failure;
  return {
    ...failure,
    message: cut(message),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs: Math.min(retryAfterMs, maxRetryAfterMs) }),
    ...(causes === undefined ? {} : { causes: causes.slice(0, maxCauses).map(cut) }),
    ...(details === undefined
      ? {}
      : {
          details: {
            kind: cut(details.kind),
            group: cut(details.group),
            causes: details.causes
              .slice(0, maxCauses)
              .map(({ type, field, message: text }) => ({ type: cut(type), field: cut(field), message: cut(text) })),
          },
        }),
  };
}

function cut(text: string): string {
  return text.length > maxMessageLength ? `${text.slice(0, maxMessageLength)}…` : text;
}
