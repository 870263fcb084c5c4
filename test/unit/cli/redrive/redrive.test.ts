import { beforeEach, describe, expect, it } from 'vitest';
import { type DeadLetter, type RedriveInput, redrive } from '../../../../cli/redrive/redrive.ts';
import { toLetterLine, toRedriveSummary } from '../../../../cli/redrive/redrive-text.ts';
import { toEventId, toGroupId } from '../../../../shared/workqueue/ids.ts';
import { type Request, toBody } from '../../../../shared/workqueue/message.ts';
import type { Queues } from '../../../../shared/workqueue/port.ts';
import {
  deadLetterQueueOf,
  delayQueue,
  sharedWorkQueue,
  workQueueOf,
} from '../../../../shared/workqueue/queue-names.ts';
import { toConsumers, toQueueSpecs } from '../../../../shared/workqueue/queue-specs.ts';
import { MemoryQueues } from '../../../support/memory-queues/queues.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';

const queue = workQueueOf('cluster');
const deadLetterQueue = deadLetterQueueOf(queue);
const receives = 5;

let clock: SteppedClock;
let queues: MemoryQueues;
let reported: string[];

function aRequest(name: string): Request {
  const key = { managementCluster: 'mc', group: 'cluster.x-k8s.io', kind: 'Cluster', namespace: 'default', name };
  return {
    v: 1,
    reconciler: 'cluster',
    key,
    cause: 'event',
    attempt: 2,
    sources: [`uid-${name}@7`],
    trace: `t-${name}`,
  };
}

const eventIdOf = (name: string): string => toEventId(aRequest(name), [`uid-${name}@7`]);

/** Sends the messages, and receives them until they are dead letters, as in a deployment. */
async function died(...names: readonly string[]): Promise<void> {
  const toMessage = (name: string) => ({
    body: toBody(aRequest(name)),
    groupId: toGroupId(aRequest(name)),
    deduplicationId: eventIdOf(name),
  });
  expect(await queues.send(queue, names.map(toMessage))).toEqual(names.map(() => ({ ok: true })));
  await die();
}

async function die(): Promise<void> {
  for (let receive = 0; receive <= receives; receive += 1) {
    for (;;) {
      const received = await queues.receive(queue, { max: 10, waitSeconds: 0 });
      if (received.length === 0) {
        break;
      }
    }
    await clock.advance(180_000);
  }
}

function options(change: Partial<RedriveInput> = {}): RedriveInput {
  let ids = 0;
  return {
    queue,
    dryRun: false,
    queues,
    now: () => clock.now(),
    newId: () => {
      ids += 1;
      return `fresh-${ids}`;
    },
    report: (letter, number, of) =>
      reported.push(`${number}/${of} ${letter.outcome} ${letter.key ?? letter.messageId}`),
    signal: new AbortController().signal,
    ...change,
  };
}

/** Runs the redrive and waits for the end of empty receives. */
async function redriven(change: Partial<RedriveInput> = {}) {
  const running = redrive(options(change));
  for (let waits = 0; waits < 5; waits += 1) {
    await clock.advance(1000);
  }
  return running;
}

beforeEach(() => {
  clock = new SteppedClock();
  queues = new MemoryQueues({ clock, queues: toQueueSpecs(toConsumers([{ name: 'cluster', timeoutSeconds: 30 }])) });
  reported = [];
});

