// Audit events with the wording of kube-apiserver: audit.k8s.io/v1 Event. Pure.
// https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/#audit-k8s-io-v1-Event

import { type Instant, isJsonObject, type JsonObject } from '@capi-serverless/apimachinery';
import { toMicroTime } from '@capi-serverless/apimachinery/timestamp';
import { without } from '../core/json.ts';
import type { Attributes, AuditStage, Decision } from './policy.ts';

/** One request, with the facts that are known so far. */
export interface Audited {
  readonly auditId: string;
  readonly attributes: Attributes;
  /** The version of the resource. */
  readonly version: string;
  readonly requestUri: string;
  readonly sourceIps: readonly string[];
  readonly userAgent: string;
  readonly receivedAt: Instant;
  /** Absent if the request has no body or an unreadable one. */
  readonly requestObject?: unknown;
}

export interface AuditedResponse {
  readonly code: number;
  /** Absent for text and for watches. */
  readonly responseObject?: unknown;
}

/** `answer` is absent in stage RequestReceived. */
export function toAuditEvent(
  audited: Audited,
  { level, omitManagedFields }: Decision,
  at: { readonly stage: AuditStage; readonly now: Instant; readonly answer?: AuditedResponse },
): JsonObject {
  const { attributes, requestObject } = audited;
  const { stage, now, answer } = at;
  const shown = (value: unknown): unknown => (omitManagedFields ? withoutManagedFields(value) : value);
  const withRequest = (level === 'Request' || level === 'RequestResponse') && stage !== 'RequestReceived';
  const response = level === 'RequestResponse' ? answer?.responseObject : undefined;
  return {
    level,
    auditID: audited.auditId,
    stage,
    requestURI: audited.requestUri,
    verb: attributes.verb,
    user: attributes.user === '' ? {} : { username: attributes.user, groups: attributes.groups },
    sourceIPs: audited.sourceIps,
    ...(audited.userAgent === '' ? {} : { userAgent: audited.userAgent }),
    ...(attributes.resource === undefined ? {} : { objectRef: toReference(audited, stage) }),
    ...(answer === undefined ? {} : { responseStatus: toStatus(answer) }),
    ...(withRequest && requestObject !== undefined ? { requestObject: shown(requestObject) } : {}),
    ...(response === undefined ? {} : { responseObject: shown(response) }),
    requestReceivedTimestamp: toTime(audited.receivedAt),
    stageTimestamp: toTime(now),
    ...(answer === undefined || attributes.user === '' ? {} : { annotations: toAnnotations(answer) }),
  };
}

/** A create contains the name of its object only after the body was decoded. A generated name is never included. */
function toReference({ attributes, version, requestObject }: Audited, stage: AuditStage): JsonObject {
  const { group = '', plural = '', subresource = '', namespace = '', name = '' } = attributes.resource ?? {};
  const metadata =
    isJsonObject(requestObject) && isJsonObject(requestObject['metadata']) ? requestObject['metadata'] : {};
  const isDecoded = stage !== 'RequestReceived';
  const created = attributes.verb === 'create' && isDecoded ? metadata['name'] : undefined;
  const { uid, resourceVersion } = attributes.verb === 'update' && isDecoded ? metadata : {};
  const whole = {
    resource: plural,
    namespace,
    name: name === '' ? created : name,
    uid,
    apiGroup: group,
    apiVersion: version,
  };
  return keepTexts({ ...whole, resourceVersion, subresource });
}

function keepTexts(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => typeof value === 'string' && value !== ''));
}

function toStatus({ code, responseObject }: AuditedResponse): JsonObject {
  const isStatus = isJsonObject(responseObject) && responseObject['kind'] === 'Status';
  return { metadata: {}, ...(isStatus ? without(responseObject, 'kind', 'apiVersion') : {}), code };
}

function toAnnotations({ code, responseObject }: AuditedResponse): JsonObject {
  const message = isJsonObject(responseObject) ? responseObject['message'] : undefined;
  const isForbidden = code === 403 && typeof message === 'string' && message.includes(' cannot ');
  return {
    'authorization.k8s.io/decision': isForbidden ? 'forbid' : 'allow',
    'authorization.k8s.io/reason': '',
  };
}

/** Applies the function to an object, or to each item of a list. */
function withoutManagedFields(value: unknown): unknown {
  if (!isJsonObject(value)) {
    return value;
  }
  const { metadata, items } = value;
  return {
    ...value,
    ...(isJsonObject(metadata) ? { metadata: without(metadata, 'managedFields') } : {}),
    ...(Array.isArray(items) ? { items: items.map(withoutManagedFields) } : {}),
  };
}

const nanosecondsPerMs = 1_000_000n;

function toTime(instant: Instant): string {
  return toMicroTime(BigInt(Math.floor(instant)) * nanosecondsPerMs);
}
