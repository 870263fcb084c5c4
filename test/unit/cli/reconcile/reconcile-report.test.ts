import { describe, expect, it } from 'vitest';
import {
  createdEvents,
  hasSucceeded,
  type ReconcileReport,
  toErrorLine,
  toFollowUpLine,
  toNote,
  toReportText,
  toRequestLine,
} from '../../../../cli/reconcile/report.ts';
import type { RequestFact } from '../../../../shared/diagnostics/channels.ts';
import type { Request } from '../../../../shared/workqueue/message.ts';

const quiet: ReconcileReport = {
  reconciler: 'cluster',
  object: { kind: 'Cluster', namespace: 'default', name: 'plain' },
  server: 'https://127.0.0.1:6443',
  result: 'success',
  acknowledged: true,
  passes: 1,
  writes: 0,
  seconds: 0.0312,
  requests: [],
  events: [],
  notes: [],
  errors: [],
  followUps: [],
};

const aFact: RequestFact = {
  verb: 'get',
  group: 'cluster.x-k8s.io',
  resource: 'clusters',
  namespace: 'default',
  name: 'plain',
  dryRun: false,
  code: 200,
  startedAt: 1000,
  endedAt: 1012.34,
  client: 'cluster',
};

const aRequest: Request = {
  v: 1,
  reconciler: 'cluster',
  key: { managementCluster: 'm', group: 'cluster.x-k8s.io', kind: 'Cluster', namespace: 'default', name: 'plain' },
  cause: 'timer',
  attempt: 0,
  trace: 't',
};

describe('the Events of an invocation', () => {
  it('are those that the API server created, not those that existed', () => {
    const anEvent: RequestFact = { ...aFact, verb: 'create', group: '', resource: 'events', code: 201 };
    const facts = [
      anEvent,
      { ...anEvent, name: 'existed', code: 409 },
      { ...anEvent, name: 'lost', code: 0 },
      { ...anEvent, verb: 'get', code: 200 },
      { ...anEvent, resource: 'secrets' },
    ];
    expect(createdEvents(facts)).toEqual([anEvent]);
  });
});

describe('the text about an invocation', () => {
  it('reports that there was nothing to do', () => {
    expect(toReportText(quiet)).toBe(`Reconciler cluster ran for Cluster default/plain on https://127.0.0.1:6443

result   success
passes   1
writes   0
seconds  0.03

API requests (* writes): none

Events created: none

Errors: none

Messages sent for later: none
`);
  });

  it('lists what happened, in columns and in order', () => {
    const { namespace: _namespace, name: _name, ...everywhere } = aFact;
    const { name: _listed, ...inNamespace } = aFact;
    const text = toReportText({
      ...quiet,
      result: 'error',
      notes: ['Nothing to reconcile: Cluster default/plain is paused'],
      requests: [
        toRequestLine(aFact),
        toRequestLine({ ...inNamespace, verb: 'list', resource: 'machines' }),
        toRequestLine({ ...everywhere, verb: 'list', code: 0 }),
        toRequestLine({ ...aFact, verb: 'patch', resource: 'clusters/status', code: 409 }),
        toRequestLine({ ...aFact, verb: 'apply', dryRun: true }),
      ],
      events: [{ name: 'plain.1', type: 'Normal', reason: 'Provisioned', message: 'All is up' }, { name: 'plain.2' }],
      errors: [
        { message: 'Reconciler error', error: 'no quota' },
        { message: 'Reconciler error', error: 'x is odd', stack: 'TypeError: x is odd\n    at decide' },
      ],
      followUps: [
        { queue: 'delay', cause: 'timer', attempt: 2, due: '2026-01-01T00:00:05.000Z', inSeconds: 4.2 },
        { queue: 'work-cluster.fifo', cause: 'again', attempt: 0 },
      ],
    });
    expect(text.split('\n').slice(2)).toEqual([
      'result   error',
      '         Nothing to reconcile: Cluster default/plain is paused',
      'passes   1',
      'writes   0',
      'seconds  0.03',
      '',
      'API requests (* writes)',
      '   1     get              clusters         default/plain  200        12.3 ms',
      '   2     list             machines         default/*      200        12.3 ms',
      '   3     list             clusters         *              no answer  12.3 ms',
      '   4  *  patch            clusters/status  default/plain  409        12.3 ms',
      '   5     apply (dry run)  clusters         default/plain  200        12.3 ms',
      '',
      'Events created',
      '  Normal Provisioned: All is up',
      '  plain.2',
      '',
      'Errors',
      '  Reconciler error: no quota',
      '  Reconciler error: TypeError: x is odd',
      '      at decide',
      '',
      'Messages sent for later',
      '  delay: enqueues the object in 5 s, at 2026-01-01T00:00:05.000Z (timer, try 3)',
      '  work-cluster.fifo: enqueues the object at once (again)',
      '',
    ]);
  });

  it.each([
    { inSeconds: -3, words: 'now', reason: 'overdue' },
    { inSeconds: 0.2, words: 'in 1 s', reason: 'never too early' },
    { inSeconds: 60, words: 'in 1 min', reason: 'nothing is left over' },
    { inSeconds: 200, words: 'in 3 min 20 s', reason: 'two units' },
    { inSeconds: 7325, words: 'in 2 h 2 min', reason: 'seconds no longer matter' },
    { inSeconds: 7205, words: 'in 2 h', reason: 'the second unit is nought' },
    { inSeconds: 93_600, words: 'in 1 d 2 h', reason: 'longer than a day' },
  ])('prints a timer due in $inSeconds s as "$words": $reason', ({ inSeconds, words }) => {
    const due = '2026-01-01T00:00:00.000Z';
    const text = toReportText({
      ...quiet,
      followUps: [{ queue: 'delay', cause: 'timer', attempt: 0, due, inSeconds }],
    });
    expect(text).toContain(`delay: enqueues the object ${words}, at ${due} (timer)`);
  });

  it.each([
    { change: { acknowledged: false }, line: 'result   success, but the message would be delivered again' },
    { change: { result: 'none' }, line: 'result   none: the invocation ended before the reconcile did' },
  ] as const)('does not hide that a message was not served: $line', ({ change, line }) => {
    expect(toReportText({ ...quiet, ...change })).toContain(`\n${line}\n`);
  });
});