describe('a redrive', () => {
  it('moves each dead letter back under a new id, so that its queue accepts it at once', async () => {
    await died('one', 'two');
    await queues.send(queue, [
      { body: toBody(aRequest('one')), groupId: toGroupId(aRequest('one')), deduplicationId: eventIdOf('one') },
    ]);
    const before = queues.messages(queue).length;
    const { letters, found } = await redriven();
    expect({ found, outcomes: letters.map(({ outcome }) => outcome) }).toEqual({
      found: 2,
      outcomes: ['moved', 'moved'],
    });
    expect(queues.messages(deadLetterQueue)).toEqual([]);
    const moved = queues.messages(queue).slice(before);
    expect(moved.map(({ body, groupId }) => ({ body, groupId }))).toEqual(
      ['one', 'two'].map(name => ({ body: toBody(aRequest(name)), groupId: toGroupId(aRequest(name)) })),
    );
    expect(moved.map(({ deduplicationId }) => deduplicationId)).not.toContain(eventIdOf('one'));
  });

  it('prints the facts of each one, and never its body', async () => {
    await died('one');
    await clock.advance(60_000);
    const { letters } = await redriven({ dryRun: true });
    expect(letters).toEqual([
      {
        messageId: expect.any(String),
        key: 'mc/cluster.x-k8s.io/Cluster/default/one',
        cause: 'event',
        attempt: 2,
        trace: 't-one',
        receiveCount: 1,
        ageSeconds: expect.any(Number),
        outcome: 'shown',
      },
    ]);
    expect(letters[0]?.ageSeconds).toBeGreaterThanOrEqual(60);
  });

  it('only lists in a dry run, and listed messages are visible at once', async () => {
    await died('one', 'two');
    const { letters } = await redriven({ dryRun: true });
    expect(letters.map(({ outcome }) => outcome)).toEqual(['shown', 'shown']);
    expect(await queues.depth(deadLetterQueue)).toEqual({ visible: 2, inFlight: 0, delayed: 0 });
    expect(queues.messages(queue)).toEqual([]);
  });

  it('keeps messages that the queue refuses, and moves the others', async () => {
    await died('one', 'two', 'three');
    const picky: Queues = Object.assign(Object.create(queues), {
      send: async (name: string, messages: readonly { readonly body: string }[]) => {
        const taken = messages.filter(({ body }) => !body.includes('"two"'));
        await queues.send(name, taken);
        return messages.map(message =>
          taken.includes(message) ? { ok: true } : { ok: false, error: new Error('over quota') },
        );
      },
      receive: queues.receive.bind(queues),
      delete: queues.delete.bind(queues),
      depth: queues.depth.bind(queues),
      changeVisibility: queues.changeVisibility.bind(queues),
    });
    const { letters } = await redriven({ queues: picky });
    expect(letters.map(({ outcome, problem }) => [outcome, problem])).toEqual([
      ['moved', undefined],
      ['refused', 'over quota'],
      ['moved', undefined],
    ]);
    expect(await queues.depth(deadLetterQueue)).toEqual({ visible: 1, inFlight: 0, delayed: 0 });
    expect((await queues.depth(queue)).visible).toBe(2);
  });

  it('deletes nothing when the send itself fails', async () => {
    await died('one');
    const broken: Queues = Object.assign(Object.create(queues), {
      send: async () => Promise.reject(new Error('no network')),
      receive: queues.receive.bind(queues),
      delete: queues.delete.bind(queues),
      depth: queues.depth.bind(queues),
      changeVisibility: queues.changeVisibility.bind(queues),
    });
    await expect(redrive(options({ queues: broken }))).rejects.toThrow('no network');
    expect(queues.messages(deadLetterQueue)).toHaveLength(1);
  });

  it('also moves unreadable messages', async () => {
    await queues.send(deadLetterQueue, [{ body: '{', groupId: 'g', deduplicationId: 'd' }]);
    const { letters } = await redriven();
    expect(letters).toMatchObject([{ outcome: 'moved' }]);
    expect(letters[0]).not.toHaveProperty('key');
    expect(queues.messages(queue)).toMatchObject([{ body: '{', groupId: 'g' }]);
  });

  it('serves standard queues, without group and id', async () => {
    await queues.send(deadLetterQueueOf(delayQueue), [{ body: toBody(aRequest('one')) }]);
    await redriven({ queue: delayQueue });
    expect(queues.messages(delayQueue)).toMatchObject([{ body: toBody(aRequest('one')), state: 'visible' }]);
  });

  it('reports its progress over many', async () => {
    const names = Array.from({ length: 25 }, (_, index) => `c${index}`);
    await died(...names);
    await redriven();
    expect(reported).toHaveLength(25);
    expect(reported[0]).toBe('1/25 moved mc/cluster.x-k8s.io/Cluster/default/c0');
    expect(reported.at(-1)).toBe('25/25 moved mc/cluster.x-k8s.io/Cluster/default/c24');
    expect(queues.messages(queue)).toHaveLength(25);
  });

  it('stops between batches when it is interrupted', async () => {
    await died(...Array.from({ length: 25 }, (_, index) => `c${index}`));
    const interrupted = new AbortController();
    const { letters } = await redriven({ report: () => interrupted.abort(), signal: interrupted.signal });
    expect(letters).toHaveLength(10);
    expect(queues.messages(queue)).toHaveLength(10);
    expect(queues.messages(deadLetterQueue)).toHaveLength(15);
  });

  it('has nothing to do without dead letters', async () => {
    expect(await redriven()).toEqual({ queue, letters: [], found: 0, others: 0 });
  });
});

