// Batches with messages whose process died.
import { type Result, RetryableError, TerminalError, workOfPass } from '@capi-serverless/reconciler';
import { beforeEach, describe, expect, it } from 'vitest';
import { connectAndReconcile, reconcileBatch } from '../../../../shared/kernel/batch.ts';
import type { IncomingMessage } from '../../../../shared/kernel/coalesce.ts';
import { parseRequest, type Request, toBody } from '../../../../shared/workqueue/message.ts';
import { aBatchContext } from '../../../support/batch-context.ts';
import { aReconciler, aWidget, type SeenWidget, widgetCrd } from '../../../support/kernel.ts';
import { createMemoryApi, type MemoryApi } from '../../../support/memory-api.ts';

const timeoutMs = 60_000;

/** How a batch ends for each object, in order. */
let seen: string[];
let api: MemoryApi;
let sent: (Request & { readonly queue: string })[];
let deletes: () => Promise<void>;

beforeEach(() => {
  seen = [];
  sent = [];
  deletes = async () => undefined;
  api = createMemoryApi({ crds: [widgetCrd] });
  api.given(...['w1', 'w2', 'w3'].map(name => aWidget({ metadata: { name } })));
});

interface Given {
  readonly deliveries?: number;
  /** The time since the first delivery. Default: as long as the earlier deliveries took if each process died. */
  readonly seconds?: number;
  readonly request?: Partial<Request>;
}

function aMessage(name: string, { deliveries = 1, seconds = 45 * (deliveries - 1), request = {} }: Given = {}) {
  const key = { managementCluster: 'mc', group: 'conformance.example.com', kind: 'Widget', namespace: 'ns', name };
  return {
    messageId: `of-${name}`,
    receiptHandle: `handle-${name}`,
    body: toBody({ v: 1, reconciler: 'widget', key, cause: 'event', attempt: 0, trace: 't', ...request }),
    receiveCount: deliveries,
    firstReceivedAtMs: api.clock.now() - seconds * 1000,
  };
}

function aContext(result: (name: string) => Result | Promise<Result> = () => ({ kind: 'done' })) {
  const ids = { next: 0 };
  return {
    ...aBatchContext(api),
    ports: {},
    deadline: api.clock.now() + timeoutMs,
    newId: () => {
      ids.next += 1;
      return `id-${ids.next}`;
    },
    queues: {
      send: async (queue: string, messages: readonly { readonly body: string }[]) => {
        sent.push(...messages.map(({ body }) => ({ queue, ...parseRequest(body) })));
        return messages.map(() => ({ ok: true }) as const);
      },
      delete: async (queue: string, handles: readonly string[]) => {
        seen.push(`deletes ${handles.join(' ')} of ${queue}`);
        await deletes();
      },
    },
    reconciler: aReconciler({
      observe: async (primary, _ask, pass) => {
        seen.push(`reconciles ${primary.metadata.name}`);
        return { primary, pass: pass.number };
      },
      report: ({ primary }) => ({ events: [], result: result(primary.metadata.name) as Result }),
    }),
  };
}

type Context = Parameters<typeof reconcileBatch<object, SeenWidget>>[0];

const run = (messages: readonly IncomingMessage[], context: Context = aContext()) => reconcileBatch(context, messages);

async function events(): Promise<readonly unknown[]> {
  const answer = await api.others.list({ apiVersion: 'v1', kind: 'Event' });
  return answer.ok ? answer.value.map(event => [event['reason'], event['involvedObject']]) : [answer.failure];
}

