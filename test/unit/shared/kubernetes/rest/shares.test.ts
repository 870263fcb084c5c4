// Shares of the sockets and of the memory for answers: a namespace that asks for everything delays another one by a turn.
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createKubernetes } from '../../../../../shared/kubernetes/rest/client.ts';
import { defaultLimits } from '../../../../../shared/kubernetes/rest/connection.ts';
import { type FaultServer, type Received, reply, startFaultServer } from '../../../../support/fault-server.ts';

const widget = { apiVersion: 'example.com/v1', kind: 'Widget' };
const body = { ...widget, metadata: { name: 'w', uid: 'u', resourceVersion: '1' } };

let server: FaultServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

interface Held {
  readonly request: Received;
  readonly response: ServerResponse;
}

/** A server whose answers the test sends. */
async function aWorld(limits: Partial<typeof defaultLimits> = {}) {
  const held: Held[] = [];
  const started = await startFaultServer((request, response) => void held.push({ request, response }));
  server = started;
  const kubernetes = createKubernetes({
    credentials: started.credentials('t'),
    client: 'tester',
    limits: { ...defaultLimits, ...limits },
  });
  return {
    kubernetes,
    held,
    get: (namespace: string) => kubernetes.get({ ...widget, namespace, name: 'w' }),
    until: async (isReached: () => boolean) => {
      while (!isReached()) {
        await nextTurn();
      }
    },
    namespaces: () => held.map(({ request }) => request.path.split('/')[5]),
  };
}

describe('the sockets', () => {
  it('are shared in turns: one read of a namespace beside 1,500 reads of another one', async () => {
    const { get, held, until, namespaces } = await aWorld({ maxSockets: 4 });
    const reads = Array.from({ length: 1_500 }, () => get('hostile'));
    const one = get('other');
    for (let answered = 0; answered < 6; answered += 1) {
      await until(() => held.length > answered);
      const next = held[answered];
      if (next !== undefined) {
        reply(next.response, 200, body);
      }
    }
    expect(await one).toMatchObject({ ok: true });
    expect(namespaces().indexOf('other')).toBeLessThan(6);
    for (let answered = 6; answered < reads.length + 1; answered += 1) {
      await until(() => held.length > answered);
      const next = held[answered];
      if (next !== undefined) {
        reply(next.response, 200, body);
      }
    }
    expect((await Promise.all(reads)).filter(({ ok }) => !ok)).toEqual([]);
  });

  it('fail a request that waits too long, which was not sent', async () => {
    const { get, held, until } = await aWorld({ maxSockets: 1, connectTimeoutMs: 300 });
    const first = get('a');
    await until(() => held.length === 1);
    expect(await get('b')).toMatchObject({
      failure: { reason: 'Unavailable', message: expect.stringContaining('no free connection within 0.3 s') },
    });
    const [one] = held;
    if (one !== undefined) {
      reply(one.response, 200, body);
    }
    expect(await first).toMatchObject({ ok: true });
    expect(held).toHaveLength(1);
  });
});

describe('the memory for large answers', () => {
  const largeBytes = 300_000;
  const permits = 4;

  /** Begins a large answer, which the test ends. */
  function begin({ response }: Held): void {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(`{"metadata":{"name":"w"},"spec":{"text":"${'x'.repeat(largeBytes)}`);
  }

  it('is shared in turns: a large answer waits for one of a hostile namespace, a small one for none', async () => {
    const { get, held, until } = await aWorld();
    const reads = Array.from({ length: permits + 2 }, () => get('hostile'));
    await until(() => held.length === permits + 2);
    held.forEach(begin);
    const ended: string[] = [];
    const large = get('other').then(answer => ended.push(`other ${answer.ok}`));
    const small = get('small');
    await until(() => held.length === permits + 4);
    const [other, tiny] = ['other', 'small'].map(name =>
      held.find(({ request }) => request.path.includes(`/${name}/`)),
    );
    if (other === undefined || tiny === undefined) {
      throw new Error('The server received no request');
    }
    begin(other);
    other.response.end('"}}');
    reply(tiny.response, 200, body);
    expect(await small).toMatchObject({ ok: true });
    expect(ended).toEqual([]);
    for (const { response } of held.slice(0, permits)) {
      response.end('"}}');
    }
    await large;
    expect(ended).toEqual(['other true']);
    for (const { response } of held.slice(permits, permits + 2)) {
      response.end('"}}');
    }
    expect((await Promise.all(reads)).filter(({ ok }) => !ok)).toEqual([]);
  });
});
