// Requests that are rejected for every kind of object.
import { expect } from 'vitest';
import { freshName } from '../../answers.ts';
import { aWidget, type Case, core, expectRefusal, ours, widgets } from '../api-case.ts';
import { group } from '../fixtures.ts';

export const refusalCases: readonly Case[] = [
  {
    id: 'A12',
    says: 'malformed JSON is 400, an unknown body type 415, an unsupported response type 406',
    async run(api) {
      expectRefusal(await api.http.post(widgets(api), '{"apiVersion":'), 400, { reason: 'BadRequest' });
      const body = JSON.stringify(aWidget());
      expectRefusal(await api.http.post(widgets(api), body, { type: 'text/plain' }), 415, {
        reason: 'UnsupportedMediaType',
      });
      expectRefusal(await api.http.get(widgets(api), { accept: 'text/plain' }), 406, { reason: 'NotAcceptable' });
    },
  },
  {
    id: 'A13',
    says: 'every verb returns NotFound for a missing object',
    async run(api) {
      const name = freshName('none');
      for (const [path, kind, answerGroup] of [
        [widgets(api, name), 'widgets', { group }],
        [core(api, 'secrets', name), 'secrets', {}],
      ] as const) {
        const { apiVersion, kind: bodyKind } = kind === 'widgets' ? aWidget() : { apiVersion: 'v1', kind: 'Secret' };
        const body = { apiVersion, kind: bodyKind, metadata: { name, resourceVersion: '1' } };
        for (const answer of [
          await api.http.get(path),
          await api.http.patch(path, { metadata: { labels: { a: 'b' } } }),
          await api.http.delete(path),
          await api.http.put(path, body),
        ]) {
          expectRefusal(answer, 404, { reason: 'NotFound', details: { ...answerGroup, kind, name } });
        }
      }
    },
  },
  {
    id: 'A14',
    says: 'an unknown resource, version or group is 404 in plain text',
    async run(api) {
      for (const path of [
        ours(api, 'doodads'),
        widgets(api).replace('/v1/', '/v9/'),
        '/apis/nothing.example.com/v1/widgets',
        `/apis/${group}/v1/widgets/some-name`,
      ]) {
        const answer = await api.http.get(path);
        expect(answer).toMatchObject({ status: 404, text: '404 page not found\n' });
        expect(answer.headers['content-type']).toMatch(/^text\/plain/);
      }
    },
  },
  {
    id: 'A15',
    says: 'an unknown token is Unauthorized, a user without rights Forbidden',
    async run(api) {
      expectRefusal(await api.unauthorized.get(widgets(api)), 401, { reason: 'Unauthorized' });
      if (api.unprivileged !== undefined) {
        const answer = await api.unprivileged.get(widgets(api));
        expectRefusal(answer, 403, { reason: 'Forbidden', details: { group, kind: 'widgets' } });
      }
    },
  },
];
