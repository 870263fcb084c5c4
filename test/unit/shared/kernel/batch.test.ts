import { toRef } from '@capi-serverless/apimachinery';
import { type Result, RetryableError } from '@capi-serverless/reconciler';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type ReconcileFact, reconciles } from '../../../../shared/diagnostics/channels.ts';
import {
  type BatchContext,
  type Connected,
  connectAndReconcile,
  reconcileBatch,
} from '../../../../shared/kernel/batch.ts';
import { createMetricsRegistry, type MetricsRegistry } from '../../../../shared/telemetry/metrics-registry.ts';
import { parseRequest, type Request, toBody } from '../../../../shared/workqueue/message.ts';
import type { OutgoingMessage, QueueReceiver, QueueSender } from '../../../../shared/workqueue/port.ts';
import { aReconciler, aRecordingLog, aWidget, type SeenWidget, widgetCrd } from '../../../support/kernel.ts';
import { createMemoryApi, type MemoryApi } from '../../../support/memory-api.ts';

let api: MemoryApi;
let metrics: MetricsRegistry;
let sent: { queue: string; message: OutgoingMessage }[];
let queueFails: boolean;

const queues: QueueSender & Pick<QueueReceiver, 'delete'> = {
  delete: async () => undefined,
  send: async (queue, messages) => {
    if (queueFails) {
      return messages.map(() => ({ ok: false, error: new Error('queue is down') }));
    }
    sent.push(...messages.map(message => ({ queue, message })));
    return messages.map(() => ({ ok: true }));
  },
};

beforeEach(() => {
  api = createMemoryApi({ crds: [widgetCrd] });
  metrics = createMetricsRegistry();
  sent = [];
  queueFails = false;
  api.given(aWidget(), aWidget({ metadata: { name: 'w2' } }));
});

function aMessage(messageId: string, name = 'w1', change: Partial<Request> = {}) {
  const key = { managementCluster: 'mc-1', group: 'conformance.example.com', kind: 'Widget', namespace: 'ns', name };
  return {
    messageId,
    body: toBody({ v: 1, reconciler: 'widget', key, cause: 'event', attempt: 0, trace: 't', ...change }),
  };
}

function context(report: (seen: SeenWidget) => Result): BatchContext<object, SeenWidget> & Connected {
  return {
    reconciler: aReconciler({ report: seen => ({ events: [], result: report(seen) }) }),
    kubernetes: api.kubernetes,
    ports: {},
    clock: api.clock,
    signal: new AbortController().signal,
    log: aRecordingLog(),
    watchFilter: '',
    managementCluster: 'mc-1',
    queues,
    metrics,
    newId: () => 'fixed',
    fullResyncPeriodMs: 600_000,
  };
}

const counted = (name: string) =>
  metrics
    .snapshot()
    .filter(value => value.name === name)
    .map(({ labels, count }) => [labels, count]);

it('reconciles each object once, even if several messages name it', async () => {
  const names: string[] = [];
  const failed = await reconcileBatch(
    context(({ primary }) => {
      names.push(primary.metadata.name);
      return { kind: 'done' };
    }),
    [aMessage('m1'), aMessage('m2', 'w2'), aMessage('m3')],
  );
  expect(names.sort()).toEqual(['w1', 'w2']);
  expect([failed, sent]).toEqual([[], []]);
});

it('acknowledges a failed reconcile and retries it later with a higher attempt', async () => {
  const failed = await reconcileBatch(
    context(() => ({ kind: 'failed', error: new RetryableError('later'), terminal: false })),
    [aMessage('m1', 'w1', { attempt: 2 })],
  );
  expect(failed).toEqual([]);
  expect(sent.map(({ queue, message }) => [queue, parseRequest(message.body).attempt])).toEqual([['delay', 3]]);
});

it('keeps every message of a key whose follow-up the queue refused, and only those', async () => {
  queueFails = true;
  const log = aRecordingLog();
  const base = context(({ primary }) =>
    primary.metadata.name === 'w1' ? { kind: 'requeueAfter', ms: 5_000 } : { kind: 'done' },
  );
  const failed = await reconcileBatch({ ...base, log }, [aMessage('m1'), aMessage('m2', 'w2'), aMessage('m3')]);
  expect(failed).toEqual(['m1', 'm3']);
  expect(counted('capi_serverless_failed_follow_ups_total')).toEqual([[{ controller: 'widget' }, 1]]);
  expect(log.lines.filter(({ level }) => level === 'error')).toMatchObject([
    { message: 'Sending the follow-up failed', error: 'queue is down', queue: 'delay', name: 'w1' },
  ]);
});

