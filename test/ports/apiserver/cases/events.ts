// Events: one store, served by the core group and by events.k8s.io in different formats.

import type { JsonObject } from '@capi-serverless/apimachinery';
import { expect } from 'vitest';
import { freshName } from '../../answers.ts';
import {
  type Api,
  type Case,
  core,
  created,
  done,
  eventsDuring,
  expectInvalid,
  expectRefusal,
  listed,
  type NamedCase,
  versionNow,
} from '../api-case.ts';

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const eventTime = '2026-01-01T00:00:00.123456Z';
const seconds = '2026-01-01T00:00:00Z';

function ofGroup(api: Api, name?: string): string {
  const path = `/apis/events.k8s.io/v1/namespaces/${api.namespace}/events`;
  return name === undefined ? path : `${path}/${name}`;
}

type Body = JsonObject & { readonly metadata: { readonly name: string } };

/** An Event in the format of `v1`, without a time. */
function anOldEvent(api: Api, parts: JsonObject = {}): Body {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: freshName('event') },
    involvedObject: { apiVersion: 'v1', kind: 'Secret', namespace: api.namespace, name: 'some' },
    reason: 'Tried',
    message: 'It was tried',
    type: 'Normal',
    ...parts,
  };
}

/** A complete Event in the format of `events.k8s.io/v1`. */
function aNewEvent(api: Api, parts: JsonObject = {}): Body {
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: freshName('event') },
    eventTime,
    reportingController: 'example.com/one',
    reportingInstance: 'one-0',
    action: 'Trying',
    reason: 'Tried',
    regarding: { apiVersion: 'v1', kind: 'Secret', namespace: api.namespace, name: 'some' },
    note: 'It was tried',
    type: 'Normal',
    ...parts,
  };
}

/** The written Event, and the field and reason of the 422 response. */
interface Refused {
  readonly parts: JsonObject;
  readonly field: string;
  readonly reason: 'FieldValueInvalid' | 'FieldValueRequired';
}

const longText = 'x'.repeat(129);

const refusedNew: readonly Refused[] = [
  { parts: { eventTime: null }, field: 'eventTime', reason: 'FieldValueRequired' },
  { parts: { reportingController: '' }, field: 'reportingController', reason: 'FieldValueRequired' },
  { parts: { reportingController: 'no name' }, field: 'reportingController', reason: 'FieldValueInvalid' },
  { parts: { reportingInstance: '' }, field: 'reportingInstance', reason: 'FieldValueRequired' },
  { parts: { reportingInstance: longText }, field: 'reportingInstance', reason: 'FieldValueInvalid' },
  { parts: { action: null }, field: 'action', reason: 'FieldValueRequired' },
  { parts: { action: longText }, field: 'action', reason: 'FieldValueInvalid' },
  { parts: { reason: null }, field: 'reason', reason: 'FieldValueRequired' },
  { parts: { reason: longText }, field: 'reason', reason: 'FieldValueInvalid' },
  { parts: { note: 'x'.repeat(1025) }, field: 'message', reason: 'FieldValueInvalid' },
  { parts: { type: 'Odd' }, field: 'type', reason: 'FieldValueInvalid' },
  { parts: { regarding: null }, field: 'involvedObject.namespace', reason: 'FieldValueInvalid' },
  { parts: { series: { count: 1, lastObservedTime: eventTime } }, field: 'series.count', reason: 'FieldValueInvalid' },
  { parts: { series: { count: 2 } }, field: 'series.lastObservedTime', reason: 'FieldValueRequired' },
  { parts: { deprecatedSource: { component: 'one' } }, field: 'source', reason: 'FieldValueInvalid' },
  { parts: { deprecatedFirstTimestamp: seconds }, field: 'firstTimestamp', reason: 'FieldValueInvalid' },
  { parts: { deprecatedLastTimestamp: seconds }, field: 'lastTimestamp', reason: 'FieldValueInvalid' },
  { parts: { deprecatedCount: 2 }, field: 'count', reason: 'FieldValueInvalid' },
];

