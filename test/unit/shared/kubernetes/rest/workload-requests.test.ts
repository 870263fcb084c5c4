// The clients of workload clusters and servers of tenants, which may answer anything. Evictions on the wire.
import { afterEach, describe, expect, it } from 'vitest';
import { isConnectionDown } from '../../../../../shared/workload/api.ts';
import { reply, type Script } from '../../../../support/fault-server.ts';
import {
  answering,
  closeServers,
  failureOf,
  metadata,
  node,
  nodeRef,
  nodesQuery,
  podRef,
  readFrom,
} from './workload-fixtures.ts';

afterEach(closeServers);

describe('a server that answers anything', () => {
  const endless: Script = (_request, response) => {
    response.writeHead(200);
    const fill = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536))) {
        // The buffer has room.
      }
    };
    response.on('drain', fill);
    fill();
  };

  it.each<[reason: string, script: Script, failure: object]>([
    ['an endless body', endless, { reason: 'InternalError', message: expect.stringContaining('larger than') }],
    ['no JSON', (_request, response) => response.end('<html>'), { reason: 'InternalError', code: 200 }],
    ['another kind', answering({ ...node, kind: 'Pod' }), { reason: 'Unparsable' }],
    ['no object', answering([1]), { reason: 'Unparsable' }],
    ['a redirect', (_q, r) => r.writeHead(302, { location: 'http://169.254.169.254' }).end(), { code: 302 }],
    ['an error', answering({ kind: 'Status', message: 'x'.repeat(100_000) }, 500), { reason: 'InternalError' }],
    ['unavailable', answering({ kind: 'Status', message: 'starting' }, 503), { reason: 'Unavailable', code: 503 }],
  ])('fails the read, and is not down: %s', async (_reason, script, expected) => {
    const { reads, server } = await readFrom(script, { limits: { maxAnswerBytes: 1024 * 1024 } });
    const failure = failureOf(await reads.get(nodeRef));
    expect(failure).toMatchObject(expected);
    expect(failure.message.length).toBeLessThan(5_000);
    expect(isConnectionDown(failure)).toBe(false);
    await reads.get(nodeRef);
    expect(server.received).toHaveLength(2);
  });

  it('has only the kinds that are complete, with plurals that are a part of a path', async () => {
    const pods = { name: 'pods', kind: 'Pod', namespaced: true };
    const broken = [
      { ...pods, name: 'pods/status' },
      { ...pods, name: '../x' },
      { ...pods, name: '..' },
      { name: 'a' },
      'x',
    ];
    const { reads } = await readFrom(
      answering({ kind: 'APIResourceList', groupVersion: 'v1', resources: [...broken, pods] }),
    );
    expect(await reads.resources('v1')).toEqual({
      ok: true,
      value: [{ kind: 'Pod', plural: 'pods', isNamespaced: true }],
    });
  });

  it('fails the request for its kinds', async () => {
    const { reads } = await readFrom(answering({ kind: 'Status', message: 'no' }, 403));
    expect(failureOf(await reads.resources('v1')).reason).toBe('Forbidden');
  });

  it.each<[reason: string, body: unknown]>([
    ['an object instead of a list', node],
    ['a list of another kind', { kind: 'PodList', metadata: { resourceVersion: '1' }, items: [] }],
    ['Nodes without names', { kind: 'NodeList', metadata: { resourceVersion: '1' }, items: [{ metadata: {} }] }],
  ])('fails lists and scans: %s', async (_reason, body) => {
    const { reads } = await readFrom(answering(body));
    expect(failureOf(await reads.list(nodesQuery)).reason).toBe('Unparsable');
    expect(failureOf(await reads.nodes()).reason).toBe('Unparsable');
  });

  it('bounds a list over all its pages', async () => {
    const annotations = { filler: 'x'.repeat(4 * 1024 * 1024) };
    const items = [{ metadata: { ...metadata, annotations } }];
    const list = { kind: 'NodeList', metadata: { resourceVersion: '1', continue: 'next' }, items };
    const { reads, server } = await readFrom(answering(list));
    const failure = failureOf(await reads.list(nodesQuery, () => undefined));
    expect(failure).toMatchObject({ reason: 'InternalError', message: expect.stringContaining('the list is larger') });
    expect(server.received).toHaveLength(16);
  });

  it('is not asked for longer than the retry of a Machine takes', async () => {
    const { writes } = await readFrom((_request, response) =>
      reply(response, 429, { kind: 'Status', message: 'later' }, { 'retry-after': '999999' }),
    );
    expect(failureOf(await writes.evict(podRef, { uid: 'u' }))).toMatchObject({ code: 429, retryAfterMs: 60_000 });
  });
});

