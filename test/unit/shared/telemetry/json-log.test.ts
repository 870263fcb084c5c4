import { RetryableError, TerminalError } from '@capi-serverless/reconciler';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LogFact, logs } from '../../../../shared/diagnostics/channels.ts';
import { createJsonLog } from '../../../../shared/telemetry/json-log.ts';

type Line = Readonly<Record<string, unknown>>;

let lines: Line[];
const keep = (fact: unknown): void => {
  lines.push((fact as LogFact).line); // true: this channel has no other facts
};

beforeEach(() => {
  lines = [];
  logs.subscribe(keep);
});

afterEach(() => {
  logs.unsubscribe(keep);
});

describe('a log line', () => {
  it('holds time, level, message, the fields of its logger and its own', () => {
    createJsonLog({ level: 'info', fields: { function: 'cluster' } }).info('Reconciled', { writes: 2 });
    expect(lines).toEqual([
      { time: expect.any(String), level: 'info', message: 'Reconciled', function: 'cluster', writes: 2 },
    ]);
    const { time } = lines[0] ?? {};
    expect(new Date(String(time)).toISOString()).toBe(time);
  });

  it('merges the fields of its parent loggers, the nearest first', () => {
    const log = createJsonLog({ level: 'info', fields: { function: 'cluster', name: '' } });
    log.with({ namespace: 'ns', name: 'c1' }).with({ name: 'c2' }).info('Reconciled');
    expect(lines).toMatchObject([{ function: 'cluster', namespace: 'ns', name: 'c2' }]);
    log.info('Reconciled');
    expect(lines[1]).not.toHaveProperty('namespace');
  });

  it.each([
    { level: 'debug', written: ['debug', 'info', 'error'] },
    { level: 'info', written: ['info', 'error'] },
    { level: 'error', written: ['error'] },
  ] as const)('is written from level $level on', ({ level, written }) => {
    const log = createJsonLog({ level }).with({});
    log.debug('Looking');
    log.info('Reconciled');
    log.error('Reconciling failed', new Error('no answer'));
    expect(lines.map(line => line['level'])).toEqual(written);
  });

  it('is one line of JSON on standard output if the channel has no subscriber', () => {
    logs.unsubscribe(keep);
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    createJsonLog({ level: 'info' }).info('Two\nlines', { writes: 2 });
    const written = write.mock.calls.map(([text]) => String(text));
    write.mockRestore();
    expect(written).toHaveLength(1);
    expect(written[0]).toMatch(/^\{.*\}\n$/);
    expect(JSON.parse(written[0] ?? '')).toMatchObject({ level: 'info', message: 'Two\nlines', writes: 2 });
  });
});

describe('a long value in the log', () => {
  it.each([
    { kind: 'a text', value: 'x'.repeat(8193), logged: `${'x'.repeat(8192)}… (1 more)` },
    {
      kind: 'a list',
      value: Array.from({ length: 5000 }, () => 1),
      logged: expect.stringMatching(/^\[1,1,.*… \(1809 more\)$/),
    },
    { kind: 'the longest text', value: 'x'.repeat(8192), logged: 'x'.repeat(8192) },
    { kind: 'no value', value: undefined, logged: undefined },
  ])('is cut, and the line says so: $kind', ({ value, logged }) => {
    createJsonLog({ level: 'info' }).info('Reconciled', { value });
    expect(lines[0]?.['value']).toEqual(logged);
  });

  it('leaves the stack of an error', () => {
    createJsonLog({ level: 'error' }).error('Reconciling failed', new TypeError('x'.repeat(1_000_000)));
    const { error, errorStack } = lines[0] ?? {};
    expect(error).toBe(`${'x'.repeat(8192)}… (991808 more)`);
    expect(errorStack).toMatch(/^TypeError: x{4096}… \(995904 more\)\n {4}at /);
  });
});

describe('an error in the log', () => {
  function logged(error: unknown): Line {
    createJsonLog({ level: 'error' }).error('Reconciling failed', error, { name: 'c1' });
    const { time: _, level: _level, message: _message, ...fields } = lines[0] ?? {};
    return fields;
  }

  it.each([
    new RetryableError('no answer', { cause: new Error('socket hang up') }),
    new TerminalError('no answer', { cause: new Error('socket hang up') }),
  ])('that was expected is logged with message, kind and cause: $name', error => {
    expect(logged(error)).toEqual({
      name: 'c1',
      error: 'no answer',
      errorKind: error.name,
      errorCause: 'socket hang up',
    });
  });

  it('that was unexpected is logged with its stack', () => {
    const error = new TypeError('x is not a function');
    expect(logged(error)).toEqual({
      name: 'c1',
      error: 'x is not a function',
      errorKind: 'TypeError',
      errorStack: error.stack,
    });
  });

  it('is the text of a thrown value of another type', () => {
    expect(logged('thrown')).toEqual({ name: 'c1', error: 'thrown' });
  });
});
