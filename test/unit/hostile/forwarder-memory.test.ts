// Clusters of a tenant that take the memory of the watch-forwarder. It has a heap of 96 MB, in a process of its own.
import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startChild } from '../../support/child-program.ts';
import { type Received, startFaultServer } from '../../support/fault-server.ts';

interface StoredCluster {
  readonly name: string;
  readonly namespace: string;
  readonly annotations: string;
  readonly spec: string;
}

const program = fileURLToPath(new URL('./forwarder-program.ts', import.meta.url));
const heapMegabytes = 96;
const mebibyte = 1024 * 1024;

function many(count: number, part: Pick<StoredCluster, 'annotations'> | Pick<StoredCluster, 'spec'>): StoredCluster[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `hostile-${index}`,
    namespace: 'hostile',
    annotations: '{}',
    spec: '{}',
    ...part,
  }));
}

function toBody(
  { name, namespace, annotations, spec }: StoredCluster,
  as: 'metadata' | 'object',
  version = '1',
): string {
  const metadata = `{"name":"${name}","namespace":"${namespace}","uid":"${name}","resourceVersion":"${version}","annotations":${annotations}}`;
  return as === 'metadata' ? `{"metadata":${metadata}}` : `{"metadata":${metadata},"spec":${spec}}`;
}

function honest(name: string): StoredCluster {
  return { name, namespace: 'honest', annotations: '{}', spec: '{}' };
}

/** It is created after the list and after the changes of all others. */
const lateCluster = honest('late');

/** Answers like an API server with these Clusters, and changes each of them once after a list. */
function serve(clusters: readonly StoredCluster[], { path, query, headers }: Received, response: ServerResponse): void {
  const as = String(headers.accept).includes('PartialObjectMetadata') ? 'metadata' : 'object';
  const stored = path.endsWith('/clusters') ? clusters : [];
  response.writeHead(200, { 'content-type': 'application/json' });
  if (query['watch'] !== undefined) {
    const changed = stored.length === 0 ? [] : [...stored, lateCluster];
    const send = (index: number): void => {
      const cluster = changed[index];
      if (cluster !== undefined && !response.destroyed) {
        const line = `{"type":"MODIFIED","object":${toBody(cluster, as, '2')}}\n`;
        response.write(line, () => send(index + 1));
      }
    };
    send(0);
    return;
  }
  const from = Number(query['continue'] ?? 0);
  const page = stored.slice(from, from + Number(query['limit']));
  const end = from + page.length;
  const next = end < stored.length ? `,"continue":"${end}"` : '';
  response.write(`{"metadata":{"resourceVersion":"1"${next}},"items":[`);
  const send = (index: number): void => {
    const cluster = page[index];
    if (cluster === undefined) {
      response.end(']}');
    } else if (!response.destroyed) {
      response.write(`${index === 0 ? '' : ','}${toBody(cluster, as)}`, () => send(index + 1));
    }
  };
  send(0);
}

const filler = 'x'.repeat(1.4 * mebibyte);
const large = { spec: `{"paused":true,"topology":{"variables":[{"name":"v","value":"${filler}"}]}}` };
const wide = { spec: `{"topology":{"variables":[{"name":"v","value":[${'{},'.repeat(465_999)}{}]}]}}` };
const annotated = { annotations: `{"a":"${'x'.repeat(250_000)}"}` };

describe('a watch-forwarder with a heap of 96 MB', () => {
  it.each<[reason: string, hostile: readonly StoredCluster[]]>([
    ['20 Clusters of 1.4 MB', many(20, large)],
    ['60 Clusters of 1.4 MB', many(60, large)],
    ['300 Clusters with annotations of 250 KB', many(300, annotated)],
    ['20 Clusters with a variable of 466,000 empty objects', many(20, wide)],
  ])('forwards all events beside %s', async (_reason, hostile) => {
    const clusters = [...hostile, honest('listed')];
    const server = await startFaultServer((received, response) => serve(clusters, received, response), { tls: false });
    const expected = new Set([...clusters, lateCluster].map(({ namespace, name }) => `cluster ${namespace}/${name}`));
    const child = await startChild({
      program: process.execPath,
      args: [`--max-old-space-size=${heapMegabytes}`, program, server.url],
      isReady: line => expected.delete(line) && expected.size === 0,
      endsWith: 'SIGTERM',
    });
    await child.stop();
    const lists = server.received.filter(
      ({ path, query }) => path.endsWith('/clusters') && query['watch'] === undefined,
    );
    await server.close();
    expect(lists.length).toBeLessThan(2 * clusters.length);
  });
});
