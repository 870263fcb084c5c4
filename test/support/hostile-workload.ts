// API servers of workload clusters, harmless ones and ones that send as much as a client receives.
import type { ServerResponse } from 'node:http';
import { reply, type Script } from './fault-server.ts';

const mebibyte = 1024 * 1024;
const blockBytes = 64 * 1024;

interface LongText {
  readonly head: string;
  readonly part: string;
  readonly end: string;
  readonly bytes: number;
}

/** Sends `head`, about so many bytes of `part`, and `end`. This process keeps one block of it. */
export function sendLong(response: ServerResponse, { head, part, end, bytes }: LongText): void {
  const block = part.repeat(Math.ceil(blockBytes / part.length));
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write(head);
  const send = (left: number): void => {
    if (left <= 0) {
      response.end(end);
    } else if (!response.destroyed) {
      response.write(block, () => send(left - block.length));
    }
  };
  send(bytes);
}

export const listHead = (kind: string): string => `{"kind":"${kind}List","metadata":{"resourceVersion":"1"},"items":[`;

const metadata = (name: string, more = ''): string =>
  `"metadata":{"name":"${name}","namespace":"app","uid":"uid-${name}","resourceVersion":"1"${more}}`;

/** A Node with about as many values as one object may have. */
function sendNode(response: ServerResponse, name: string, isHostile: boolean): void {
  const head = `{"kind":"Node","apiVersion":"v1",${metadata(name)},"spec":{"providerID":"static://${name}","unschedulable":true},"status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"}],"images":[`;
  sendLong(response, { head, part: '{},', end: '{}]}}', bytes: isHostile ? 2 * blockBytes : 0 });
}

/** Pages of 4 MiB and 280,000 values. A Pod has 5,000 labels. */
function sendPods(response: ServerResponse, page: number): void {
  const labels = Array.from({ length: 5_000 }, (_, at) => `"label-${at}":""`).join(',');
  const pod = `{${metadata('p', `,"labels":{"cluster.x-k8s.io/drain":"skip",${labels}}`)},"status":{}}`;
  const next = page < 10 ? `,"continue":"${page + 1}"` : '';
  const head = `{"kind":"PodList","metadata":{"resourceVersion":"1"${next}},"items":[`;
  sendLong(response, { head, part: `${pod},`, end: `${pod}]}`, bytes: 4 * mebibyte });
}

/**
 * Answers the requests of the cluster that the path begins with: `/<name>/…`. A name that ends with `-h` is that of a
 * hostile one.
 */
export const serveWorkloads: Script = ({ path, method, query, body }, response) => {
  const [, name = '', rest = ''] = /^\/([\w-]+)(\/.*)$/.exec(path) ?? [];
  const isHostile = name.endsWith('-h');
  const [, node] = /^\/api\/v1\/nodes\/([^/]+)$/.exec(rest) ?? [];
  if (node !== undefined) {
    sendNode(response, node, isHostile);
  } else if (method !== 'GET') {
    reply(response, 201, body === '' ? {} : JSON.parse(body));
  } else if (rest === '/api/v1/pods' && isHostile) {
    sendPods(response, Number(query['continue'] ?? 0));
  } else if (rest === '/api/v1/nodes' && isHostile) {
    sendLong(response, { head: listHead('Node'), part: '{},', end: '{}]}', bytes: 7 * mebibyte });
  } else if (rest === '/api/v1/pods' || rest === '/api/v1/nodes') {
    const kind = rest.endsWith('pods') ? 'PodList' : 'NodeList';
    reply(response, 200, { kind, apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] });
  } else if (rest === '/api/v1') {
    const resources = [{ name: 'configmaps', kind: 'ConfigMap', namespaced: true }];
    reply(response, 200, { kind: 'APIResourceList', groupVersion: 'v1', resources });
  } else if (isHostile) {
    sendLong(response, { head: '{"a":[', part: '{},', end: '{}]}', bytes: 31 * mebibyte });
  } else {
    reply(response, rest === '/' ? 200 : 404, { kind: 'Status', apiVersion: 'v1', code: 404, reason: 'NotFound' });
  }
};
