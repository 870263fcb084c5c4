// Merge patches and JSON patches.

import type { Unstructured } from '@capi-serverless/apimachinery';
import { expect } from 'vitest';
import { jsonPatchType } from '../../../support/raw-http.ts';
import {
  type Api,
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

function jsonPatch(api: Api, widget: Unstructured, operations: readonly unknown[]) {
  return api.http.patch(widgets(api, widget.metadata.name), operations, { type: jsonPatchType });
}

export const patchCases: readonly Case[] = [
  {
    id: 'A35',
    says: 'null in a merge patch removes a field, or restores its default',
    async run(api) {
      const widget = await createWidget(api, { spec: { note: 'n', mode: 'Fancy', replicas: 4 } });
      const patched = await patchWidget(api, widget, { spec: { note: null, mode: null, replicas: null } });
      expect(patched.spec).toEqual({ mode: 'Plain', replicas: 1 });
    },
  },
  {
    id: 'A36',
    says: 'a list in a merge patch replaces the list',
    async run(api) {
      const widget = await createWidget(api, { spec: { parts: ['a', 'b'], tags: ['x', 'y'] } });
      const patched = await patchWidget(api, widget, { spec: { parts: ['c'], tags: ['z'] } });
      expect(patched.spec).toMatchObject({ parts: ['c'], tags: ['z'] });
    },
  },
  {
    id: 'A37',
    says: 'a JSON patch applies completely when its test passes, and not at all when it fails',
    async run(api) {
      const widget = await createWidget(api, { spec: { size: 1 } });
      const replace = { op: 'replace', path: '/spec/size', value: 2 };
      const failing = [replace, { op: 'test', path: '/spec/size', value: 9 }];
      expectRefusal(await jsonPatch(api, widget, failing), 422, { reason: 'Invalid' });
      expect(await readWidget(api, widget)).toEqual(widget);
      const passing = [{ op: 'test', path: '/metadata/uid', value: widget.metadata.uid }, replace];
      expect(done(await jsonPatch(api, widget, passing)).spec).toMatchObject({ size: 2 });
    },
  },
  {
    id: 'A38',
    says: 'a JSON patch supports keys that contain a slash',
    async run(api) {
      const widget = await createWidget(api, { metadata: { annotations: { before: 'x' } } });
      const patched = done(
        await jsonPatch(api, widget, [{ op: 'add', path: '/metadata/annotations/a.b~1c', value: 'd' }]),
      );
      expect(patched.metadata.annotations).toEqual({ before: 'x', 'a.b/c': 'd' });
    },
  },
  {
    id: 'A39',
    says: 'a JSON patch that removes a missing field is rejected',
    async run(api) {
      const widget = await createWidget(api);
      const answer = await jsonPatch(api, widget, [{ op: 'remove', path: '/spec/note' }]);
      expectRefusal(answer, 422, { reason: 'Invalid' });
      expectRefusal(
        await api.http.patch(widgets(api, widget.metadata.name), { op: 'remove' }, { type: jsonPatchType }),
        400,
      );
    },
  },
  {
    id: 'A41',
    says: 'a merge patch that changes nothing keeps the resource version',
    async run(api) {
      const widget = await createWidget(api, { spec: { size: 1 } });
      expect(await patchWidget(api, widget, { spec: { size: 1 } })).toEqual(widget);
      expect(await readWidget(api, widget)).toEqual(widget);
    },
  },
  {
    id: 'A114',
    says: 'a patch cannot change the kind or version of an object',
    async run(api) {
      const widget = await createWidget(api);
      for (const [field, value] of [
        ['kind', 'Drifter'],
        ['apiVersion', 'v1'],
        ['apiVersion', `${group}/v1alpha1`],
      ] as const) {
        const cause = { reason: 'FieldValueInvalid', field };
        const path = widgets(api, widget.metadata.name);
        expectInvalid(await api.http.patch(path, { [field]: value, spec: { size: 9 } }), cause);
        expectInvalid(await jsonPatch(api, widget, [{ op: 'replace', path: `/${field}`, value }]), cause);
      }
      expect(await readWidget(api, widget)).toEqual(widget);
    },
  },
];