it('keeps the messages if the queue returns no result for the follow-up', async () => {
  const silent = { ...context(() => ({ kind: 'again' })), queues: { ...queues, send: async () => [] } };
  expect(await reconcileBatch(silent, [aMessage('m1')])).toEqual(['m1']);
});

it('refuses a message of another management cluster, counts it and serves the rest', async () => {
  const foreign = aMessage('m1', 'w1', {
    key: { managementCluster: 'mc-2', group: 'conformance.example.com', kind: 'Widget', namespace: 'ns', name: 'w1' },
  });
  const log = aRecordingLog();
  expect(await reconcileBatch({ ...context(() => ({ kind: 'done' })), log }, [foreign, aMessage('m2', 'w2')])).toEqual([
    'm1',
  ]);
  expect(log.lines[0]).toEqual({
    level: 'error',
    message: 'Refusing a message',
    error: 'Message is for management cluster mc-2, this function serves mc-1',
    messageId: 'm1',
    reason: 'foreign_management_cluster',
  });
  expect(counted('capi_serverless_refused_messages_total')).toEqual([
    [{ controller: 'widget', reason: 'foreign_management_cluster' }, 1],
  ]);
});

it('acknowledges a message whose name no API server accepts, counts it and serves the rest', async () => {
  const messages = [aMessage('m1', 'w%30'), aMessage('m2', 'w2')];
  const log = aRecordingLog();
  expect(await reconcileBatch({ ...context(() => ({ kind: 'done' })), log }, messages)).toEqual([]);
  expect(log.lines[0]).toMatchObject({ message: 'Refusing a message', messageId: 'm1', reason: 'invalid_name' });
  expect(log.lines.filter(({ message }) => message === 'Reconciled')).toHaveLength(1);
  expect(counted('capi_serverless_refused_messages_total')).toEqual([
    [{ controller: 'widget', reason: 'invalid_name' }, 1],
  ]);
});

it('serves cluster-scoped objects, whose keys have no namespace', async () => {
  const key = { managementCluster: 'mc-1', group: '', kind: 'Namespace', namespace: '', name: 'ns' };
  const scoped = context(() => ({ kind: 'done' }));
  const declaration = {
    ...scoped.reconciler.declaration,
    primary: { group: '', version: 'v1', kind: 'Namespace', scope: 'Cluster' },
  } as const;
  await reconcileBatch({ ...scoped, reconciler: { ...scoped.reconciler, declaration } }, [
    aMessage('m1', 'ns', { key }),
  ]);
  expect(api.calls.all.map(({ of }) => of)).toEqual([{ apiVersion: 'v1', kind: 'Namespace', name: 'ns' }]);
});

