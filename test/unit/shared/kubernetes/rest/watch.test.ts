// The parsing of watch streams, and every way in which a stream can end.
import type { ServerResponse } from 'node:http';
import type { Watches, WatchQuery } from '@capi-serverless/apimachinery';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createKubernetes } from '../../../../../shared/kubernetes/rest/client.ts';
import { type FaultServer, reply, type Script, startFaultServer } from '../../../../support/fault-server.ts';

const widget = { apiVersion: 'example.com/v1', kind: 'Widget' };
const query: WatchQuery = { ...widget, as: 'object' };
type Element = Watches['watch'] extends (...args: never[]) => AsyncIterable<infer T> ? T : never;

let server: FaultServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function open(script: Script, maxAnswerBytes = 10_000): Promise<Watches> {
  server = await startFaultServer(script);
  const limits = { maxAnswerBytes };
  return createKubernetes({ credentials: server.credentials('t0ken'), client: 'tester', limits }).watches;
}

async function readAll(
  watches: Watches,
  options: { query?: WatchQuery; signal?: AbortSignal } = {},
): Promise<Element[]> {
  const elements: Element[] = [];
  const signal = options.signal ?? new AbortController().signal;
  for await (const element of watches.watch(options.query ?? query, { resourceVersion: '5', signal })) {
    elements.push(element);
  }
  return elements;
}

function anObject(name: string, note = ''): Record<string, unknown> {
  return { ...widget, metadata: { name, resourceVersion: '6' }, spec: { note } };
}

function line(type: string, object: unknown): string {
  return `${JSON.stringify({ type, object })}\n`;
}

/** Writes one chunk per turn of the event loop. */
function writeChunks(response: ServerResponse, chunks: readonly (string | Buffer)[], after: () => void): void {
  const [first, ...rest] = chunks;
  if (first === undefined) {
    after();
  } else {
    response.write(first, () => setImmediate(() => writeChunks(response, rest, after)));
  }
}

describe('a watch', () => {
  it('requests changes after the version, with bookmarks and a time limit', async () => {
    const watches = await open((_request, response) => response.end());
    const labelled = { ...query, as: 'metadata', namespace: 'n', labels: { a: 'b' } } as const;
    expect(await readAll(watches, { query: labelled })).toEqual([]);
    expect(server?.received).toMatchObject([
      {
        method: 'GET',
        path: '/apis/example.com/v1/namespaces/n/widgets',
        query: {
          watch: 'true',
          allowWatchBookmarks: 'true',
          resourceVersion: '5',
          timeoutSeconds: '300',
          labelSelector: 'a=b',
        },
        headers: { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' },
      },
    ]);
  });

  it('joins events that arrive in pieces, and splits those that arrive together', async () => {
    const bytes = Buffer.from(line('ADDED', anObject('a', 'größer ✓')) + line('MODIFIED', anObject('b')));
    const middle = bytes.indexOf(Buffer.from('✓')) + 1;
    const chunks = [
      bytes.subarray(0, 10),
      bytes.subarray(10, middle),
      bytes.subarray(middle),
      '\n',
      line('DELETED', anObject('c')),
    ];
    const watches = await open((_request, response) => writeChunks(response, chunks, () => response.end()));
    expect(await readAll(watches)).toEqual([
      { type: 'ADDED', object: anObject('a', 'größer ✓') },
      { type: 'MODIFIED', object: anObject('b') },
      { type: 'DELETED', object: anObject('c') },
    ]);
  });

  it('reports bookmarks by their version and metadata under the requested kind', async () => {
    const partial = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata: { name: 'a' } };
    const watches = await open((_request, response) =>
      response.end(line('ADDED', partial) + line('BOOKMARK', { ...partial, metadata: { resourceVersion: '99' } })),
    );
    expect(await readAll(watches)).toEqual([
      { type: 'ADDED', object: { ...widget, metadata: { name: 'a' } } },
      { type: 'BOOKMARK', resourceVersion: '99' },
    ]);
  });
});

describe('an event with too many values', () => {
  const metadata = { name: 'wide', resourceVersion: '6' };
  const wide = { ...widget, metadata, spec: { wide: Array.from({ length: 400_001 }, () => 0), size: 1 } };
  const twoEvents: Script = (_request, response) =>
    response.end(line('ADDED', wide) + line('ADDED', anObject('next', 'note')));

  async function openUnlimited(script: Script): Promise<Watches> {
    server = await startFaultServer(script);
    return createKubernetes({ credentials: server.credentials('t0ken'), client: 'tester' }).watches;
  }

  it('has only the metadata of its object, and the next event follows', async () => {
    expect(await readAll(await openUnlimited(twoEvents))).toEqual([
      { type: 'ADDED', object: { ...widget, metadata }, detail: 'metadata' },
      { type: 'ADDED', object: anObject('next', 'note') },
    ]);
  });

  it('has the requested fields if they have fewer', async () => {
    const seen = await readAll(await openUnlimited(twoEvents), { query: { ...query, parts: ['spec.size'] } });
    expect(seen[0]).toEqual({ type: 'ADDED', object: { ...widget, metadata, spec: { size: 1 } } });
  });

  it('ends the watch if its metadata alone has too many', async () => {
    const crowded = { ...metadata, managedFields: wide.spec.wide };
    const watches = await openUnlimited((_request, response) =>
      response.end(line('ADDED', { ...widget, metadata: crowded })),
    );
    expect(await readAll(watches)).toMatchObject([{ type: 'FAILED', failure: { tooLarge: true } }]);
  });
});

