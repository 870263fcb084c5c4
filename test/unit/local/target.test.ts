import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseQueuesOptions } from '../../../cli/queues/options.ts';
import { parseRedriveOptions } from '../../../cli/redrive/options.ts';
import { findQueue, findTarget, publishTarget, servedQueues } from '../../../local/queue-target.ts';

const queueUrls = {
  'work-cluster-dlq.fifo': 'http://127.0.0.1:1/0/work-cluster-dlq.fifo',
  'work-cluster.fifo': 'http://127.0.0.1:1/0/work-cluster.fifo',
  'delay-dlq': 'http://127.0.0.1:1/0/delay-dlq',
  delay: 'http://127.0.0.1:1/0/delay',
};
let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'capi-queues-'));
  file = path.join(folder, 'dist/queues.json');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the queues that a command reads', () => {
  it('are those of the environment, even during a local run', () => {
    publishTarget({ delay: 'http://127.0.0.1:2/0/delay' }, file);
    expect(findTarget({ CAPI_QUEUE_URLS: `http://127.0.0.1:1/0/{${Object.keys(queueUrls).join(',')}}` }, file)).toEqual(
      { kind: 'sqs', queueUrls },
    );
  });

  it('are else those of the local run, as long as it runs', () => {
    const takeBack = publishTarget(queueUrls, file);
    expect(findTarget({}, file)).toEqual({ kind: 'local', queueUrls });
    takeBack();
    expect(() => findTarget({}, file)).toThrow('No queues are known: start a local run');
  });

  it('stay those of a local run that was started later', () => {
    const takeBack = publishTarget({ delay: 'http://127.0.0.1:2/0/delay' }, file);
    publishTarget(queueUrls, file);
    takeBack();
    expect(existsSync(file)).toBe(true);
  });

  it.each([
    { env: { CAPI_QUEUE_URLS: '{' }, content: '', problem: 'CAPI_QUEUE_URLS', reason: 'the variable has no URL' },
    { env: {}, content: '{"queueUrls":{"a":1}}', problem: 'cannot be read as the queues', reason: 'the file is odd' },
  ])('are refused in one line when $reason', ({ env, content, problem }) => {
    publishTarget({}, file);
    writeFileSync(file, content);
    expect(() => findTarget(env, file)).toThrow(problem);
  });
});

describe('the name of a queue', () => {
  const target = { kind: 'sqs', queueUrls } as const;

  it('omits dead-letter queues', () => {
    expect(servedQueues(target)).toEqual(['work-cluster.fifo', 'delay']);
  });

  it.each([
    { name: 'work-cluster.fifo', reason: 'the queue itself' },
    { name: 'cluster', reason: 'its reconciler' },
    { name: 'work-cluster-dlq.fifo', reason: 'its dead-letter queue' },
  ])('may be $name: $reason', ({ name }) => {
    expect(findQueue(target, name)).toEqual({ queue: 'work-cluster.fifo' });
  });

  it('that does not exist is refused with the known ones', () => {
    expect(() => findQueue(target, 'clusters')).toThrow(
      'There is no queue and no reconciler "clusters"; known queues are work-cluster.fifo, delay',
    );
  });
});

describe('the name of a queue that all reconcilers share', () => {
  const shared = { 'work.fifo': 'https://sqs/work.fifo', 'work-dlq.fifo': 'https://sqs/work-dlq.fifo' };
  const target = { kind: 'sqs', queueUrls: shared } as const;

  it.each(['work.fifo', 'work-dlq.fifo'])('may be %s, for all reconcilers', name => {
    expect(findQueue(target, name)).toEqual({ queue: 'work.fifo' });
  });

  it.each(['cluster', 'topology'])('may be the reconciler %s, and selects its messages', name => {
    expect(findQueue(target, name)).toEqual({ queue: 'work.fifo', reconciler: name });
  });

  it('is not that of an unknown reconciler', () => {
    expect(() => findQueue(target, 'clusters')).toThrow('There is no queue and no reconciler "clusters"');
  });
});

describe('the command lines', () => {
  it('are read', () => {
    expect(parseQueuesOptions([])).toEqual({ json: false });
    expect(parseQueuesOptions(['--json'])).toEqual({ json: true });
    expect(parseRedriveOptions(['cluster', '--dry-run'])).toEqual({ of: 'cluster', dryRun: true, json: false });
    expect([parseQueuesOptions(['--help']), parseRedriveOptions(['--help'])]).toEqual(['help', 'help']);
  });

  it.each([
    { args: [], problem: 'Expected one queue or reconciler', reason: 'no queue' },
    { args: [''], problem: 'Expected one queue or reconciler', reason: 'an empty one' },
    { args: ['a', 'b'], problem: 'Expected one queue or reconciler', reason: 'two queues' },
    { args: ['a', '--dryrun'], problem: "Unknown option '--dryrun'", reason: 'an unknown option' },
  ])('are refused: $reason', ({ args, problem }) => {
    expect(() => parseRedriveOptions(args)).toThrow(problem);
  });

  it('of the overview take no queue', () => {
    expect(() => parseQueuesOptions(['cluster'])).toThrow('--help lists the options');
  });
});