describe('a message whose process died', () => {
  it('is served after the others of its batch, which are acknowledged before', async () => {
    const messages = [aMessage('w1', { deliveries: 2 }), aMessage('w2'), aMessage('w3')];
    expect(await run(messages)).toEqual([]);
    expect(seen).toEqual([
      'reconciles w2',
      'reconciles w3',
      'deletes handle-w2 handle-w3 of work-widget.fifo',
      'reconciles w1',
    ]);
    expect(sent).toEqual([]);
  });

  it('is served at once if it is alone', async () => {
    expect(await run([aMessage('w1', { deliveries: 2 })])).toEqual([]);
    expect(seen).toEqual(['reconciles w1']);
  });

  it('is served after the others also where the time has no limit', async () => {
    const { deadline: _, ...unlimited } = aContext();
    expect(await run([aMessage('w1', { deliveries: 2 }), aMessage('w2')], unlimited)).toEqual([]);
    expect(seen.at(-1)).toBe('reconciles w1');
  });

  it('is the only one of its kind that is served. The others are sent again, as trials', async () => {
    const messages = ['w1', 'w2', 'w3'].map(name => aMessage(name, { deliveries: 2, request: { attempt: 4, due: 7 } }));
    expect(await run(messages)).toEqual([]);
    expect(seen).toEqual(['deletes handle-w2 handle-w3 of work-widget.fifo', 'reconciles w1']);
    expect(sent).toMatchObject([
      { queue: 'work-widget.fifo', key: { name: 'w2' }, trial: 'half', attempt: 4, due: 7, cause: 'again' },
      { queue: 'work-widget.fifo', key: { name: 'w3' }, trial: 'half', attempt: 4, due: 7, cause: 'again' },
    ]);
  });

  it('is sent again if the others cannot be acknowledged', async () => {
    deletes = () => Promise.reject(new Error('refused'));
    expect(await run([aMessage('w1', { deliveries: 2 }), aMessage('w2')])).toEqual([]);
    expect(seen).toEqual(['reconciles w2', 'deletes handle-w2 of work-widget.fifo']);
    expect(sent).toMatchObject([{ queue: 'work-widget.fifo', key: { name: 'w1' }, trial: 'half' }]);
  });

  it('is sent again if another message has no receipt handle', async () => {
    const { receiptHandle: _, ...other } = aMessage('w2');
    expect(await run([aMessage('w1', { deliveries: 2 }), other])).toEqual([]);
    expect(sent).toMatchObject([{ key: { name: 'w1' }, trial: 'half' }]);
  });

  it('is sent again if the others took more than half of the time', async () => {
    const context = aContext();
    const slow = {
      ...context.reconciler,
      observe: async (...[primary, , pass]: Parameters<typeof context.reconciler.observe>) => {
        await api.clock.advance(timeoutMs / 2 + 1);
        return { primary, pass: pass.number };
      },
    };
    expect(await run([aMessage('w1', { deliveries: 2 }), aMessage('w2')], { ...context, reconciler: slow })).toEqual(
      [],
    );
    expect(sent).toMatchObject([{ key: { name: 'w1' }, trial: 'half' }]);
  });

  it.each([
    { seconds: 10, reason: 'the function gave it back' },
    { seconds: 400, reason: 'the function was throttled' },
  ])('is not assumed where $reason', async ({ seconds }) => {
    await run([aMessage('w1', { deliveries: 2, seconds }), aMessage('w2')]);
    expect(seen).toEqual(['reconciles w1', 'reconciles w2']);
  });
});

