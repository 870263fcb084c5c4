// Decides about a write: decodes its objects and calls the rules of its kind. The codes and texts are those of upstream's
// webhooks.
import { isJsonObject, type JsonObject, memberOf, quote, toRecord } from '@capi-serverless/apimachinery';
import { unreadableStatus } from '../../shared/admission/denial-status.ts';
import { type AdmittedKind, admittedVersion, type HookKind } from '../../shared/admission/hooks.ts';
import type { Decider, DefaultsDecision } from './decider.ts';
import { toDefaultPatch } from './default-patch.ts';
import type { ReviewDecision, ReviewRequest } from './review.ts';

const allowed: ReviewDecision = { allowed: true };
const noContent = 'there is no content to decode';

type Decoded = { readonly object: JsonObject } | { readonly refused: ReviewDecision };

export function decideReview(
  { hook, of }: { readonly hook: HookKind; readonly of: AdmittedKind },
  decider: Decider,
  request: ReviewRequest,
): Promise<ReviewDecision> {
  return hook === 'mutate' ? decideDefaults(of, decider, request) : decideValidation(of, decider, request);
}

async function decideDefaults(of: AdmittedKind, decider: Decider, request: ReviewRequest): Promise<ReviewDecision> {
  if (request.operation === 'DELETE' || decider.defaults === undefined) {
    return allowed;
  }
  const decoded = decode(of, request.object);
  if ('refused' in decoded) {
    return decoded.refused;
  }
  if (isBeingDeleted(request)) {
    return allowed;
  }
  const { object } = decoded;
  const old = isGiven(request.oldObject) ? decode(of, request.oldObject) : undefined;
  if (old !== undefined && 'refused' in old) {
    return old.refused;
  }
  const { operation } = request;
  const defaulted = await decider.defaults({ operation, name: nameOf(request, object), object, old: old?.object });
  return toPatched(object, defaulted);
}

function toPatched(object: JsonObject, defaulted: DefaultsDecision): ReviewDecision {
  if (!defaulted.allowed) {
    return defaulted;
  }
  const patch = toDefaultPatch(object, defaulted.object);
  return patch.ok ? { allowed: true, patch: patch.value } : { allowed: false, status: unreadableStatus(patch.error) };
}

async function decideValidation(of: AdmittedKind, decider: Decider, request: ReviewRequest): Promise<ReviewDecision> {
  switch (request.operation) {
    case 'CONNECT':
      return allowed;
    case 'CREATE':
    case 'UPDATE':
      return decideWrite(of, decider, request);
    case 'DELETE':
      return decideDelete(of, decider, request);
    default:
      return { allowed: false, status: unreadableStatus(`unknown operation ${quote(request.operation)}`) };
  }
}

async function decideWrite(of: AdmittedKind, decider: Decider, request: ReviewRequest): Promise<ReviewDecision> {
  const written = decode(of, request.object);
  if ('refused' in written) {
    return written.refused;
  }
  const { operation } = request;
  const old = operation === 'UPDATE' ? decode(of, request.oldObject) : undefined;
  if (old !== undefined && 'refused' in old) {
    return old.refused;
  }
  const { object } = written;
  return isBeingDeleted(request)
    ? allowed
    : decider.validate({ operation, name: nameOf(request, object), object, old: old?.object });
}

async function decideDelete(of: AdmittedKind, decider: Decider, request: ReviewRequest): Promise<ReviewDecision> {
  if (!of.checksDeletes) {
    return allowed;
  }
  const old = decode(of, request.oldObject);
  if ('refused' in old) {
    return old.refused;
  }
  return decider.validateDelete === undefined
    ? allowed
    : decider.validateDelete({ name: nameOf(request, old.object), object: old.object });
}

/**
 * An object that is being deleted may lose its finalizers although it is no longer valid, for example because a gate was
 * disabled. The stored object tells, because a client cannot write it.
 */
function isBeingDeleted({ operation, oldObject }: ReviewRequest): boolean {
  const timestamp = memberOf(memberOf(oldObject, 'metadata'), 'deletionTimestamp');
  return operation === 'UPDATE' && typeof timestamp === 'string';
}

/** The name of a new object with a generated name is not known yet. */
function nameOf(request: ReviewRequest, object: JsonObject): string {
  const { name } = toRecord(object['metadata']);
  return typeof name === 'string' ? name : request.name;
}

function isGiven(value: unknown): boolean {
  return (value ?? undefined) !== undefined;
}

function decode({ group, kind }: AdmittedKind, value: unknown): Decoded {
  const refuse = (message: string): Decoded => ({ refused: { allowed: false, status: unreadableStatus(message) } });
  if (!isGiven(value)) {
    return refuse(noContent);
  }
  if (!isJsonObject(value)) {
    const type = Array.isArray(value) ? 'array' : typeof value;
    return refuse(`json: cannot unmarshal ${type} into Go value of type ${admittedVersion}.${kind}`);
  }
  const apiVersion = `${group}/${admittedVersion}`;
  const given = { apiVersion: value['apiVersion'] ?? apiVersion, kind: value['kind'] ?? kind };
  if (given.apiVersion !== apiVersion || given.kind !== kind) {
    return refuse(`unable to decode an object of another kind than ${apiVersion}, Kind=${kind}`);
  }
  return isJsonObject(value['metadata'] ?? {})
    ? { object: value }
    : refuse(`json: cannot unmarshal the metadata of a ${kind}, which is no object`);
}
