import { describe, expect, it } from 'vitest';
import {
  decideRepairs,
  type LossRecords,
  parseLossText,
  passesThrough,
  toLossText,
  withoutLetters,
  withPurge,
} from '../../../../functions/resync/repairs.ts';

const work = 'work-cluster-dlq.fifo';
const delay = 'delay-dlq';

interface Case {
  readonly before: LossRecords;
  readonly letters: Readonly<Record<string, number>>;
  readonly full?: readonly string[];
  readonly again?: readonly string[];
  readonly records: LossRecords;
  readonly reason: string;
}

/** Decides in run 100, with six runs in an hour. */
function decide({ before, letters }: Pick<Case, 'before' | 'letters'>) {
  const observed = { letters: new Map(Object.entries(letters)), run: 100, periodSeconds: 600 };
  const { full, again, records } = decideRepairs(before, observed);
  return { full: [...full], again, records };
}

describe('dead letters of a work queue', () => {
  it.each<Case>([
    { before: {}, letters: { [work]: 0 }, records: {}, reason: 'there are none' },
    {
      before: {},
      letters: { [work]: 1 },
      full: [work],
      records: { [work]: { letters: 1, fullRun: 100 } },
      reason: 'the first one is a loss',
    },
    {
      before: { [work]: { letters: 1 } },
      letters: { [work]: 2 },
      full: [work],
      records: { [work]: { letters: 2, fullRun: 100 } },
      reason: 'so is each further one',
    },
    {
      before: { [work]: { letters: 2 } },
      letters: { [work]: 2 },
      records: { [work]: { letters: 2 } },
      reason: 'no message was lost since',
    },
    {
      before: { [work]: { letters: 2 } },
      letters: { [work]: 1 },
      records: { [work]: { letters: 1 } },
      reason: 'an operator redrove one',
    },
    {
      before: { [work]: { letters: 1, fullRun: 95 } },
      letters: { [work]: 5 },
      records: { [work]: { letters: 5, fullRun: 95, isOpen: true } },
      reason: 'the messages of the last full run died less than an hour later',
    },
    {
      before: { [work]: { letters: 5, fullRun: 95, isOpen: true } },
      letters: { [work]: 5 },
      records: { [work]: { letters: 5, fullRun: 95, isOpen: true } },
      reason: 'the hour is not over',
    },
    {
      before: { [work]: { letters: 5, fullRun: 94, isOpen: true } },
      letters: { [work]: 5 },
      full: [work],
      records: { [work]: { letters: 5, fullRun: 100 } },
      reason: 'the hour is over, and nothing enqueued the objects since',
    },
    {
      before: { [work]: { letters: 0, fullRun: 94 } },
      letters: { [work]: 0 },
      records: {},
      reason: 'what is long over is forgotten',
    },
    {
      before: { [work]: { letters: 0, fullRun: 95 } },
      letters: { [work]: 0 },
      records: { [work]: { letters: 0, fullRun: 95 } },
      reason: 'the hour limits the next full run',
    },
    {
      before: { [work]: { letters: 3 } },
      letters: {},
      records: { [work]: { letters: 3 } },
      reason: 'a queue that cannot be read stays as it was',
    },
  ])('enqueue every object of $full: $reason', ({ before, letters, full = [], records }) => {
    expect(decide({ before, letters })).toEqual({ full, again: [], records });
  });

  it('may cause a full run in each run, if the period is an hour or longer', () => {
    const observed = { letters: new Map([[work, 2]]), run: 100, periodSeconds: 3600 };
    expect([...decideRepairs({ [work]: { letters: 1, fullRun: 99 } }, observed).full]).toEqual([work]);
    expect([...decideRepairs({ [work]: { letters: 1, fullRun: 100 } }, observed).full]).toEqual([]);
  });
});

describe('dead letters of the delay queue and the expand queue', () => {
  it.each<Case>([
    {
      before: {},
      letters: { [delay]: 2 },
      records: { [delay]: { letters: 2 } },
      reason: 'the cause may not be over',
    },
    {
      before: { [delay]: { letters: 1 } },
      letters: { [delay]: 2, 'expand-dlq': 1 },
      records: { [delay]: { letters: 2 }, 'expand-dlq': { letters: 1 } },
      reason: 'there are new ones',
    },
    {
      before: { [delay]: { letters: 2 }, 'expand-dlq': { letters: 2 } },
      letters: { [delay]: 2, 'expand-dlq': 1 },
      again: [delay, 'expand-dlq'],
      records: { [delay]: { letters: 2 }, 'expand-dlq': { letters: 1 } },
      reason: 'there are no new ones',
    },
    {
      before: { [delay]: { letters: 2 } },
      letters: {},
      records: { [delay]: { letters: 2 } },
      reason: 'the queue cannot be read',
    },
    { before: { [delay]: { letters: 2 } }, letters: { [delay]: 0 }, records: {}, reason: 'all were redriven' },
  ])('are sent again from $again: $reason', ({ before, letters, again = [], records }) => {
    expect(decide({ before, letters })).toEqual({ full: [], again, records });
  });

  it('are fewer afterwards', () => {
    expect(withoutLetters({ [delay]: { letters: 3 } }, delay, 2)).toEqual({ [delay]: { letters: 1 } });
    expect(withoutLetters({ [delay]: { letters: 3 } }, delay, 4)).toEqual({ [delay]: { letters: 0 } });
    expect(withoutLetters({}, delay, 2)).toEqual({});
  });
});

describe('a purge', () => {
  it('makes the next run enqueue every object of the queue, once', () => {
    const noted = withPurge({}, 'work-cluster.fifo');
    expect(decide({ before: noted, letters: {} })).toEqual({ full: ['work-cluster.fifo'], again: [], records: {} });
  });

  it('is noted beside dead letters', () => {
    const before = { [work]: { letters: 1 } };
    expect(withPurge(before, 'delay')).toEqual({ ...before, delay: { letters: 0, isOpen: true } });
    expect(withPurge(before, work)).toEqual({ [work]: { letters: 1, isOpen: true } });
  });
});

it.each([
  { queue: 'work-cluster.fifo', reconciler: 'cluster', passes: true },
  { queue: work, reconciler: 'cluster', passes: true },
  { queue: work, reconciler: 'machine', passes: false },
  { queue: 'work.fifo', reconciler: 'machine', passes: true },
  { queue: 'work-dlq.fifo', reconciler: 'machine', passes: true },
  { queue: 'delay', reconciler: 'machine', passes: true },
  { queue: 'expand', reconciler: 'machine', passes: true },
])('messages of $reconciler pass $queue: $passes', ({ queue, reconciler, passes }) => {
  expect(passesThrough(new Set([queue]))(reconciler)).toBe(passes);
});

it('messages pass no queue, if nothing was lost', () => {
  expect(passesThrough(new Set())('cluster')).toBe(false);
});

describe('the stored text', () => {
  const records: LossRecords = { [work]: { letters: 1, fullRun: 7, isOpen: true }, [delay]: { letters: 2 } };

  it('is read as it was written', () => {
    expect(parseLossText(toLossText(records))).toEqual(records);
  });

  it.each([undefined, 'x', '[]', '{"a":1}', '{"a":{"letters":-1}}', '{"a":{"letters":1,"isOpen":false}}'])(
    'contains no losses if it is %s',
    text => {
      expect(parseLossText(text)).toEqual({});
    },
  );
});
