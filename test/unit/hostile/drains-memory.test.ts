// Ten Machines of one batch whose workload API servers answer lists of 64 MiB. The process has the memory of a function.
// The other Machines of the batch are drained.
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { reply, type Script } from '../../support/fault-server.ts';
import { heapMegabytes, runWithSmallHeap } from '../../support/small-heap.ts';
import { aCordonedNode, aPodList } from './drained-machine.ts';

const program = fileURLToPath(new URL('./drains-program.ts', import.meta.url));
const mebibyte = 1024 * 1024;
const listBytes = 64 * mebibyte;
const pageBytes = 6 * mebibyte;

const hostile = Array.from({ length: 10 }, (_, at) => `h${at}`);
const harmless = ['m0', 'm1'];

interface HostilePods {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const largeAnnotation: HostilePods = { labels: {}, annotations: { a: 'x'.repeat(250_000) } };
const manyLabels: HostilePods = {
  labels: Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`label-${at}`, ''])),
  annotations: {},
};

/** Skipped Pods. Every second Node has Pods with large annotations, the others have Pods with many labels. */
function podsOf(name: string) {
  const pods = hostile.indexOf(name) % 2 === 0 ? largeAnnotation : manyLabels;
  const metadata = { namespace: 'app', resourceVersion: '1', annotations: pods.annotations };
  const labels = { ...pods.labels, 'cluster.x-k8s.io/drain': 'skip' };
  const aPod = (at: number) => ({ metadata: { ...metadata, name: `p${at}`, uid: `uid-p${at}`, labels }, status: {} });
  const podBytes = JSON.stringify(aPod(0)).length;
  return { aPod, toCount: (bytes: number): number => Math.ceil(bytes / podBytes) };
}

/** No page is larger than what the client reads. */
const serve: Script = ({ path, query }, response) => {
  const [, name = '', rest = ''] = /^\/(\w+)(\/.*)$/.exec(path) ?? [];
  if (rest === `/api/v1/nodes/${name}`) {
    reply(response, 200, aCordonedNode(name));
  } else if (rest === '/api/v1/pods') {
    const { aPod, toCount } = podsOf(name);
    const total = hostile.includes(name) ? toCount(listBytes) : 0;
    const from = Number(query['continue'] ?? 0);
    const end = Math.min(total, from + Number(query['limit']), from + toCount(pageBytes));
    const page = Array.from({ length: end - from }, (_, at) => aPod(from + at));
    reply(response, 200, aPodList(page, end < total ? { continue: String(end) } : {}));
  } else {
    reply(response, 404, { kind: 'Status', apiVersion: 'v1', code: 404, reason: 'NotFound', message: 'not found' });
  }
};

it(`a batch drains the others, beside ten lists of 64 MiB, with a heap of ${heapMegabytes} MB`, async () => {
  const names = [...hostile, ...harmless];
  const lines = await runWithSmallHeap({ program, serve, names });
  expect(names.map(name => lines.get(name))).toEqual([
    ...hostile.map(() => 'DrainingNode'),
    ...harmless.map(() => 'WaitingForInfrastructureDeletion'),
  ]);
});
