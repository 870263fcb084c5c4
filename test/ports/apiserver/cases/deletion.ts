// Deletion of objects with and without finalizers.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import {
  aWidget,
  type Case,
  createWidget,
  done,
  eventsDuring,
  expectRefusal,
  patchWidget,
  readWidget,
  widgets,
} from '../api-case.ts';
import { finalizer, group } from '../fixtures.ts';

const held = { metadata: { finalizers: [finalizer] } };

export const deletionCases: readonly Case[] = [
  {
    id: 'A56',
    says: 'an object without finalizers is removed immediately, and the response names its uid',
    async run(api) {
      const { metadata } = await createWidget(api);
      const path = widgets(api, metadata.name);
      expect(await api.http.delete(path)).toMatchObject({
        status: 200,
        body: {
          kind: 'Status',
          apiVersion: 'v1',
          status: 'Success',
          details: { name: metadata.name, group, kind: 'widgets', uid: metadata.uid },
        },
      });
      expectRefusal(await api.http.get(path), 404, { reason: 'NotFound' });
    },
  },
  {
    id: 'A57',
    says: 'an object with a finalizer stays and is marked, once',
    async run(api) {
      const widget = await createWidget(api, held);
      const path = widgets(api, widget.metadata.name);
      const deleting = done(await api.http.delete(path));
      expect(deleting.metadata).toMatchObject({
        uid: widget.metadata.uid,
        deletionTimestamp: expect.stringMatching(/Z$/),
        deletionGracePeriodSeconds: 0,
        generation: 2,
        finalizers: [finalizer],
      });
      expect(deleting.metadata.resourceVersion).not.toBe(widget.metadata.resourceVersion);
      expect(done(await api.http.delete(path))).toEqual(deleting);
      expect(await readWidget(api, widget)).toEqual(deleting);
    },
  },
  {
    id: 'A58',
    says: 'a deleting object accepts no new finalizer, no undeletion and no object of its name, but a new spec',
    async run(api) {
      const widget = await createWidget(api, held);
      const { name } = widget.metadata;
      const { metadata } = done(await api.http.delete(widgets(api, name)));
      const more = { metadata: { finalizers: [finalizer, `${group}/more`] } };
      expectRefusal(await api.http.patch(widgets(api, name), more), 422, { reason: 'Invalid' });
      expect(await patchWidget(api, widget, { spec: { size: 5 } })).toMatchObject({
        metadata: { generation: 3 },
        spec: { size: 5 },
      });
      const revived = await patchWidget(api, widget, { metadata: { deletionTimestamp: null } });
      expect(revived.metadata.deletionTimestamp).toBe(metadata.deletionTimestamp);
      const namesake = await api.http.post(widgets(api), aWidget({ metadata: { name } }));
      expectRefusal(namesake, 409, { reason: 'AlreadyExists' });
    },
  },
  {
    id: 'A59',
    says: 'removing the last finalizer deletes the object, with one event and a new resource version',
    async run(api) {
      const widget = await createWidget(api, held);
      const path = widgets(api, widget.metadata.name);
      const deleting = done(await api.http.delete(path));
      const query = {
        fieldSelector: `metadata.name=${widget.metadata.name}`,
        resourceVersion: deleting.metadata.resourceVersion,
        timeoutSeconds: 2,
      };
      const seen = await eventsDuring(api, { path: widgets(api), count: Number.POSITIVE_INFINITY, query }, async () => {
        const last = await patchWidget(api, widget, { metadata: { finalizers: null } });
        expect(last.metadata.uid).toBe(widget.metadata.uid);
        expect(last.metadata).not.toHaveProperty('finalizers');
        expectRefusal(await api.http.get(path), 404);
      });
      expect(seen.map(event => event.type)).toEqual(['DELETED']);
      expect(seen[0]?.object.metadata).toMatchObject({ uid: widget.metadata.uid, finalizers: [finalizer] });
      expect(seen[0]?.object.metadata.resourceVersion).not.toBe(deleting.metadata.resourceVersion);
    },
  },
  {
    id: 'A60',
    says: 'failed preconditions leave the object unchanged',
    async run(api) {
      const widget = await createWidget(api);
      const path = widgets(api, widget.metadata.name);
      for (const preconditions of [{ uid: randomUUID() }, { resourceVersion: '1' }]) {
        expectRefusal(await api.http.delete(path, { preconditions }), 409, {
          reason: 'Conflict',
          details: { group, kind: 'Widget', name: widget.metadata.name },
        });
        expect(await readWidget(api, widget)).toEqual(widget);
      }
      const { uid, resourceVersion } = widget.metadata;
      const answer = await api.http.delete(path, { preconditions: { uid, resourceVersion } });
      expect(answer).toMatchObject({ status: 200, body: { status: 'Success' } });
    },
  },
  {
    id: 'A115',
    says: 'an empty body of type JSON is not a body, and a dry run in the body deletes nothing',
    async run(api) {
      const widget = await createWidget(api);
      const path = widgets(api, widget.metadata.name);
      expect(await api.http.delete(path, { dryRun: ['All'] })).toMatchObject({ status: 200 });
      expect(await readWidget(api, widget)).toEqual(widget);
      const answer = await api.http.delete(path, undefined, { type: 'application/json' });
      expect(answer).toMatchObject({ status: 200, body: { status: 'Success' } });
      expectRefusal(await api.http.get(path), 404);
    },
  },
];