describe('the start of a watch', () => {
  it('is retried once with new credentials', async () => {
    server = await startFaultServer((request, response) =>
      request.headers.authorization === 'Bearer new'
        ? response.end(line('ADDED', anObject('a')))
        : reply(response, 401, { kind: 'Status', reason: 'Unauthorized' }),
    );
    const { watches } = createKubernetes({ credentials: server.credentials('old', 'new'), client: 'tester' });
    expect(await readAll(watches)).toMatchObject([{ type: 'ADDED' }]);
  });

  it('is rejected if an empty namespace would change the path', async () => {
    const watches = await open((_request, response) => response.end());
    const seen = await readAll(watches, { query: { ...query, namespace: '' } });
    expect(seen).toMatchObject([{ type: 'FAILED', failure: { reason: 'BadRequest' } }]);
    expect(server?.received).toEqual([]);
  });
});

describe('the end of a watch', () => {
  const gone = { kind: 'Status', reason: 'Expired', code: 410, message: 'too old resource version' };

  it.each<[way: string, script: Script, elements: readonly unknown[]]>([
    [
      'an ERROR event is the last element',
      (_request, response) => response.end(line('ERROR', gone) + line('ADDED', anObject('late'))),
      [{ type: 'FAILED', failure: { reason: 'Gone', code: 410, message: 'too old resource version' } }],
    ],
    [
      'an error as the answer is the only element',
      (_request, response) => reply(response, 410, gone),
      [{ type: 'FAILED', failure: { reason: 'Gone', code: 410 } }],
    ],
    [
      'a connection that breaks is unavailable',
      (_request, response) => writeChunks(response, [line('ADDED', anObject('a'))], () => response.destroy()),
      [{ type: 'ADDED' }, { type: 'FAILED', failure: { reason: 'Unavailable' } }],
    ],
    [
      'a connection that never answers is unavailable',
      (_request, response) => response.destroy(),
      [{ type: 'FAILED', failure: { reason: 'Unavailable' } }],
    ],
    [
      'invalid JSON ends it',
      (_request, response) => response.end('<html>\n'),
      [{ type: 'FAILED', failure: { reason: 'Unparsable' } }],
    ],
    [
      'an invalid event ends it',
      (_request, response) => response.end(line('SURPRISE', anObject('a'))),
      [{ type: 'FAILED', failure: { reason: 'Unparsable' } }],
    ],
    [
      'an event that is too large ends it',
      (_request, response) => response.write(`{"type":"ADDED","object":"${'x'.repeat(20_000)}`),
      [{ type: 'FAILED', failure: { message: expect.stringContaining('larger than 10000 bytes') } }],
    ],
  ])('%s', async (_way, script, elements) => {
    const seen = await readAll(await open(script));
    expect(seen).toMatchObject(elements);
    expect(seen).toHaveLength(elements.length);
  });

  it('through its signal causes no failure, and closes the connection', async () => {
    const controller = new AbortController();
    let closed: Promise<unknown> | undefined;
    const watches = await open((_request, response) => {
      closed = new Promise(resolve => response.once('close', resolve));
      response.writeHead(200);
      response.flushHeaders();
      setImmediate(() => controller.abort());
    });
    expect(await readAll(watches, { signal: controller.signal })).toEqual([]);
    await closed;
  });

  it('comes from the client if the server has not ended the stream 15 s after its time limit', async () => {
    let sendMore = (): unknown => undefined;
    const watches = await open((_request, response) => {
      response.write(line('ADDED', anObject('a')));
      sendMore = () => response.write(line('ADDED', anObject('b')));
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { signal } = new AbortController();
      const stream = watches.watch(query, { resourceVersion: '5', signal, timeoutSeconds: 60 });
      const elements = stream[Symbol.asyncIterator]();
      expect(await elements.next()).toMatchObject({ value: { object: { metadata: { name: 'a' } } } });
      const second = elements.next();
      vi.advanceTimersByTime(74_999);
      sendMore();
      expect(await second).toMatchObject({ value: { object: { metadata: { name: 'b' } } } });
      const third = elements.next();
      vi.advanceTimersByTime(1);
      expect(await third).toEqual({ done: true, value: undefined });
    } finally {
      vi.useRealTimers();
    }
  });

  it('precedes the start when its signal has already aborted', async () => {
    const watches = await open((_request, response) => response.end());
    expect(await readAll(watches, { signal: AbortSignal.abort() })).toEqual([]);
    expect(server?.received).toEqual([]);
  });

  it('through a caller that stops reading closes the connection', async () => {
    let closed: Promise<unknown> | undefined;
    const watches = await open((_request, response) => {
      closed = new Promise(resolve => response.once('close', resolve));
      response.write(line('ADDED', anObject('a')));
    });
    for await (const element of watches.watch(query, { resourceVersion: '5', signal: new AbortController().signal })) {
      expect(element.type).toBe('ADDED');
      break;
    }
    await closed;
  });
});
