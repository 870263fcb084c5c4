// Three Clusters with hostile workload API servers, and one more, whose reads take place at the same time in a process
// with the memory of a function.
import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { isFull } from '../../support/extent.ts';
import { reply, type Script } from '../../support/fault-server.ts';
import { listHead, sendLong } from '../../support/hostile-workload.ts';
import { heapMegabytes, runWithSmallHeap } from '../../support/small-heap.ts';

const program = fileURLToPath(new URL('./workload-program.ts', import.meta.url));
const mostMebibytes = 512;
const mebibyte = 1024 * 1024;
const blockBytes = 64 * 1024;
const hostile = ['h0', 'h1', 'h2'];

const nodeHead =
  '{"apiVersion":"v1","kind":"Node","metadata":{"name":"n","uid":"u","resourceVersion":"1"},"spec":{"taints":[';

type Answer = (kind: 'Node' | 'Pod', response: ServerResponse) => void;

const lists: Answer = (kind, response) =>
  sendLong(response, { head: listHead(kind), part: '{},', end: '{}]}', bytes: 31 * mebibyte });
const readableLists: Answer = (kind, response) =>
  sendLong(response, { head: listHead(kind), part: '{},', end: '{}]}', bytes: 7 * mebibyte });
const fieldsOfLists: Answer = (kind, response) =>
  sendLong(response, { head: listHead(kind), part: '{"kind":1},', end: '{}]}', bytes: 7 * mebibyte });

/** Answers the reads of one hostile cluster. `node` has so many bytes of empty objects. */
function serve(list: Answer, nodeBytes: number): Script {
  return ({ path }, response) => {
    const [, name = '', rest = ''] = /^\/(\w+)(\/.*)$/.exec(path) ?? [];
    const isHostile = hostile.includes(name);
    if (/^\/api\/v1\/nodes\//.test(rest)) {
      const end = '{}]},"status":{"nodeInfo":{"kubeletVersion":"v1"}}}';
      sendLong(response, { head: nodeHead, part: '{},', end, bytes: isHostile ? nodeBytes : 0 });
    } else if (rest === '/api/v1') {
      reply(response, 200, { kind: 'APIResourceList', groupVersion: 'v1', resources: [] });
    } else if (isHostile) {
      list(rest.endsWith('nodes') ? 'Node' : 'Pod', response);
    } else {
      const kind = rest.endsWith('nodes') ? 'NodeList' : 'PodList';
      reply(response, 200, { kind, metadata: { resourceVersion: '1' }, items: [] });
    }
  };
}

type Input = readonly [reason: string, list: Answer, nodeBytes: number];

const inputs: readonly Input[] = [
  ['lists of 31 MiB of empty objects', lists, 0],
  ['lists of 7 MiB of empty objects', readableLists, 0],
  ['lists of 7 MiB of one field each', fieldsOfLists, 0],
  ['8 Nodes of 4 MiB', lists, 3.9 * mebibyte],
  ['8 Nodes of as many values as an answer may have', lists, 9 * blockBytes],
];
/** Each takes some seconds. In `npm test`, the one that took the most memory. */
const measured = inputs.filter((_, at) => isFull || at === 1);

it.each(measured)(
  `three Clusters with %s do not end a process with a heap of ${heapMegabytes} MB`,
  async (_, list, nodeBytes) => {
    const lines = await runWithSmallHeap({ program, serve: serve(list, nodeBytes), names: [...hostile, 'good'] });
    const reads = Array.from({ length: 8 }, () => 'read');
    expect(Number(lines.get('peak'))).toBeLessThan(mostMebibytes);
    expect(lines.get('good')).toBe(['read read read read', ...reads, reads.join(',')].join(' '));
    // Of a Node, the kubelet version only is parsed.
    expect(hostile.map(name => lines.get(name)?.split(' ').at(-1))).toEqual(hostile.map(() => reads.join(',')));
  },
);