const refusedChanges: readonly Omit<Refused, 'reason'>[] = [
  { parts: { note: 'other' }, field: 'message' },
  { parts: { reason: 'Other' }, field: 'reason' },
  { parts: { type: 'Warning' }, field: 'type' },
  { parts: { action: 'Other' }, field: 'action' },
  { parts: { reportingInstance: 'other' }, field: 'reportingInstance' },
  { parts: { reportingController: 'other' }, field: 'reportingController' },
  { parts: { eventTime: '2026-01-01T00:00:00.123457Z' }, field: 'eventTime' },
  { parts: { regarding: { name: 'other' } }, field: 'involvedObject' },
  { parts: { related: { name: 'other' } }, field: 'related' },
  { parts: { deprecatedSource: { component: 'other' } }, field: 'source' },
  { parts: { deprecatedFirstTimestamp: seconds }, field: 'firstTimestamp' },
  { parts: { deprecatedLastTimestamp: seconds }, field: 'lastTimestamp' },
  { parts: { deprecatedCount: 2 }, field: 'count' },
];

export const eventCases: readonly Case[] = [
  {
    id: 'A109',
    says: 'an Event is in the namespace of its object, and is selected by the name of that object',
    async run(api) {
      const about = freshName('about');
      const event = (namespace: string) =>
        anOldEvent(api, { involvedObject: { apiVersion: 'v1', kind: 'Secret', namespace, name: about } });
      const stranded = await api.http.post(core(api, 'events'), event('default'));
      expectInvalid(stranded, { field: 'involvedObject.namespace' });
      const stored = created(await api.http.post(core(api, 'events'), event(api.namespace)));
      const found = await listed(api, core(api, 'events'), {
        query: { fieldSelector: `involvedObject.name=${about}` },
      });
      expect(found.items.map(({ metadata }) => metadata.uid)).toEqual([stored.metadata.uid]);
    },
  },
];

