// Validation ratcheting: unchanged invalid values are accepted under a stricter schema.

import type { JsonObject } from '@capi-serverless/apimachinery';
import { expect, vi } from 'vitest';
import { freshName } from '../../answers.ts';
import { type Api, type Case, created, done, expectInvalid, ours } from '../api-case.ts';
import { group, tightenedCrd, tightenedWith } from '../fixtures.ts';
import { install } from '../subject.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const tooLong = 'longer than allowed';

export const ratchetingCases: readonly Case[] = [
  {
    id: 'A52',
    says: 'a stored value that the schema no longer allows is accepted until it changes',
    async run(api) {
      await install(api, tightenedCrd);
      const name = freshName('tight');
      const item = (key: string, value: string) => ({ name: key, value });
      const spec = {
        size: 1,
        code: tooLong,
        keyed: [item('a', tooLong), item('b', 'ok')],
        plain: [item('a', tooLong), item('b', 'ok')],
        lookup: { k: tooLong, l: 'ok' },
      };
      const body = { apiVersion: `${group}/v1`, kind: 'Tightened', metadata: { name }, spec };
      created(await api.http.post(ours(api, 'tighteneds'), body));
      await tighten(api);
      const patch = (change: JsonObject) => api.http.patch(ours(api, 'tighteneds', name), { spec: change });
      done(await patch({ size: 2 }));
      // Items are matched by their keys, members by their names.
      done(await patch({ keyed: [item('c', 'new'), item('a', tooLong)] }));
      done(await patch({ lookup: { l: 'other' } }));
      const refused: readonly (readonly [JsonObject, string])[] = [
        [{ code: `${tooLong}, too` }, 'spec.code'],
        [{ keyed: [item('a', `${tooLong}, too`)] }, 'spec.keyed[0].value'],
        [{ keyed: [item('x', tooLong)] }, 'spec.keyed[0].value'],
        [{ lookup: { k: `${tooLong}, too` } }, 'spec.lookup.k'],
        [{ plain: [item('a', tooLong), item('b', 'other')] }, 'spec.plain[0].value'],
      ];
      for (const [change, field] of refused) {
        expectInvalid(await patch(change), { reason: 'FieldValueTooLong', field });
      }
      expect(done(await api.http.get(ours(api, 'tighteneds', name))).spec).toMatchObject({ code: tooLong, size: 2 });
    },
  },
];

/** Resolves when the server uses the stricter schema. */
async function tighten(api: Api): Promise<void> {
  const { spec, metadata } = tightenedWith({ maxLength: 5 });
  done(await api.http.patch(`${crds}/${metadata.name}`, { spec: { versions: spec.versions } }));
  await vi.waitFor(
    async () => {
      const body = { apiVersion: `${group}/v1`, kind: 'Tightened', metadata: { name: freshName() } };
      const answer = await api.http.post(ours(api, 'tighteneds'), { ...body, spec: { code: tooLong } });
      expect(answer.status).toBe(422);
    },
    { timeout: 300_000, interval: 50 },
  );
}
