// Server-side apply through /status.
import { expect } from 'vitest';
import { freshName } from '../../answers.ts';
import { type Case, done, expectRefusal, widgets } from '../api-case.ts';
import { appliedWidget, applyWidget, entriesOf, owners } from '../applied.ts';

const condition = (type: string, status: string) => ({ status: { conditions: [{ type, status }] } });
const key = (type: string) => ({
  'f:status': { 'f:conditions': { [`k:{"type":"${type}"}`]: { '.': {}, 'f:status': {}, 'f:type': {} } } },
});

export const applyStatusCases: readonly Case[] = [
  {
    id: 'A97',
    says: 'two managers apply a condition each, and nothing but the status',
    async run(api) {
      const widget = await appliedWidget(api, { spec: { size: 1 } }, { manager: 'm1' });
      const { name } = widget.metadata;
      const as = (manager: string) => ({ manager, subresource: 'status' }) as const;
      done(await applyWidget(api, name, condition('Ready', 'True'), as('m1')));
      const parts = { ...condition('Here', 'False'), spec: { size: 9 }, metadata: { labels: { odd: 'yes' } } };
      const both = done(await applyWidget(api, name, parts, as('m2')));
      expect(both).toMatchObject({ spec: widget.spec, metadata: { generation: 1 } });
      expect(both.metadata).not.toHaveProperty('labels');
      expect(both.status).toEqual({
        conditions: [
          { type: 'Ready', status: 'True' },
          { type: 'Here', status: 'False' },
        ],
      });
      expect(owners(both)).toEqual({
        'm1/Apply': { 'f:spec': { 'f:size': {} } },
        'm1/Apply/status': key('Ready'),
        'm2/Apply/status': key('Here'),
      });
      const main = done(
        await applyWidget(api, name, { ...condition('Odd', 'True'), spec: { size: 1 } }, { manager: 'm1' }),
      );
      expect(main.status).toEqual(both.status);
      expect(entriesOf(main)).toHaveLength(3);
      const less = done(await applyWidget(api, name, {}, as('m1')));
      expect(less.status).toEqual({ conditions: [{ type: 'Here', status: 'False' }] });
    },
  },
  {
    id: 'A98',
    says: 'an apply to /status creates nothing',
    async run(api) {
      const name = freshName('applied');
      const as = { manager: 'm1', subresource: 'status' } as const;
      expectRefusal(await applyWidget(api, name, condition('Ready', 'True'), as), 404, { reason: 'NotFound' });
      expectRefusal(await api.http.get(widgets(api, name)), 404);
    },
  },
];