export const eventShapeCases: readonly NamedCase[] = [
  [
    'an Event of the core group has another format in events.k8s.io, and the same identity',
    async api => {
      const { metadata, ...stored } = created(
        await api.http.post(
          core(api, 'events'),
          anOldEvent(api, {
            source: { component: 'one', host: 'here' },
            firstTimestamp: '2026-01-01T02:00:00.5+02:00',
            lastTimestamp: seconds,
            count: 3,
            series: { count: 2 },
          }),
        ),
      );
      expect(stored).toMatchObject({ firstTimestamp: seconds, series: { count: 2, lastObservedTime: null } });
      const { metadata: sameMetadata, ...shown } = done(await api.http.get(ofGroup(api, metadata.name)));
      expect(sameMetadata).toEqual(metadata);
      expect(shown).toEqual({
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        eventTime: null,
        series: { count: 2, lastObservedTime: null },
        reason: 'Tried',
        regarding: { apiVersion: 'v1', kind: 'Secret', namespace: api.namespace, name: 'some' },
        note: 'It was tried',
        type: 'Normal',
        deprecatedSource: { component: 'one', host: 'here' },
        deprecatedFirstTimestamp: seconds,
        deprecatedLastTimestamp: seconds,
        deprecatedCount: 3,
      });
    },
  ],
  [
    'an Event of events.k8s.io has another format in the core group, and the same identity',
    async api => {
      const body = aNewEvent(api, { series: { count: 2, lastObservedTime: eventTime }, related: { name: 'other' } });
      const { metadata } = created(await api.http.post(ofGroup(api), body));
      const { metadata: sameMetadata, ...shown } = done(await api.http.get(core(api, 'events', metadata.name)));
      expect(sameMetadata).toEqual(metadata);
      expect(shown).toEqual({
        apiVersion: 'v1',
        kind: 'Event',
        involvedObject: { apiVersion: 'v1', kind: 'Secret', namespace: api.namespace, name: 'some' },
        reason: 'Tried',
        message: 'It was tried',
        source: {},
        firstTimestamp: null,
        lastTimestamp: null,
        type: 'Normal',
        eventTime,
        series: { count: 2, lastObservedTime: eventTime },
        action: 'Trying',
        related: { name: 'other' },
        reportingComponent: 'example.com/one',
        reportingInstance: 'one-0',
      });
    },
  ],
  [
    'an Event of events.k8s.io is complete, and in one format only',
    async api => {
      for (const { parts, field, reason } of refusedNew) {
        const answer = await api.http.post(ofGroup(api), aNewEvent(api, parts));
        expectInvalid(answer, { field, reason });
        expect(answer.body).not.toHaveProperty('details.group');
      }
      const odd = await api.http.post(ofGroup(api), aNewEvent(api, { eventTime: '2026-01-01T00:00:00.123Z' }));
      expectRefusal(odd, 400, { reason: 'BadRequest' });
      const mixed = await api.http.post(ofGroup(api), aNewEvent(api, { message: 'x' }), {
        query: { fieldValidation: 'Strict' },
      });
      expectRefusal(mixed, 400, { reason: 'BadRequest' });
      expectRefusal(await api.http.post(ofGroup(api), anOldEvent(api)), 400, { reason: 'BadRequest' });
    },
  ],
  [
    'an Event with a time may be for an object of another namespace',
    async api => {
      const regarding = { kind: 'Secret', namespace: 'default', name: 'some' };
      created(await api.http.post(ofGroup(api), aNewEvent(api, { regarding })));
      const system = '/api/v1/namespaces/kube-system/events';
      const reporter = { eventTime, reportingComponent: 'one', reportingInstance: 'one-0', action: 'Trying' };
      const about = { involvedObject: { kind: 'Node', name: 'some' } };
      created(await api.http.post(system, anOldEvent(api, { ...about, ...reporter })));
      expectInvalid(await api.http.post(system, anOldEvent(api, about)), { field: 'involvedObject.namespace' });
    },
  ],
  [
    'only series and metadata of an Event can change through events.k8s.io, and every field through the core group',
    async api => {
      const { name } = created(await api.http.post(ofGroup(api), aNewEvent(api))).metadata;
      for (const { parts, field } of refusedChanges) {
        expectInvalid(await api.http.patch(ofGroup(api, name), parts), { field, reason: 'FieldValueInvalid' });
      }
      const series = { count: 2, lastObservedTime: eventTime };
      const again = await api.http.patch(ofGroup(api, name), { series, metadata: { labels: { a: 'b' } } });
      expect(done(again)).toMatchObject({ series, metadata: { labels: { a: 'b' } } });
      const few = await api.http.patch(ofGroup(api, name), { series: { count: 1 } });
      expectInvalid(few, { field: 'series.count' });
      const rest = { message: 'other', type: 'Odd', count: 2, series: { count: 1 } };
      expect(done(await api.http.patch(core(api, 'events', name), rest))).toMatchObject(rest);
      expectInvalid(await api.http.patch(core(api, 'events', name), { action: null }), { field: 'action' });
    },
  ],
  [
    'lists and watches of Events have the format of their group',
    async api => {
      const about = freshName('about');
      const query = { fieldSelector: `regarding.name=${about}` };
      const involvedObject = { kind: 'Secret', namespace: api.namespace, name: about };
      const body = anOldEvent(api, { involvedObject });
      const path = core(api, 'events', body.metadata.name);
      const resourceVersion = await versionNow(api, ofGroup(api));
      const seen = await eventsDuring(
        api,
        { path: ofGroup(api), count: 3, query: { ...query, resourceVersion } },
        async () => {
          created(await api.http.post(core(api, 'events'), body));
          expect(await api.http.get(ofGroup(api), { query })).toMatchObject({
            body: { kind: 'EventList', apiVersion: 'events.k8s.io/v1', items: [{ regarding: involvedObject }] },
          });
          done(await api.http.put(path, { ...body, count: 4 }));
          expect((await api.http.delete(ofGroup(api, body.metadata.name))).body).toMatchObject({
            status: 'Success',
            details: { group: 'events.k8s.io', kind: 'events' },
          });
        },
      );
      expect(seen).toMatchObject([
        { type: 'ADDED', object: { apiVersion: 'events.k8s.io/v1', note: 'It was tried' } },
        { type: 'MODIFIED', object: { deprecatedCount: 4 } },
        { type: 'DELETED', object: { regarding: involvedObject } },
      ]);
      expectRefusal(await api.http.get(ofGroup(api, body.metadata.name)), 404, {
        details: { name: body.metadata.name, group: 'events.k8s.io', kind: 'events' },
      });
    },
  ],
  [
    'field selectors of Events use the field names of their group',
    async api => {
      const uid = freshName('uid');
      const regarding = { kind: 'Secret', namespace: api.namespace, name: 'some', uid };
      const { name } = created(await api.http.post(ofGroup(api), aNewEvent(api, { regarding }))).metadata;
      const select = (path: string, field: string) =>
        api.http.get(path, { query: { fieldSelector: `metadata.name=${name},${field}` } });
      const own = ['reason=Tried', 'type=Normal', 'metadata.name!=other'];
      const ofEach = {
        [ofGroup(api)]: [`regarding.uid=${uid}`, 'reportingController=example.com/one'],
        [core(api, 'events')]: [
          `involvedObject.uid=${uid}`,
          'reportingComponent=example.com/one',
          'source=example.com/one',
        ],
      };
      for (const [path, fields] of Object.entries(ofEach)) {
        for (const field of [...own, ...fields]) {
          expect((await select(path, field)).body, field).toMatchObject({ items: [{ metadata: { name } }] });
          const [key] = field.split(/!?=/);
          expect((await select(path, `${key}=no-such`)).body, field).toMatchObject({ items: [] });
        }
        const foreign = Object.values(ofEach).flatMap(each => (each === fields ? [] : each));
        for (const field of [...foreign, 'action=Trying']) {
          expectRefusal(await select(path, field), 400, { reason: 'BadRequest' });
        }
      }
    },
  ],
  [
    'a PUT of an Event that does not exist creates it in either group, whatever version it names',
    async api => {
      const metadata = { name: freshName('event'), resourceVersion: '12' };
      created(await api.http.put(ofGroup(api, metadata.name), aNewEvent(api, { metadata })));
      const again = await api.http.put(ofGroup(api, metadata.name), aNewEvent(api, { metadata }));
      expectRefusal(again, 409, { reason: 'Conflict' });
      const other = { name: freshName('event') };
      created(await api.http.put(core(api, 'events', other.name), anOldEvent(api, { metadata: other })));
      expectRefusal(await api.http.post(ofGroup(api), aNewEvent(api, { metadata: other })), 409, {
        reason: 'AlreadyExists',
        details: { name: other.name, kind: 'events' },
      });
      const third = { name: freshName('event'), uid: 'some' };
      const known = await api.http.put(core(api, 'events', third.name), anOldEvent(api, { metadata: third }));
      expectRefusal(known, 409, { reason: 'Conflict' });
      const bad = { name: freshName('event') };
      const refused = await api.http.put(ofGroup(api, bad.name), aNewEvent(api, { metadata: bad, type: 'Odd' }));
      expectInvalid(refused, { field: 'type' });
    },
  ],
  [
    'discovery and tables contain Events of both groups',
    async api => {
      const resource = { name: 'events', singularName: 'event', namespaced: true, kind: 'Event', shortNames: ['ev'] };
      for (const path of ['/api/v1', '/apis/events.k8s.io/v1']) {
        expect((await api.http.get(path)).body).toMatchObject({
          resources: expect.arrayContaining([expect.objectContaining(resource)]),
        });
      }
      expect((await api.http.get('/apis/events.k8s.io')).body).toMatchObject({
        preferredVersion: { groupVersion: 'events.k8s.io/v1', version: 'v1' },
      });
      const { name } = created(await api.http.post(ofGroup(api), aNewEvent(api))).metadata;
      const cells = [
        expect.any(String),
        'Normal',
        'Tried',
        'secret/some',
        '',
        'example.com/one, one-0',
        'It was tried',
        expect.any(String),
        1,
        name,
      ];
      for (const path of [ofGroup(api, name), core(api, 'events', name)]) {
        expect((await api.http.get(path, { accept: table })).body).toMatchObject({ rows: [{ cells }] });
      }
    },
  ],
];
