// Sends audit events of requests to a webhook, according to the policy.
import { randomUUID } from 'node:crypto';
import {
  type Clock,
  type Instant,
  isJsonObject,
  type JsonObject,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import type { ApiCore } from '../core/api-core.ts';
import { decodeObject } from '../core/decode.ts';
import { finalizersOf, type Stored } from '../core/object.ts';
import type { OwnChange } from '../core/own-controllers.ts';
import { decodeBody, decodeJson } from '../http/body.ts';
import type { ApiRequest } from '../http/request.ts';
import { parsePath, type ResourceRoute } from '../http/route.ts';
import { verbOf } from '../http/verbs.ts';
import { type Audited, type AuditedResponse, toAuditEvent } from './event.ts';
import { type Attributes, type AuditPolicy, type AuditStage, type Decision, decideAudit } from './policy.ts';
import type { Sender } from './sender.ts';

/** One request as it was received. */
interface Incoming {
  readonly auditId: string;
  readonly request: ApiRequest;
  readonly uri: string;
  readonly sourceIp: string;
  readonly userAgent: string;
  readonly receivedAt: Instant;
}

/** The audit events of one request. */
interface AuditRecord {
  /** Called when a stream of events has started. */
  started(): void;
  completed(answer: AuditedResponse): void;
}

export interface Auditor {
  /** Returns undefined if the policy does not audit the request. */
  begin(incoming: Incoming): AuditRecord | undefined;
  /** Records a change by the server's controllers. */
  own(change: OwnChange): void;
}

interface AuditorOptions {
  readonly core: ApiCore;
  readonly clock: Clock;
  readonly policy: AuditPolicy;
  readonly sender: Sender;
}

export function createAuditor({ core, clock, policy, sender }: AuditorOptions): Auditor {
  const record = (audited: Audited, decision: Decision) => (stage: AuditStage, answer?: AuditedResponse) => {
    if (!decision.omitStages.includes(stage)) {
      const at = { stage, now: clock.now(), ...withoutUndefined({ answer }) };
      sender.send(toAuditEvent(audited, decision, at));
    }
  };
  return {
    begin(incoming) {
      const route = parsePath(incoming.request.path);
      const attributes = attributesOf(incoming.request, route?.type === 'resource' ? route : undefined);
      const decision = decideAudit(policy, attributes);
      if (decision.level === 'None') {
        return undefined;
      }
      const recordStage = record(
        toAudited(core, incoming, { attributes, route: route?.type === 'resource' ? route : undefined }),
        decision,
      );
      recordStage('RequestReceived');
      return {
        started: () => recordStage('ResponseStarted', { code: 200 }),
        completed: answer => recordStage('ResponseComplete', answer),
      };
    },
    own(change) {
      const { attributes, responseObject } = attributesOfOwn(change);
      const decision = decideAudit(policy, attributes);
      if (decision.level !== 'None') {
        const audited = {
          auditId: randomUUID(),
          attributes,
          version: change.resource.storageVersion,
          requestUri: attributes.path,
          sourceIps: ['127.0.0.1'],
          userAgent: change.by,
          receivedAt: clock.now(),
        };
        const recordStage = record(audited, decision);
        recordStage('RequestReceived');
        recordStage('ResponseComplete', { code: 200, responseObject });
      }
    },
  };
}

function attributesOf(request: ApiRequest, route: ResourceRoute | undefined): Attributes {
  const method = request.method.toLowerCase();
  const requester = { user: request.user?.name ?? '', groups: request.user?.groups ?? [], path: request.path };
  if (route === undefined) {
    return { ...requester, verb: method };
  }
  const { group, plural, subresource = '', name = '' } = route;
  // A Namespace has its own name as its namespace.
  const namespace = route.namespace ?? (group === '' && plural === 'namespaces' ? name : '');
  return {
    ...requester,
    verb: verbOf(request, route) ?? method,
    resource: { group, plural, subresource, namespace, name },
  };
}

function attributesOfOwn(own: OwnChange) {
  const { resource, change } = own;
  const { user, verb, subresource, responseObject } = toOwnRequest(own);
  const { name, namespace = '' } = change.object.metadata;
  const groups = ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'];
  const root = resource.group === '' ? '/api' : `/apis/${resource.group}`;
  const place = namespace === '' ? '' : `/namespaces/${namespace}`;
  const path = [`${root}/${resource.storageVersion}${place}/${resource.plural}/${name}`, subresource]
    .filter(part => part !== '')
    .join('/');
  const about = { group: resource.group, plural: resource.plural, subresource, namespace, name };
  const attributes: Attributes = { user, groups, verb, path, resource: about };
  return { attributes, responseObject };
}

function toAudited(
  core: ApiCore,
  { auditId, request, uri, sourceIp, userAgent, receivedAt }: Incoming,
  { attributes, route }: { readonly attributes: Attributes; readonly route: ResourceRoute | undefined },
): Audited {
  const requestObject = route === undefined ? undefined : readBody(core, request, { verb: attributes.verb, route });
  return {
    auditId,
    attributes,
    version: route?.version ?? '',
    requestUri: uri,
    sourceIps: [sourceIp],
    userAgent,
    receivedAt,
    ...withoutUndefined({ requestObject }),
  };
}

/** Returns the body as the server decodes it. Objects have defaults. Patches and options are unchanged. */
function readBody(
  core: ApiCore,
  { body, contentType }: ApiRequest,
  { verb, route }: { readonly verb: string; readonly route: ResourceRoute },
): unknown {
  try {
    switch (verb) {
      case 'create':
      case 'update': {
        const endpoint = core.registry.endpointOfResource(route.group, route.version, route.plural);
        const { value } = decodeBody(body, contentType);
        const draft = decodeObject(value, endpoint);
        return endpoint.version.schema?.shape(draft) ?? draft;
      }
      case 'patch':
        return decodeJson(body).value;
      case 'delete':
      case 'deletecollection': {
        const { value } = decodeBody(body, contentType);
        return isJsonObject(value)
          ? { ...value, kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/__internal' }
          : undefined;
      }
      default:
        return undefined;
    }
  } catch {
    // A body that cannot be decoded is refused, and the audit event omits it.
    return undefined;
  }
}

interface OwnRequest {
  readonly user: string;
  readonly verb: 'delete' | 'patch' | 'update';
  readonly subresource: '' | 'finalize';
  readonly responseObject: JsonObject;
}

/** The request that corresponds to the change, and its response. */
export function toOwnRequest({ by, resource, change }: OwnChange): OwnRequest {
  const { type, object, previous } = change;
  const user = `system:serviceaccount:kube-system:${by}`;
  const wasDeleting = previous?.metadata.deletionTimestamp !== undefined;
  const begins = object.metadata.deletionTimestamp !== undefined && !wasDeleting;
  if (type === 'DELETED' && previous !== undefined && wasDeleting) {
    // The response contains the object after the last write: without finalizers, with its previous version.
    return resource.kind === 'Namespace'
      ? { user, verb: 'update', subresource: 'finalize', responseObject: { ...previous, spec: {} } }
      : { user, verb: 'patch', subresource: '', responseObject: withoutFinalizers(previous) };
  }
  if (type === 'DELETED') {
    const { group, plural: kind } = resource;
    const details = { name: object.metadata.name, ...(group === '' ? {} : { group }), kind, uid: object.metadata.uid };
    const responseObject = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
    return { user, verb: 'delete', subresource: '', responseObject };
  }
  return { user, verb: begins ? 'delete' : 'patch', subresource: '', responseObject: object };
}

function withoutFinalizers(object: Stored): JsonObject {
  if (finalizersOf(object).length === 0) {
    return object;
  }
  const { finalizers: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
