// Audit events compared with those of kube-apiserver v1.36.3 (test/fixtures/audit).
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type Audited, toAuditEvent } from '../../../../../packages/apiserver/audit/event.ts';
import type { Decision } from '../../../../../packages/apiserver/audit/policy.ts';

const folder = path.join(import.meta.dirname, '../../../../fixtures/audit');
const files = readdirSync(folder).filter(name => name.endsWith('.eventlist.json'));

const recordedSchema = z.object({
  items: z.tuple([
    z.looseObject({
      level: z.enum(['Metadata', 'RequestResponse']),
      auditID: z.string(),
      verb: z.string(),
      requestURI: z.string(),
      user: z.looseObject({ username: z.string(), groups: z.array(z.string()) }),
      userAgent: z.string(),
      sourceIPs: z.array(z.string()),
      objectRef: z.record(z.string(), z.string()),
      responseStatus: z.looseObject({ code: z.number(), status: z.string().optional() }),
      requestObject: z.unknown().optional(),
      responseObject: z.unknown().optional(),
      requestReceivedTimestamp: z.string(),
      stageTimestamp: z.string(),
    }),
  ]),
});

type Recorded = z.infer<typeof recordedSchema>['items'][0];

function read(file: string): Recorded {
  return recordedSchema.parse(JSON.parse(readFileSync(path.join(folder, file), 'utf8'))).items[0];
}

/** The request of the event. The URL of a create has no name. */
function toAudited({ verb, user, objectRef, requestObject, ...event }: Recorded): Audited {
  const { resource: plural = '', namespace = '', name = '', apiGroup: group = '', subresource = '' } = objectRef;
  const about = { group, plural, namespace, subresource, name: verb === 'create' ? '' : name };
  // At level Metadata the recorded event has no body.
  const body = requestObject ?? { metadata: { name } };
  return {
    auditId: event.auditID,
    attributes: { user: user.username, groups: user.groups, verb, path: '', resource: about },
    version: objectRef['apiVersion'] ?? '',
    requestUri: event.requestURI,
    sourceIps: event.sourceIPs,
    userAgent: event.userAgent,
    receivedAt: Date.parse(event.requestReceivedTimestamp),
    ...(verb === 'delete' && requestObject === undefined ? {} : { requestObject: body }),
  };
}

function toAnswer({ responseStatus, responseObject }: Recorded) {
  const { code } = responseStatus;
  const status = responseStatus.status === undefined ? {} : { kind: 'Status', apiVersion: 'v1', ...responseStatus };
  return { code, responseObject: responseObject ?? status };
}

/** The times of this server have milliseconds, and its users have no uid. */
function comparable(event: Recorded): unknown {
  const { uid: _, ...user } = event.user;
  const inMs = (text: string): string => `${text.slice(0, 23)}000Z`;
  return {
    ...event,
    user,
    requestReceivedTimestamp: inMs(event.requestReceivedTimestamp),
    stageTimestamp: inMs(event.stageTimestamp),
  };
}

const decision: Decision = { level: 'RequestResponse', omitStages: [], omitManagedFields: false };

describe('an audit event', () => {
  it.each(files)('equals that of kube-apiserver: %s', file => {
    const recorded = read(file);
    const at = {
      stage: 'ResponseComplete',
      now: Date.parse(recorded.stageTimestamp),
      answer: toAnswer(recorded),
    } as const;
    expect(toAuditEvent(toAudited(recorded), { ...decision, level: recorded.level }, at)).toEqual(comparable(recorded));
  });

  const widget = { kind: 'Widget', metadata: { name: 'w', managedFields: [{ manager: 'm' }] } };
  const audited: Audited = {
    auditId: '1',
    attributes: {
      user: '',
      groups: [],
      verb: 'create',
      path: '/',
      resource: { group: 'g', plural: 'widgets', subresource: '', namespace: '', name: '' },
    },
    version: 'v1',
    requestUri: '/',
    sourceIps: [],
    userAgent: '',
    receivedAt: 0,
    requestObject: widget,
  };

  it('omits the body before it is decoded, and an unknown user', () => {
    expect(toAuditEvent(audited, decision, { stage: 'RequestReceived', now: 1 })).toEqual({
      level: 'RequestResponse',
      auditID: '1',
      stage: 'RequestReceived',
      requestURI: '/',
      verb: 'create',
      user: {},
      sourceIPs: [],
      objectRef: { resource: 'widgets', apiGroup: 'g', apiVersion: 'v1' },
      requestReceivedTimestamp: '1970-01-01T00:00:00.000000Z',
      stageTimestamp: '1970-01-01T00:00:00.001000Z',
    });
  });

  it('omits managed fields under omitManagedFields, in list items too', () => {
    const answer = { code: 200, responseObject: { kind: 'WidgetList', metadata: {}, items: [widget] } };
    const at = { stage: 'ResponseComplete', now: 1, answer } as const;
    const event = toAuditEvent(audited, { ...decision, omitManagedFields: true }, at);
    const bare = { kind: 'Widget', metadata: { name: 'w' } };
    expect(event).toMatchObject({ requestObject: bare, responseObject: { items: [bare] } });
    expect(JSON.stringify(event)).not.toContain('managedFields');
  });
});