it.each([
  { result: 'success', acknowledged: true, succeeded: true, reason: 'all is done' },
  { result: 'requeue', acknowledged: true, succeeded: true, reason: 'it goes on' },
  { result: 'requeue_after', acknowledged: true, succeeded: true, reason: 'it goes on later' },
  { result: 'error', acknowledged: true, succeeded: false, reason: 'it is tried again' },
  { result: 'terminal_error', acknowledged: true, succeeded: false, reason: 'it is not tried again' },
  { result: 'none', acknowledged: false, succeeded: false, reason: 'the function timed out' },
  { result: 'success', acknowledged: false, succeeded: false, reason: 'the follow-up was not accepted' },
] as const)('$result counts as success: $succeeded, as $reason', ({ result, acknowledged, succeeded }) => {
  expect(hasSucceeded({ result, acknowledged })).toBe(succeeded);
});

describe('the facts of a log line', () => {
  const line = { level: 'error', message: 'Reconciler error', error: 'no quota', reconcileID: 'r' };

  it.each([
    { given: line, error: { message: 'Reconciler error', error: 'no quota' }, reason: 'an expected error' },
    {
      given: { ...line, stack: 'Error: no quota\n at x' },
      error: { message: 'Reconciler error', error: 'no quota', stack: 'Error: no quota\n at x' },
      reason: 'a defect of a reconciler',
    },
    {
      given: { ...line, errorStack: 'Error: no quota\n at y' },
      error: { message: 'Reconciler error', error: 'no quota' },
      reason: 'a state of the world, wherever its error was made',
    },
    {
      given: { level: 'error', message: 'Serving failed', error: 'odd', errorStack: 'Error: odd\n at y' },
      error: { message: 'Serving failed', error: 'odd', stack: 'Error: odd\n at y' },
      reason: 'a surprise outside the reconcile',
    },
    { given: { ...line, level: 'info' }, error: undefined, reason: 'no error' },
  ])('as an error: $reason', ({ given, error }) => {
    expect(toErrorLine(given)).toEqual(error);
  });

  it.each([
    {
      given: { level: 'debug', message: 'Nothing to reconcile', reason: 'paused', reconcileID: 'r' },
      note: 'Nothing to reconcile: paused',
      reason: 'with its reason',
    },
    {
      given: { level: 'debug', message: 'Object is gone', reconcileID: 'r' },
      note: 'Object is gone',
      reason: 'without',
    },
    { given: { level: 'debug', message: 'Served an invocation' }, note: undefined, reason: 'not of a reconcile' },
    { given: line, note: undefined, reason: 'reported as an error' },
  ])('as a note: $reason', ({ given, note }) => {
    expect(toNote(given)).toBe(note);
  });
});

describe('a message for later', () => {
  it('has its due time and the time until then', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    expect(toFollowUpLine('delay', { ...aRequest, attempt: 1, due: now + 16_000 }, now)).toEqual({
      queue: 'delay',
      cause: 'timer',
      attempt: 1,
      due: '2026-01-01T00:00:16.000Z',
      inSeconds: 16,
    });
  });

  it('has none when it is due at once', () => {
    expect(toFollowUpLine('work-cluster.fifo', { ...aRequest, cause: 'again' }, 0)).toEqual({
      queue: 'work-cluster.fifo',
      cause: 'again',
      attempt: 0,
    });
  });
});
