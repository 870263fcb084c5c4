import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { RequestLog, toRequest } from '../../../../bench/subjects/request-log.ts';

interface Asked {
  readonly user?: string;
  readonly stage?: string;
  readonly verb?: string;
  readonly objectRef?: object | undefined;
}

function aLine(asked: Asked = {}): string {
  const { user = 'us', stage = 'ResponseComplete', verb = 'patch' } = asked;
  const objectRef = 'objectRef' in asked ? asked.objectRef : { resource: 'clusters', subresource: 'status' };
  return JSON.stringify({ kind: 'Event', stage, verb, user: { username: user }, objectRef });
}

describe('a line of the audit log', () => {
  test.each([
    { reason: 'with its subresource', asked: {}, request: 'patch clusters/status' },
    {
      reason: 'without one',
      asked: { verb: 'get', objectRef: { resource: 'secrets' } },
      request: 'get secrets',
    },
    { reason: 'another user sent it', asked: { user: 'them' }, request: undefined },
    { reason: 'a name that begins like ours', asked: { user: 'us-too' }, request: undefined },
    { reason: 'not answered yet', asked: { stage: 'ResponseStarted' }, request: undefined },
    { reason: 'a watch lasts', asked: { verb: 'watch' }, request: undefined },
    { reason: 'a lease is not work', asked: { objectRef: { resource: 'leases' } }, request: undefined },
    { reason: 'discovery concerns no resource', asked: { objectRef: undefined }, request: undefined },
  ])('is $request: $reason', ({ asked, request }) => {
    expect(toRequest(aLine(asked), ['we', 'us'])).toBe(request);
  });
});

describe('the requests of a user', () => {
  function aLog() {
    const dir = mkdtempSync(path.join(tmpdir(), 'capi-test-'));
    const file = path.join(dir, 'audit.log');
    writeFileSync(file, `${aLine()}\n`);
    const log = new RequestLog(file, 'us');
    onTestFinished(() => {
      log.close();
      rmSync(dir, { recursive: true });
    });
    return { log, add: (text: string) => appendFileSync(file, text) };
  }

  test('are returned once', () => {
    const { log, add } = aLog();
    expect([...log.read()]).toEqual([['patch clusters/status', 1]]);
    add(`${aLine()}\n${aLine({ user: 'them' })}\n${aLine()}\n`);
    expect([...log.read()]).toEqual([['patch clusters/status', 2]]);
    expect([...log.read()]).toEqual([]);
  });

  test('are returned when their line is complete', () => {
    const { log, add } = aLog();
    log.read();
    const line = aLine();
    add(line.slice(0, 20));
    expect([...log.read()]).toEqual([]);
    add(`${line.slice(20)}\n`);
    expect([...log.read()]).toEqual([['patch clusters/status', 1]]);
  });
});
