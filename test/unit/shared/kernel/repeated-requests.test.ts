import {
  type Answer,
  type ApiFailure,
  answered,
  type Kubernetes,
  refused,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { repeatingRequests } from '../../../../shared/kernel/repeated-requests.ts';
import { aWidget, widgetCrd, widgetRef } from '../../../support/kernel.ts';
import { createMemoryApi } from '../../../support/memory-api.ts';

const busy: ApiFailure = { reason: 'TooManyRequests', code: 429, message: 'busy' };
const lost: ApiFailure = { reason: 'Unavailable', message: 'connection reset' };
const stopping: ApiFailure = { reason: 'Unavailable', code: 503, message: 'shutting down', retryAfterMs: 1000 };

interface Given {
  readonly deadline?: number;
  readonly random?: number;
  /** The duration of each request. */
  readonly takesMs?: number;
  /** Called at each wait. */
  readonly onWait?: () => void;
}

/** A client whose requests receive these failures in order, then succeed. */
function aWorld(failures: readonly ApiFailure[], { deadline, random = 0, takesMs = 0, onWait }: Given = {}) {
  const { kubernetes, given } = createMemoryApi({ crds: [widgetCrd] });
  given(aWidget());
  const left = [...failures];
  const waits: number[] = [];
  const requests: string[] = [];
  let now = 0;
  const clock = {
    now: () => now,
    async sleep(ms: number) {
      waits.push(ms);
      now += ms;
      onWait?.();
    },
  };
  const failing = <Args extends readonly unknown[], T>(verb: string, ask: (...args: Args) => Promise<Answer<T>>) => {
    return async (...args: Args): Promise<Answer<T>> => {
      requests.push(verb);
      now += takesMs;
      const failure = left.shift();
      return failure === undefined ? ask(...args) : refused<T>(failure);
    };
  };
  const toFailing = (client: Kubernetes): Kubernetes => ({
    ...client,
    get: failing('get', client.get) as Kubernetes['get'], // true: it has the same arguments and the same answer
    list: failing('list', client.list) as Kubernetes['list'], // true: it has the same arguments and the same answer
    metadata: failing('metadata', client.metadata),
    create: failing('create', client.create),
    mergePatch: failing('patch', client.mergePatch),
    jsonPatch: failing('jsonPatch', client.jsonPatch),
    apply: failing('apply', client.apply),
    delete: failing('delete', client.delete),
    within: signal => toFailing(client.within(signal)),
  });
  const abort = new AbortController();
  const options = { clock, signal: abort.signal, deadline, random: () => random };
  return { client: repeatingRequests(toFailing(kubernetes), options), waits, requests, abort };
}

const body = { spec: { n: 1 } };
const every: Readonly<Record<string, (client: Kubernetes) => Promise<Answer<unknown>>>> = {
  get: client => client.get(widgetRef),
  metadata: client => client.metadata(widgetRef),
  list: client => client.list(widgetRef),
  create: client => client.create({ ...widgetRef, metadata: { name: 'w9', namespace: 'ns' } }),
  patch: client => client.mergePatch(widgetRef, body),
  jsonPatch: client => client.jsonPatch(widgetRef, [{ op: 'add', path: '/spec', value: {} }]),
  apply: client => {
    const object = { ...widgetRef, metadata: { name: 'w1', namespace: 'ns' }, ...body };
    return client.apply(object, { fieldManager: 'm', force: true });
  },
  delete: client => client.delete(widgetRef),
};
const reads = ['get', 'metadata', 'list'];

describe.each(Object.entries(every))('%s', (verb, ask) => {
  it('is repeated if the server is too busy', async () => {
    const { client, requests, waits } = aWorld([busy, busy]);
    expect((await ask(client)).ok).toBe(true);
    expect(requests).toEqual([verb, verb, verb]);
    expect(waits).toEqual([250, 1000]);
  });

  it('is repeated if the server shuts down and requests a repetition', async () => {
    const { client, waits } = aWorld([stopping]);
    expect((await ask(client)).ok).toBe(true);
    expect(waits).toEqual([1000]);
  });

  it('is repeated after a lost connection only if it is a read', async () => {
    const { client, requests } = aWorld([lost]);
    expect((await ask(client)).ok).toBe(reads.includes(verb));
    expect(requests).toHaveLength(reads.includes(verb) ? 2 : 1);
  });
});

describe('a request', () => {
  it.each(['NotFound', 'Conflict', 'Forbidden', 'InternalError', 'UnknownOutcome', 'Aborted'] as const)(
    'is not repeated after %s',
    async reason => {
      const { client, requests } = aWorld([{ reason, message: '' }]);
      expect(await client.get(widgetRef)).toEqual(refused({ reason, message: '' }));
      expect(requests).toHaveLength(1);
    },
  );

  it('is not repeated after success', async () => {
    const { client, requests } = aWorld([]);
    expect(await client.get(widgetRef)).toMatchObject(answered<Partial<Unstructured>>({ kind: 'Widget' }));
    expect(requests).toHaveLength(1);
  });

  it('is repeated at most twice, and ends with the last answer', async () => {
    const { client, requests } = aWorld([busy, busy, { ...busy, message: 'still busy' }, busy]);
    expect(await client.get(widgetRef)).toMatchObject({ ok: false, failure: { message: 'still busy' } });
    expect(requests).toHaveLength(3);
  });

  it('waits as long as the server requests, and up to half longer', async () => {
    const { client, waits } = aWorld([{ ...busy, retryAfterMs: 2000 }], { random: 1 });
    await client.get(widgetRef);
    expect(waits).toEqual([3000]);
  });

  it.each([
    { retryAfterMs: 5000, repeated: true },
    { retryAfterMs: 5001, repeated: false },
  ])('that the server delays by $retryAfterMs ms is repeated here: $repeated', async ({ retryAfterMs, repeated }) => {
    const { client } = aWorld([{ ...busy, retryAfterMs }]);
    expect((await client.get(widgetRef)).ok).toBe(repeated);
  });

  it.each([
    { deadline: 2250, repeated: true },
    { deadline: 2249, repeated: false },
  ])('of one second is repeated before a deadline at $deadline ms: $repeated', async ({ deadline, repeated }) => {
    const { client } = aWorld([lost], { deadline, takesMs: 1000 });
    expect((await client.get(widgetRef)).ok).toBe(repeated);
  });

  it('counts the duration of its last try only', async () => {
    // The second try ends at 2250 ms. The third one begins after 1000 ms.
    const { client, requests } = aWorld([lost, lost], { deadline: 4250, takesMs: 1000 });
    expect((await client.get(widgetRef)).ok).toBe(true);
    expect(requests).toHaveLength(3);
  });

  it('is not repeated after the signal has aborted', async () => {
    const world = aWorld([lost], { onWait: () => world.abort.abort() });
    expect(await world.client.get(widgetRef)).toEqual(refused(lost));
    expect(world.requests).toHaveLength(1);
  });

  it('is not repeated after the signal of its narrower client has aborted', async () => {
    const narrower = new AbortController();
    const { client, requests } = aWorld([lost], { onWait: () => narrower.abort() });
    expect(await client.within(narrower.signal).get(widgetRef)).toEqual(refused(lost));
    expect(requests).toHaveLength(1);
  });

  it('shares ten repetitions with all other requests of the client', async () => {
    const { client, requests } = aWorld(Array.from({ length: 100 }, () => busy));
    const { signal } = new AbortController();
    for (const one of [client, client.within(signal), client, client, client, client, client]) {
      await one.get(widgetRef);
    }
    expect(requests).toHaveLength(7 + 10);
  });
});

it('dry runs and watches are those of the client', () => {
  const { kubernetes } = createMemoryApi({ crds: [widgetCrd] });
  const clock = { now: () => 0, sleep: async () => {} };
  const client = repeatingRequests(kubernetes, { clock, signal: new AbortController().signal, random: () => 0 });
  expect(client.dryRun).toBe(kubernetes.dryRun);
  expect(client.watches).toBe(kubernetes.watches);
});
