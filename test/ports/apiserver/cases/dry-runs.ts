// Dry runs: all steps of a write except storage.
import { expect } from 'vitest';
import {
  aWidget,
  type Case,
  createWidget,
  done,
  expectRefusal,
  type NamedCase,
  readWidget,
  widgets,
} from '../api-case.ts';
import { owners } from '../applied.ts';
import { finalizer } from '../fixtures.ts';

const query = { dryRun: 'All', fieldManager: 'u1' };

export const dryRunCases: readonly Case[] = [
  {
    id: 'A11',
    says: 'a create in a dry run returns the object, without a resource version, and stores nothing',
    async run(api) {
      const body = aWidget();
      const answer = await api.http.post(widgets(api), body, { query });
      expect(answer).toMatchObject({ status: 201, body: { metadata: { uid: expect.any(String), generation: 1 } } });
      expect(answer.body).not.toHaveProperty('metadata.resourceVersion');
      expectRefusal(await api.http.get(widgets(api, String(body.metadata['name']))), 404);
    },
  },
  {
    id: 'A61',
    says: 'a delete in a dry run deletes nothing',
    async run(api) {
      const [free, held] = [
        await createWidget(api),
        await createWidget(api, { metadata: { finalizers: [finalizer] } }),
      ];
      const gone = await api.http.delete(widgets(api, free.metadata.name), undefined, { query: { dryRun: 'All' } });
      expect(gone).toMatchObject({ status: 200, body: { kind: 'Status', status: 'Success' } });
      const marked = await api.http.delete(widgets(api, held.metadata.name), { dryRun: ['All'] });
      expect(marked).toMatchObject({ status: 200, body: { metadata: { deletionTimestamp: expect.any(String) } } });
      expect(await readWidget(api, free)).toEqual(free);
      expect(await readWidget(api, held)).toEqual(held);
    },
  },
];

/** Details of dry runs that the short cases do not test. */
export const dryRunShapeCases: readonly NamedCase[] = [
  [
    'updates, patches and status writes in a dry run return the result with the stored version',
    async api => {
      const widget = await createWidget(api, { spec: { size: 1 } });
      const path = widgets(api, widget.metadata.name);
      const { resourceVersion } = widget.metadata;
      const put = done(await api.http.put(path, { ...widget, spec: { size: 2 } }, { query }));
      expect(put).toMatchObject({ metadata: { resourceVersion, generation: 2 }, spec: { size: 2, mode: 'Plain' } });
      expect(owners(put)['u1/Update']).toEqual({ 'f:spec': { 'f:size': {} } });
      const patched = done(await api.http.patch(path, { spec: { note: 'n' } }, { query }));
      expect(patched).toMatchObject({ metadata: { resourceVersion, generation: 2 }, spec: { size: 1, note: 'n' } });
      const status = done(await api.http.patch(`${path}/status`, { status: { phase: 'Ready' } }, { query }));
      expect(status).toMatchObject({ metadata: { resourceVersion, generation: 1 }, status: { phase: 'Ready' } });
      expect(await readWidget(api, widget)).toEqual(widget);
    },
  ],
];