describe('the record of a reconcile', () => {
  const boom = new Error('boom');
  it.each([
    { result: { kind: 'done' }, label: 'success', errors: 0, terminal: 0 },
    { result: { kind: 'again' }, label: 'requeue', errors: 0, terminal: 0 },
    { result: { kind: 'requeueAfter', ms: 5_000 }, label: 'requeue_after', errors: 0, terminal: 0 },
    { result: { kind: 'failed', error: boom, terminal: false }, label: 'error', errors: 1, terminal: 0 },
    { result: { kind: 'failed', error: boom, terminal: true }, label: 'terminal_error', errors: 1, terminal: 1 },
    {
      result: { kind: 'failed', error: new RetryableError('later'), terminal: false },
      label: 'error',
      errors: 1,
      terminal: 0,
    },
  ] as const)('is counted as $label', async ({ result, label, errors, terminal }) => {
    const facts: ReconcileFact[] = [];
    const listen = (fact: unknown): void => void facts.push(fact as ReconcileFact);
    reconciles.subscribe(listen);
    onTestFinished(() => void reconciles.unsubscribe(listen));
    await reconcileBatch(
      context(() => result),
      [aMessage('m1')],
    );
    expect(facts.map(fact => fact.result)).toEqual([label]);
    expect(counted('controller_runtime_reconcile_total')).toEqual([[{ controller: 'widget', result: label }, 1]]);
    const once = [[{ controller: 'widget' }, 1]];
    expect(counted('controller_runtime_reconcile_errors_total')).toEqual(errors === 0 ? [] : once);
    expect(counted('controller_runtime_terminal_reconcile_errors_total')).toEqual(terminal === 0 ? [] : once);
    const retried = errors > terminal ? [[{ name: 'widget' }, 1]] : [];
    expect(counted('workqueue_retries_total')).toEqual(retried);
    expect(counted('workqueue_work_duration_seconds')).toEqual([[{ name: 'widget' }, 1]]);
    expect(counted('controller_runtime_reconcile_panics_total')).toEqual([]);
  });

  it('has the start of the reconcile and the send time of its first message', async () => {
    const facts: ReconcileFact[] = [];
    const listen = (fact: unknown): void => void facts.push(fact as ReconcileFact);
    reconciles.subscribe(listen);
    onTestFinished(() => void reconciles.unsubscribe(listen));
    const now = api.clock.now();
    const done = context(() => ({ kind: 'done' }));
    await reconcileBatch(done, [
      { ...aMessage('m1'), sentAtMs: now - 50 },
      { ...aMessage('m2'), sentAtMs: now - 90 },
    ]);
    await reconcileBatch(done, [aMessage('m3', 'w2')]);
    expect(facts).toMatchObject([
      { startedAt: now, sentAt: now - 90, causes: ['event'], traces: ['t'] },
      { startedAt: now, sentAt: now },
    ]);
  });

  it('has its result, its duration and when the object is due again', async () => {
    const log = aRecordingLog();
    const base = context(() => ({ kind: 'requeueAfter', ms: 5_000 }));
    const slow = aReconciler({
      observe: async (primary, _ask, pass) => {
        await api.clock.advance(1_500);
        return { primary, pass: pass.number };
      },
      report: () => ({ events: [], result: { kind: 'requeueAfter', ms: 5_000 } }),
    });
    await reconcileBatch({ ...base, log, reconciler: slow }, [aMessage('m1')]);
    const due = sent.map(({ message }) => new Date(parseRequest(message.body).due ?? Number.NaN).toISOString());
    expect(log.lines).toMatchObject([
      {
        level: 'info',
        message: 'Reconciled',
        result: 'requeue_after',
        passes: 1,
        writes: 0,
        seconds: 1.5,
        due: due[0],
      },
    ]);
    expect(metrics.snapshot()).toContainEqual({
      name: 'controller_runtime_reconcile_time_seconds',
      labels: { controller: 'widget' },
      count: 1,
      sum: 1.5,
    });
  });

  it('has the traces of all merged requests; the follow-up carries the first one', async () => {
    const log = aRecordingLog();
    const messages = ['t-1', 't-2', 't-1'].map((trace, index) => aMessage(`m${index}`, 'w1', { trace }));
    await reconcileBatch({ ...context(() => ({ kind: 'again' })), log }, messages);
    expect(log.lines).toMatchObject([{ message: 'Reconciled', trace: 't-1', traces: ['t-1', 't-2'] }]);
    expect(sent.map(({ message }) => parseRequest(message.body).trace)).toEqual(['t-1']);
  });

  it('has controller, object and reconcile in every log line', async () => {
    const log = aRecordingLog();
    await reconcileBatch({ ...context(() => ({ kind: 'failed', error: boom, terminal: false })), log }, [
      aMessage('m1'),
    ]);
    expect(log.lines).toEqual([
      {
        level: 'error',
        message: 'Reconciler error',
        error: 'boom',
        controller: 'widget',
        controllerGroup: 'conformance.example.com',
        controllerKind: 'Widget',
        Widget: { namespace: 'ns', name: 'w1' },
        namespace: 'ns',
        name: 'w1',
        reconcileID: 'fixed',
        trace: 't',
        causes: ['event'],
        attempt: 0,
        result: 'error',
        passes: 1,
        writes: 0,
        seconds: 0,
        due: '2026-01-01T00:00:02.000Z',
      },
    ]);
  });

  it('has the stack of a defect', async () => {
    const log = aRecordingLog();
    const broken = () => {
      throw boom;
    };
    await reconcileBatch({ ...context(broken), log }, [aMessage('m1')]);
    expect(log.lines).toMatchObject([{ message: 'Reconciler error', stack: expect.stringContaining('boom') }]);
    expect(counted('controller_runtime_reconcile_panics_total')).toEqual([[{ controller: 'widget' }, 1]]);
  });
});

