// Answers of an API server that would take too much memory.
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
