// Watches over HTTP.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from '../../../../../packages/apiserver/server.ts';
import { SteppedClock } from '../../../../support/stepped-clock.ts';

const path = '/api/v1/namespaces/default/configmaps';

describe('a watch', () => {
  let server: ApiServer;
  const answers: IncomingMessage[] = [];

  beforeEach(async () => {
    server = await startApiServer({ bookmarkEveryMs: 20, history: { changes: 150, ms: 75_000, most: 10_000 } });
  });

  afterEach(async () => {
    for (const answer of answers.splice(0)) {
      answer.destroy();
    }
    await server.stop();
  });

  async function open(query: string): Promise<IncomingMessage> {
    const headers = { authorization: `Bearer ${server.token}` };
    const sent = request(`${server.url}${path}?watch=true${query}`, { ca: server.caPem, headers });
    sent.end();
    const [answer] = await once(sent, 'response');
    answers.push(answer);
    return answer;
  }

  function write(name: string, bytes = 1): string {
    const { core } = server;
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { text: 'x'.repeat(bytes) } };
    return core.create(core.registry.endpointOfKind('v1', 'ConfigMap'), 'default', body).metadata.resourceVersion;
  }

  async function readLines(answer: IncomingMessage, count = Number.POSITIVE_INFINITY): Promise<readonly Line[]> {
    const chunks: string[] = [];
    let lines = 0;
    for await (const chunk of answer) {
      const text = String(chunk);
      chunks.push(text);
      lines += text.split('\n').length - 1;
      if (lines >= count) {
        break;
      }
    }
    const texts = chunks
      .join('')
      .split('\n')
      .filter(line => line !== '');
    // True: the server writes one event per line.
    return texts.map(line => JSON.parse(line) as Line);
  }

  /** Waits until streams have sent pending events. */
  function turn(): Promise<void> {
    return new Promise(resolve => {
      setImmediate(resolve);
    });
  }

  interface Line {
    readonly type: string;
    readonly object: {
      readonly kind: string;
      readonly code?: number;
      readonly metadata: { readonly name?: string; readonly resourceVersion: string };
    };
  }

  it('responds at once, and sends bookmarks on request', async () => {
    const version = write('a');
    const answer = await open('&allowWatchBookmarks=true');
    expect(answer.statusCode).toBe(200);
    const [first, second] = await readLines(answer, 2);
    expect(first).toMatchObject({ type: 'ADDED', object: { kind: 'ConfigMap', metadata: { name: 'a' } } });
    expect(second).toMatchObject({
      type: 'BOOKMARK',
      object: { kind: 'ConfigMap', metadata: { resourceVersion: version } },
    });
  });

  it('sends a bookmark two seconds before its end', async () => {
    const clock = new SteppedClock();
    await server.stop();
    server = await startApiServer({ clock });
    const version = write('a');
    const answer = await open(`&allowWatchBookmarks=true&timeoutSeconds=6&resourceVersion=${version}`);
    await clock.advance(4_000);
    expect(await readLines(answer, 1)).toMatchObject([
      { type: 'BOOKMARK', object: { metadata: { resourceVersion: version } } },
    ]);
  });

  it('receives Expired inside the stream when its version is too old', async () => {
    const version = write('a');
    write('b');
    server.core.compact();
    expect(await readLines(await open(`&resourceVersion=${version}`))).toMatchObject([
      { type: 'ERROR', object: { kind: 'Status', code: 410 } },
    ]);
  });

  it('loses no event with a slow reader within the history', async () => {
    const answer = await open('');
    answer.pause();
    const names = Array.from({ length: 100 }, (_, index) => `slow-${String(index).padStart(3, '0')}`);
    for (const name of names) {
      write(name, 100_000);
    }
    const lines = await readLines(answer, names.length);
    expect(lines.map(({ object }) => object.metadata.name)).toEqual(names);
  });

  it('ends when its reader is too slow, and can resume from the last version it sent', async () => {
    const answer = await open('');
    answer.pause();
    const names = Array.from({ length: 400 }, (_, index) => `behind-${String(index).padStart(3, '0')}`);
    for (const name of names) {
      write(name, 100_000);
      await turn();
    }
    const sent = await readLines(answer);
    expect(sent.length).toBeLessThan(names.length - 150);
    const resumed = await open(`&resourceVersion=${sent.at(-1)?.object.metadata.resourceVersion}`);
    const rest = await readLines(resumed, names.length - sent.length);
    expect([...sent, ...rest].map(({ object }) => object.metadata.name)).toEqual(names);
  });

  it('ends when its reader falls behind the history', async () => {
    const answer = await open('');
    answer.pause();
    for (let index = 0; index < 140; index += 1) {
      write(`behind-${index}`, 100_000);
      await turn();
    }
    server.core.compact();
    const lines = await readLines(answer);
    expect(lines.length).toBeLessThan(140);
    expect(lines.every(({ type }) => type === 'ADDED')).toBe(true);
  });

  it('ends with the server', async () => {
    const answer = await open('');
    const ended = readLines(answer);
    await server.stop();
    await expect(ended).resolves.toEqual([]);
    server = await startApiServer();
  });
});