describe('a list of a workload cluster', () => {
  const largeNodes =
    (count: number, labels: Readonly<Record<string, string>>): Script =>
    ({ query }, response) => {
      const from = Number(query['continue'] ?? 0);
      const end = Math.min(count, from + Number(query['limit']));
      const items = Array.from({ length: end - from }, (_, at) => ({
        metadata: { ...metadata, name: `n${from + at}`, labels },
      }));
      const next = end < count ? { continue: String(end) } : {};
      reply(response, 200, { ...nodesQuery, kind: 'NodeList', metadata: { resourceVersion: '1', ...next }, items });
    };

  it.each([
    { reason: 'bytes', script: largeNodes(90, { a: 'x'.repeat(100_000) }) },
    {
      reason: 'values',
      script: largeNodes(40, Object.fromEntries(Array.from({ length: 8_000 }, (_, at) => [`l${at}`, '']))),
    },
  ])('is limited in the $reason that its reader keeps', async ({ script }) => {
    const { reads } = await readFrom(script);
    expect(failureOf(await reads.list(nodesQuery)).message).toBe(
      'list of Node: what is used of it is larger than 8388608 bytes or 300000 JSON values',
    );
    const names = await reads.list(nodesQuery, raw => (raw as typeof node).metadata.name);
    expect(names.ok && names.value.at(-1)).toMatch(/^n[38]9$/);
    const none = await reads.list(nodesQuery, () => undefined);
    expect(none.ok && none.value.length).toBeGreaterThanOrEqual(40);
  });

  it('ends with the first object that its reader refuses', async () => {
    const { reads, server } = await readFrom(largeNodes(10, {}));
    const refusing = (): never => {
      throw new Error('not a Node');
    };
    expect(failureOf(await reads.list({ ...nodesQuery, limit: 5 }, refusing))).toMatchObject({
      reason: 'Unparsable',
      message: 'Node n0: not a Node',
    });
    expect(server.received).toHaveLength(1);
  });
});

describe('an eviction', () => {
  it.each([
    ['the grace period of the Pod', {}],
    ['another grace period', { gracePeriodSeconds: 1 }],
  ])('is posted with the uid and %s', async (_reason, grace) => {
    const { writes, server } = await readFrom(answering({ kind: 'Status', status: 'Success' }, 201));
    expect(await writes.evict(podRef, { uid: 'u1', ...grace })).toEqual({ ok: true, value: undefined });
    const [received] = server.received;
    expect(received).toMatchObject({ method: 'POST', path: '/api/v1/namespaces/app/pods/p1/eviction', query: {} });
    expect(JSON.parse(received?.body ?? '')).toEqual({
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: 'p1', namespace: 'app' },
      deleteOptions: { preconditions: { uid: 'u1' }, ...grace },
    });
  });

  it('that a budget refuses is sent once, and its causes are kept', async () => {
    const cause = { reason: 'DisruptionBudget', message: 'The disruption budget b needs 1 healthy pods' };
    const message = "Cannot evict pod as it would violate the pod's disruption budget.";
    const details = { retryAfterSeconds: 10, causes: [cause], name: 'p1', kind: 'pods' };
    const status = { kind: 'Status', reason: 'TooManyRequests', code: 429, message, details };
    const { writes, server } = await readFrom(answering(status, 429));
    expect(failureOf(await writes.evict(podRef, { uid: 'u1' }))).toEqual({
      reason: 'TooManyRequests',
      code: 429,
      message,
      retryAfterMs: 10_000,
      causes: [cause.message],
      details: { kind: 'pods', group: '', causes: [{ type: 'DisruptionBudget', field: '', message: cause.message }] },
    });
    expect(server.received).toHaveLength(1);
  });
});