describe('a trial', () => {
  const halfOfWork = workOfPass.units / 2;

  function spending(units: number) {
    const context = aContext();
    return {
      ...context,
      reconciler: {
        ...context.reconciler,
        observe: async (...[primary, , pass]: Parameters<typeof context.reconciler.observe>) => {
          pass.meter?.charge(units);
          return { primary, pass: pass.number };
        },
      },
    };
  }

  it.each([
    { units: halfOfWork, tries: [], reason: 'half of the work suffices' },
    { units: halfOfWork + 1, tries: ['full'], reason: 'it needs more' },
  ])('has half of the work: $reason', async ({ units, tries }) => {
    expect(await run([aMessage('w1', { deliveries: 2 })], spending(units))).toEqual([]);
    expect(sent.map(({ trial }) => trial)).toEqual(tries);
  });

  it('has all of the work if half of it was too little', async () => {
    expect(await run([aMessage('w1', { request: { trial: 'full' } })], spending(halfOfWork + 1))).toEqual([]);
    expect(sent).toEqual([]);
  });

  it.each([
    { error: new RetryableError('later'), terminal: false },
    { error: new TerminalError('never'), terminal: true },
  ])('that fails is followed by one with all limits: $error.message', async ({ error, terminal }) => {
    const failing = aContext(() => ({ kind: 'failed', error, terminal }));
    expect(await run([aMessage('w1', { deliveries: 2 })], failing)).toEqual([]);
    expect(sent).toMatchObject([{ queue: 'delay', cause: 'timer', attempt: 1, trial: 'full' }]);
  });

  it.each([
    { error: new RetryableError('later'), terminal: false, followUps: [{ queue: 'delay', attempt: 1 }] },
    { error: new TerminalError('never'), terminal: true, followUps: [] },
  ])('with all limits is followed as usual: $error.message', async ({ error, terminal, followUps }) => {
    const failing = aContext(() => ({ kind: 'failed', error, terminal }));
    expect(await run([aMessage('w1', { request: { trial: 'full' } })], failing)).toEqual([]);
    expect(sent).toMatchObject(followUps);
    expect(sent.flatMap(({ trial }) => trial ?? [])).toEqual([]);
  });

  it('stays one while the management cluster cannot be reached', async () => {
    const messages = [
      aMessage('w1', { deliveries: 2 }),
      aMessage('w2', { request: { trial: 'full' } }),
      aMessage('w3'),
    ];
    const connect = () => Promise.reject(new Error('down'));
    expect(await connectAndReconcile(aContext(), connect, messages)).toEqual([]);
    expect(sent.map(({ key, trial }) => [key.name, trial])).toEqual([
      ['w1', 'half'],
      ['w2', 'full'],
      ['w3', undefined],
    ]);
  });
});

describe('an object whose reconciles ended two processes', () => {
  it.each([
    { given: { deliveries: 3 }, reason: 'of one message' },
    { given: { deliveries: 2, request: { trial: 'half' } }, reason: 'the second was a trial' },
    { given: { deliveries: 2, request: { trial: 'full' } }, reason: 'the second was a trial with all limits' },
  ] as const)('gets an Event and a timer of at least half an hour: $reason', async ({ given }) => {
    expect(await run([aMessage('w1', given), aMessage('w2')])).toEqual([]);
    expect(seen).toEqual(['reconciles w2']);
    expect(await events()).toEqual([['ReconcileExhausted', expect.objectContaining({ kind: 'Widget', name: 'w1' })]]);
    expect(sent).toMatchObject([{ queue: 'delay', cause: 'timer', attempt: 1, trial: 'half' }]);
    const minutes = ((sent[0]?.due ?? 0) - api.clock.now()) / 60_000;
    expect(minutes).toBeGreaterThanOrEqual(30);
    expect(minutes).toBeLessThan(68);
  });

  it('gets the timer also if it cannot be read now', async () => {
    api.calls.fail({ at: ({ verb }) => verb === 'metadata', failure: { reason: 'InternalError', message: 'down' } });
    expect(await run([aMessage('w1', { deliveries: 3 })])).toEqual([]);
    expect([await events(), sent]).toMatchObject([[], [{ queue: 'delay', trial: 'half' }]]);
  });

  it('needs no timer if it is gone', async () => {
    expect(await run([aMessage('w9', { deliveries: 3 })])).toEqual([]);
    expect([await events(), sent]).toEqual([[], []]);
  });
});

it('sends a message again before its next delivery would be a dead letter', async () => {
  const given = { deliveries: 5, seconds: 2_000 };
  expect(await run([aMessage('w1', given), aMessage('w2', { ...given, request: { trial: 'full' } })])).toEqual([]);
  expect(seen).toEqual([]);
  expect(sent.map(({ queue, key, trial }) => [queue, key.name, trial])).toEqual([
    ['work-widget.fifo', 'w1', undefined],
    ['work-widget.fifo', 'w2', 'full'],
  ]);
});
