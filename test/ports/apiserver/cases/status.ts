// The status subresource: spec and status are written separately.
import { expect } from 'vitest';
import { type Case, createWidget, done, expectInvalid, readWidget, widgets } from '../api-case.ts';
import { finalizer } from '../fixtures.ts';

export const statusCases: readonly Case[] = [
  {
    id: 'A28',
    says: 'a created object has no status, whatever the body contains',
    async run(api) {
      expect(await createWidget(api, { status: { phase: 'Ready' } })).not.toHaveProperty('status');
    },
  },
  {
    id: 'A29',
    says: 'a patch of /status stores it under a new resource version and keeps the generation',
    async run(api) {
      const widget = await createWidget(api);
      const path = `${widgets(api, widget.metadata.name)}/status`;
      const patched = done(await api.http.patch(path, { status: { phase: 'Ready', count: 2 } }));
      expect(patched.status).toEqual({ phase: 'Ready', count: 2 });
      expect(patched.metadata.generation).toBe(1);
      expect(patched.metadata.resourceVersion).not.toBe(widget.metadata.resourceVersion);
      expect(await readWidget(api, widget)).toEqual(patched);
      expect(done(await api.http.get(path))).toEqual(patched);
    },
  },
  {
    id: 'A30',
    says: 'a PUT of the object does not touch the status',
    async run(api) {
      const widget = await createWidget(api);
      const path = widgets(api, widget.metadata.name);
      const ready = done(await api.http.patch(`${path}/status`, { status: { phase: 'Ready' } }));
      expect(done(await api.http.put(path, { ...ready, status: { phase: 'Odd', count: 9 } }))).toEqual(ready);
    },
  },
  {
    id: 'A31',
    says: 'a write of /status changes only the status',
    async run(api) {
      const widget = await createWidget(api);
      const path = `${widgets(api, widget.metadata.name)}/status`;
      const more = { labels: { a: 'b' }, finalizers: [finalizer] };
      const patched = done(
        await api.http.patch(path, { metadata: more, spec: { size: 9 }, status: { phase: 'Patched' } }),
      );
      const body = {
        ...patched,
        metadata: { ...patched.metadata, ...more },
        spec: { size: 9 },
        status: { phase: 'Put' },
      };
      const put = done(await api.http.put(path, body));
      expect(patched.status).toEqual({ phase: 'Patched' });
      expect(put.status).toEqual({ phase: 'Put' });
      for (const { metadata, spec } of [patched, put]) {
        expect(metadata).not.toHaveProperty('labels');
        expect(metadata).not.toHaveProperty('finalizers');
        expect(metadata.generation).toBe(1);
        expect(spec).toEqual(widget.spec);
      }
    },
  },
  {
    id: 'A32',
    says: 'a status of the wrong type is rejected',
    async run(api) {
      const widget = await createWidget(api);
      const path = `${widgets(api, widget.metadata.name)}/status`;
      const answer = await api.http.patch(path, { status: { count: 'many' } });
      expectInvalid(answer, { reason: 'FieldValueTypeInvalid', field: 'status.count' });
      expect(await readWidget(api, widget)).toEqual(widget);
    },
  },
];