describe('a redrive of one reconciler whose queue is shared', () => {
  const shared = sharedWorkQueue;
  const letters = deadLetterQueueOf(shared);
  const bodiesIn = (name: string) => queues.messages(name).map(({ body }) => body);

  /** One dead letter of each reconciler for the same object, and an unreadable one. */
  async function fill(...reconcilers: readonly string[]): Promise<void> {
    queues = new MemoryQueues({
      clock,
      queues: toQueueSpecs(toConsumers([{ name: 'x', timeoutSeconds: 30 }], 'compact')),
    });
    const bodies = [...reconcilers.map(reconciler => toBody({ ...aRequest('one'), reconciler })), '{'];
    await queues.send(
      letters,
      bodies.map((body, index) => ({ body, groupId: `g${index}`, deduplicationId: `d${index}` })),
    );
  }

  it('moves its dead letters, and leaves those of others visible', async () => {
    await fill('topology', 'cluster', 'machine', 'cluster-topology');
    const ended = await redriven({ queue: shared, reconciler: 'cluster' });
    expect(ended).toMatchObject({ found: 5, others: 4, letters: [{ outcome: 'moved' }] });
    expect(bodiesIn(shared)).toEqual([toBody(aRequest('one'))]);
    expect(await queues.depth(letters)).toEqual({ visible: 4, inFlight: 0, delayed: 0 });
    expect(toRedriveSummary(ended)).toBe(
      '1 moved of 5 dead letters of queue work.fifo; 4 of other reconcilers, or unreadable, stay.\n',
    );
  });

  it('finds them behind many batches of others', async () => {
    await fill(...Array.from({ length: 25 }, () => 'topology'), 'cluster');
    const ended = await redriven({ queue: shared, reconciler: 'cluster' });
    expect(ended).toMatchObject({ found: 27, others: 26, letters: [{ outcome: 'moved' }] });
  });

  it('moves nothing if it has none', async () => {
    await fill('topology');
    const ended = await redriven({ queue: shared, reconciler: 'cluster' });
    expect(bodiesIn(shared)).toEqual([]);
    expect(toRedriveSummary(ended)).toBe(
      'Queue work.fifo has no dead letters of this reconciler; 2 of other reconcilers, or unreadable, stay.\n',
    );
  });

  it('moves all without the name of a reconciler', async () => {
    await fill('topology', 'cluster');
    await redriven({ queue: shared });
    expect(bodiesIn(letters)).toEqual([]);
    expect(bodiesIn(shared)).toHaveLength(3);
  });
});

describe('the text of a redrive', () => {
  const letter: DeadLetter = {
    messageId: 'm1',
    key: 'mc/g/Cluster/default/one',
    cause: 'event',
    attempt: 2,
    trace: 't',
    receiveCount: 6,
    ageSeconds: 12,
    outcome: 'shown',
  };

  it('is one line each, that does not steer the terminal', () => {
    expect(toLetterLine({ ...letter, trace: 't\u001b[2J' })).toBe(
      'shown  mc/g/Cluster/default/one, cause event, attempt 2, trace t [2J, received 6 times, 12 s old',
    );
    expect(toLetterLine({ messageId: 'm2', receiveCount: 1, ageSeconds: 0, outcome: 'refused', problem: 'no' })).toBe(
      'refused  message m2, which names no object, received 1 times, 0 s old: no',
    );
  });

  it.each([
    { letters: [], found: 0, text: 'Queue q has no dead letters.\n', reason: 'there are none' },
    {
      letters: [],
      found: 2,
      text: 'The 2 dead letters of queue q are in other hands now; try again later.\n',
      reason: 'another redrive holds them',
    },
    { letters: [letter], found: 1, text: '1 shown of 1 dead letters of queue q.\n', reason: 'all were seen' },
    {
      letters: [letter],
      found: 3,
      text: '1 shown of 3 dead letters of queue q; about 2 more were not shown: a FIFO queue may show one per object at a time.\n',
      reason: 'some are behind others',
    },
  ])('ends in a sum: $reason', ({ letters, found, text }) => {
    expect(toRedriveSummary({ queue: 'q', letters, found, others: 0 })).toBe(text);
  });
});
