// Events of the core group.
import { expect } from 'vitest';
import { type Case, core, created, expectInvalid, freshName, listed } from '../world.ts';

export const eventCases: readonly Case[] = [
  {
    id: 'A109',
    says: 'an Event lives in the namespace of what it is about, and is found by that name',
    async run(api) {
      const about = freshName('about');
      const event = (namespace: string) => ({
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: freshName('event') },
        involvedObject: { apiVersion: 'v1', kind: 'Secret', namespace, name: about },
        reason: 'Tried',
        message: 'It was tried',
        type: 'Normal',
      });
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