describe('a change that every event source missed', () => {
  const labelled: BatchContext<object, SeenWidget>['reconciler']['decide'] = ({ primary }) =>
    primary.metadata.labels?.['seen'] === 'yes'
      ? []
      : [
          {
            id: 'label',
            onError: 'stop',
            do: 'patch',
            ref: toRef(primary),
            body: { metadata: { labels: { seen: 'yes' } } },
          },
        ];

  function serve(cause: Request['cause'], log = aRecordingLog()) {
    const base = context(() => ({ kind: 'done' }));
    const reconciler = { ...base.reconciler, decide: labelled };
    return reconcileBatch({ ...base, log, reconciler }, [aMessage('m1', 'w1', { cause })]).then(() => log.lines);
  }

  it('is counted and logged once, when the resync finds it', async () => {
    const lines = [...(await serve('resync')), ...(await serve('resync'))];
    expect(counted('capi_serverless_missed_events_total')).toEqual([[{ controller: 'widget' }, 1]]);
    expect(lines.map(({ message }) => message)).toEqual([
      'Reconciled',
      'The resync found a change that no event source reported',
      'Reconciled',
    ]);
  });

  it('is not counted if a source sent an event', async () => {
    await serve('event');
    expect(counted('capi_serverless_missed_events_total')).toEqual([]);
  });
});

describe('a function that cannot reach its management cluster', () => {
  const unreachable = new RetryableError('Reading namespace kube-system failed: 503', { retryAfterMs: 4_000 });

  function serveUnconnected(messages: Parameters<typeof connectAndReconcile>[2], thrown: unknown = unreachable) {
    const { kubernetes: _client, managementCluster: _cluster, ...unconnected } = context(() => ({ kind: 'done' }));
    return connectAndReconcile(unconnected, () => Promise.reject(thrown), messages);
  }

  it('acknowledges every message and retries each object later, with a higher attempt', async () => {
    const failed = await serveUnconnected(
      [aMessage('m1', 'w1', { attempt: 3 }), aMessage('m2', 'w2'), aMessage('m3')],
      new Error('secret not found'),
    );
    expect(failed).toEqual([]);
    const requests = sent.map(({ queue, message }) => ({ queue, ...parseRequest(message.body) }));
    expect(requests).toMatchObject([
      { queue: 'delay', cause: 'timer', attempt: 4, key: { name: 'w1' } },
      { queue: 'delay', cause: 'timer', attempt: 1, key: { name: 'w2' } },
    ]);
    const [eightSeconds = 0, oneSecond = 0] = requests.map(({ due = 0 }) => due - api.clock.now());
    expect(eightSeconds).toBeGreaterThanOrEqual(8_000);
    expect(oneSecond).toBeLessThanOrEqual(2_000);
  });

  it('waits for the time that the API server requests', async () => {
    await serveUnconnected([aMessage('m1')]);
    const [request] = sent.map(({ message }) => parseRequest(message.body));
    expect((request?.due ?? 0) - api.clock.now()).toBeGreaterThanOrEqual(4_000);
  });

  it('reports failures that do not depend on the connection: unreadable messages, and retries that the queue refused', async () => {
    expect(await serveUnconnected([{ messageId: 'm1', body: '{' }])).toEqual(['m1']);
    queueFails = true;
    expect(await serveUnconnected([aMessage('m2')])).toEqual(['m2']);
  });

  it('keeps a message for another management cluster until it knows its own', async () => {
    const foreign = {
      managementCluster: 'mc-2',
      group: 'conformance.example.com',
      kind: 'Widget',
      namespace: 'ns',
      name: 'w1',
    };
    expect(await serveUnconnected([aMessage('m1', 'w1', { key: foreign })])).toEqual([]);
    const [message] = sent.map(({ message: { body } }) => ({ messageId: 'm2', body }));
    expect(
      await reconcileBatch(
        context(() => ({ kind: 'done' })),
        message === undefined ? [] : [message],
      ),
    ).toEqual(['m2']);
  });

  it('counts and logs the failure of each object', async () => {
    await serveUnconnected([aMessage('m1'), aMessage('m2', 'w2')]);
    expect(counted('controller_runtime_reconcile_errors_total')).toEqual([[{ controller: 'widget' }, 2]]);
    expect(counted('controller_runtime_reconcile_panics_total')).toEqual([]);
  });

  it('reconciles once it is connected', async () => {
    const { kubernetes, managementCluster, ...unconnected } = context(() => ({ kind: 'done' }));
    const connect = async () => ({ kubernetes, managementCluster });
    expect(await connectAndReconcile(unconnected, connect, [aMessage('m1')])).toEqual([]);
    expect([counted('controller_runtime_reconcile_total'), sent]).toEqual([
      [[{ controller: 'widget', result: 'success' }, 1]],
      [],
    ]);
  });
});
