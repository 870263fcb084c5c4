// Answers of an API server that would take too much memory.
import { gzipSync } from 'node:zlib';
import type { Answer, Kubernetes } from '@capi-serverless/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import { createKubernetes } from '../../../../../shared/kubernetes/rest/client.ts';
import { type FaultServer, reply, startFaultServer } from '../../../../support/fault-server.ts';

const widget = { apiVersion: 'example.com/v1', kind: 'Widget' };
const emptyObjects = (count: number) => Array.from({ length: count }, () => ({}));

let server: FaultServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** Serves a list of objects with so many empty objects each. */
async function serving(...values: readonly number[]): Promise<Kubernetes> {
  server = await startFaultServer(({ query, headers }, response) => {
    const isMetadata = String(headers.accept).includes('PartialObjectMetadata');
    const from = Number(query['continue'] ?? 0);
    const end = Math.min(values.length, from + Number(query['limit']));
    const items = values.slice(from, end).map((count, index) => ({
      metadata: { name: `w${from + index}`, namespace: 'n' },
      ...(isMetadata ? {} : { spec: emptyObjects(count) }),
    }));
    const next = end < values.length ? { continue: String(end) } : {};
    reply(response, 200, { kind: 'WidgetList', metadata: { resourceVersion: '1', ...next }, items });
  });
  return createKubernetes({ credentials: server.credentials('t'), client: 'tester' });
}

function messageOf(answer: Answer<unknown>): string {
  return answer.ok ? 'no failure' : answer.failure.message;
}

describe('a large answer', () => {
  it('is not parsed if it has more than 400,000 values', async () => {
    server = await startFaultServer((_request, response) => reply(response, 200, { spec: emptyObjects(466_000) }));
    const kubernetes = createKubernetes({ credentials: server.credentials('t'), client: 'tester' });
    const answer = await kubernetes.get({ ...widget, namespace: 'n', name: 'w' });
    expect(answer).toMatchObject({ failure: { reason: 'InternalError', tooLarge: true } });
    expect(messageOf(answer)).toContain('more than 400000 JSON values');
  });

  it('leaves the outcome of a write unknown', async () => {
    server = await startFaultServer((_request, response) => reply(response, 200, { spec: emptyObjects(466_000) }));
    const kubernetes = createKubernetes({ credentials: server.credentials('t'), client: 'tester' });
    const answer = await kubernetes.mergePatch({ ...widget, namespace: 'n', name: 'w' }, {});
    expect(answer).toMatchObject({ failure: { reason: 'UnknownOutcome' } });
  });

  it('has an error status without its body', async () => {
    server = await startFaultServer((_request, response) => reply(response, 500, { spec: emptyObjects(466_000) }));
    const kubernetes = createKubernetes({ credentials: server.credentials('t'), client: 'tester' });
    const answer = await kubernetes.get({ ...widget, namespace: 'n', name: 'w' });
    expect(answer).toMatchObject({ failure: { reason: 'InternalError', code: 500 } });
  });
});

describe('a compressed list', () => {
  /** Answers lists with this JSON text, compressed. */
  async function serving(text: string): Promise<Kubernetes> {
    server = await startFaultServer(({ headers }, response) => {
      const isRequested = headers['accept-encoding'] === 'gzip';
      const type = { 'content-type': 'application/json' };
      response.writeHead(200, isRequested ? { ...type, 'content-encoding': 'gzip' } : type);
      response.end(isRequested ? gzipSync(text) : 'not requested');
    });
    return createKubernetes({ credentials: server.credentials('t'), client: 'tester' });
  }

  const item = (note: string) => ({ metadata: { name: 'w', namespace: 'n' }, spec: { note } });
  const listOf = (note: string): string =>
    JSON.stringify({ kind: 'WidgetList', metadata: { resourceVersion: '1' }, items: [item(note)] });

  it('is requested and inflated', async () => {
    const kubernetes = await serving(listOf('a'.repeat(200_000)));
    const answer = await kubernetes.list(widget);
    expect(answer.ok && answer.value.map(({ spec }) => spec)).toEqual([{ note: 'a'.repeat(200_000) }]);
  });

  it('is refused if it is too large after it was inflated', async () => {
    const kubernetes = await serving(listOf('a'.repeat(9 * 1024 * 1024)));
    expect(messageOf(await kubernetes.list(widget))).toContain('the answer is larger than 8388608 bytes');
  });

  it('fails if it is cut off', async () => {
    server = await startFaultServer((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(gzipSync(listOf('a'.repeat(200_000))).subarray(0, 100));
    });
    const kubernetes = createKubernetes({ credentials: server.credentials('t'), client: 'tester' });
    expect(await kubernetes.list(widget)).toMatchObject({ ok: false, failure: { reason: 'Unavailable' } });
  });
});

describe('a list with large objects', () => {
  it('is read in smaller pages', async () => {
    const kubernetes = await serving(...Array.from({ length: 10 }, () => 70_000));
    const answer = await kubernetes.list({ ...widget, limit: 10 });
    expect(answer.ok && answer.value.map(({ metadata }) => metadata.name)).toEqual(
      Array.from({ length: 10 }, (_, index) => `w${index}`),
    );
  });

  it('names an object that alone is too large', async () => {
    const kubernetes = await serving(1, 466_000, 1);
    expect(messageOf(await kubernetes.list(widget))).toContain('Widget n/w1 alone');
  });

  it('fails if all pages together have more than 1,600,000 values, and names the kind and the namespace', async () => {
    const kubernetes = await serving(...Array.from({ length: 10 }, () => 90_000));
    const answer = await kubernetes.list({ ...widget, namespace: 'n', limit: 2 });
    expect(messageOf(answer)).toContain('list of Widget in namespace n: the list is larger than');
    expect(messageOf(await kubernetes.list({ ...widget, limit: 2 }))).toContain(
      'list of Widget: the list is larger than',
    );
    expect(server?.received).toHaveLength(10);
  });
});
