// Field validation, pruning, nulls, defaults and the rules of a schema.

import type { JsonObject } from '@capi-serverless/apimachinery';
import { expect } from 'vitest';
import {
  type Api,
  aWidget,
  type Case,
  created,
  createWidget,
  expectInvalid,
  expectRefusal,
  readWidget,
  widgets,
} from '../api-case.ts';

function post(api: Api, body: JsonObject, fieldValidation?: string) {
  return api.http.post(widgets(api), body, fieldValidation === undefined ? {} : { query: { fieldValidation } });
}

export const schemaCases: readonly Case[] = [
  {
    id: 'A42',
    says: 'an unknown field is pruned with a warning that names it',
    async run(api) {
      const answer = await post(api, aWidget({ spec: { size: 1, odd: true }, other: 1 }));
      const widget = created(answer);
      expect(widget.spec).toEqual({ size: 1, mode: 'Plain', replicas: 1 });
      expect(widget).not.toHaveProperty('other');
      expect(answer.warnings.toSorted()).toEqual([
        expect.stringMatching(/^299 - ".*other.*"$/),
        expect.stringMatching(/^299 - ".*spec\.odd.*"$/),
      ]);
    },
  },
  {
    id: 'A43',
    says: 'strict field validation rejects an unknown field, and nothing changes',
    async run(api) {
      const body = aWidget({ metadata: { name: 'strict' }, spec: { odd: true } });
      expectRefusal(await post(api, body, 'Strict'), 400, { reason: 'BadRequest' });
      expectRefusal(await api.http.get(widgets(api, 'strict')), 404);
      const widget = await createWidget(api);
      const answer = await api.http.patch(
        widgets(api, widget.metadata.name),
        { spec: { odd: true, size: 9 } },
        { query: { fieldValidation: 'Strict' } },
      );
      expectInvalid(answer, { field: 'patch' });
      expect(await readWidget(api, widget)).toEqual(widget);
    },
  },
  {
    id: 'A44',
    says: 'ignoring field validation prunes an unknown field without a warning',
    async run(api) {
      const answer = await post(api, aWidget({ spec: { odd: true } }), 'Ignore');
      expect(created(answer).spec).toEqual({ mode: 'Plain', replicas: 1 });
      expect(answer.warnings).toEqual([]);
    },
  },
  {
    id: 'A45',
    says: 'unknown fields where the schema preserves them are kept in every mode',
    async run(api) {
      const free = { deep: { x: 1, list: [{ y: null }] } };
      for (const mode of [undefined, 'Ignore', 'Warn', 'Strict']) {
        const answer = await post(api, aWidget({ spec: { free } }), mode);
        expect(created(answer).spec).toMatchObject({ free });
        expect(answer.warnings).toEqual([]);
      }
    },
  },
  {
    id: 'A47',
    says: 'duplicates in a set or in the keys of a list are rejected',
    async run(api) {
      const reason = 'FieldValueDuplicate';
      expectInvalid(await post(api, aWidget({ spec: { tags: ['a', 'b', 'a'] } })), { reason, field: 'spec.tags[2]' });
      const items = [{ name: 'a' }, { name: 'a', value: 2 }];
      expectInvalid(await post(api, aWidget({ spec: { items } })), { reason, field: 'spec.items[1]' });
    },
  },
  {
    id: 'A48',
    says: 'a missing field, a long string, too many items and a wrong type are each reported',
    async run(api) {
      for (const [spec, reason, field] of [
        [{ items: [{ value: 1 }] }, 'FieldValueRequired', 'spec.items[0].name'],
        [{ code: 'too long' }, 'FieldValueTooLong', 'spec.code'],
        [{ few: ['a', 'b', 'c'] }, 'FieldValueTooMany', 'spec.few'],
        [{ size: 'big' }, 'FieldValueTypeInvalid', 'spec.size'],
        [{ size: -1 }, 'FieldValueInvalid', 'spec.size'],
      ] as const) {
        expectInvalid(await post(api, aWidget({ spec })), { reason, field });
      }
    },
  },
  {
    id: 'A50',
    says: 'null stays if it is allowed, else it counts as absent',
    async run(api) {
      const widget = await createWidget(api, { spec: { perhaps: null, note: null, replicas: null } });
      expect(widget.spec).toEqual({ mode: 'Plain', replicas: 1, perhaps: null });
    },
  },
];
