// Updates and conflicts of concurrent writers.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import {
  type Case,
  createWidget,
  done,
  expectInvalid,
  expectRefusal,
  patchWidget,
  readWidget,
  widgets,
} from '../api-case.ts';
import { group } from '../fixtures.ts';

export const concurrencyCases: readonly Case[] = [
  {
    id: 'A16',
    says: 'a PUT that changes nothing keeps the resource version',
    async run(api) {
      const widget = await createWidget(api);
      expect(done(await api.http.put(widgets(api, widget.metadata.name), widget))).toEqual(widget);
      expect(await readWidget(api, widget)).toEqual(widget);
    },
  },
  {
    id: 'A17',
    says: 'a PUT with an old resource version is a conflict and changes nothing',
    async run(api) {
      const widget = await createWidget(api);
      const changed = await patchWidget(api, widget, { spec: { note: 'first' } });
      const answer = await api.http.put(widgets(api, widget.metadata.name), { ...widget, spec: { note: 'second' } });
      const details = { group, kind: 'widgets', name: widget.metadata.name };
      expectRefusal(answer, 409, { reason: 'Conflict', details });
      expect(await readWidget(api, widget)).toEqual(changed);
    },
  },
  {
    id: 'A18',
    says: 'a PUT without resource version is rejected',
    async run(api) {
      const widget = await createWidget(api);
      for (const resourceVersion of [undefined, '', '0']) {
        const body = { ...widget, metadata: { ...widget.metadata, resourceVersion } };
        const answer = await api.http.put(widgets(api, widget.metadata.name), body);
        expectInvalid(answer, { field: 'metadata.resourceVersion' });
      }
    },
  },
  {
    id: 'A20',
    says: 'a PUT with another uid is a conflict',
    async run(api) {
      const widget = await createWidget(api);
      const body = { ...widget, metadata: { ...widget.metadata, uid: randomUUID() } };
      expectRefusal(await api.http.put(widgets(api, widget.metadata.name), body), 409, { reason: 'Conflict' });
      expect(await readWidget(api, widget)).toEqual(widget);
    },
  },
  {
    id: 'A21',
    says: 'a PUT whose body names another object than the URL is rejected',
    async run(api) {
      const widget = await createWidget(api);
      const body = { ...widget, metadata: { ...widget.metadata, name: 'another' } };
      expectRefusal(await api.http.put(widgets(api, widget.metadata.name), body), 400, { reason: 'BadRequest' });
    },
  },
  {
    id: 'A22',
    says: 'a change of labels sets a new resource version and keeps the generation',
    async run(api) {
      const widget = await createWidget(api);
      const { metadata } = await patchWidget(api, widget, { metadata: { labels: { a: 'b' } } });
      expect(metadata).toMatchObject({ labels: { a: 'b' }, generation: 1 });
      expect(metadata.resourceVersion).not.toBe(widget.metadata.resourceVersion);
    },
  },
  {
    id: 'A23',
    says: 'a change of spec raises the generation by one',
    async run(api) {
      const widget = await createWidget(api);
      const changed = await patchWidget(api, widget, { metadata: { generation: 9 }, spec: { size: 2 } });
      expect(changed).toMatchObject({ metadata: { generation: 2 }, spec: { size: 2 } });
    },
  },
  {
    id: 'A24',
    says: 'a PUT removes the labels and annotations that it omits',
    async run(api) {
      const widget = await createWidget(api, { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } } });
      const { name, resourceVersion } = widget.metadata;
      const body = { ...widget, metadata: { name, resourceVersion } };
      const { metadata } = done(await api.http.put(widgets(api, name), body));
      expect(metadata).not.toHaveProperty('labels');
      expect(metadata).not.toHaveProperty('annotations');
      expect(metadata.uid).toBe(widget.metadata.uid);
    },
  },
  {
    id: 'A25',
    says: 'concurrent merge patches of different fields all succeed',
    async run(api) {
      const widget = await createWidget(api);
      for (let round = 1; round <= 20; round += 1) {
        await Promise.all([
          patchWidget(api, widget, { spec: { size: round } }),
          patchWidget(api, widget, { spec: { note: `round ${round}` } }),
        ]);
        expect((await readWidget(api, widget)).spec).toMatchObject({ size: round, note: `round ${round}` });
      }
    },
  },
  {
    id: 'A26',
    says: 'a merge patch that carries an old resource version is a conflict',
    async run(api) {
      const widget = await createWidget(api);
      const changed = await patchWidget(api, widget, { spec: { size: 2 } });
      const { name, resourceVersion } = widget.metadata;
      const answer = await api.http.patch(widgets(api, name), { metadata: { resourceVersion }, spec: { size: 3 } });
      expectRefusal(answer, 409, { reason: 'Conflict' });
      expect(await readWidget(api, widget)).toEqual(changed);
    },
  },
  {
    id: 'A27',
    says: 'an update to a value outside the enum is rejected',
    async run(api) {
      const widget = await createWidget(api);
      const body = { ...widget, spec: { mode: 'Odd' } };
      const answer = await api.http.put(widgets(api, widget.metadata.name), body);
      expectInvalid(answer, { reason: 'FieldValueNotSupported', field: 'spec.mode' });
      expect(await readWidget(api, widget)).toEqual(widget);
    },
  },
];
