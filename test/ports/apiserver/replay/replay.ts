// A list and a watch from any version end with the result of a new list. Tests all writes, slow readers and expired
// histories.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fc, seed } from '../../../support/property.ts';
import { freshName } from '../../answers.ts';
import { type Api, aWidget, created } from '../api-case.ts';
import { type ApiServerSubject, prepare } from '../subject.ts';
import { lastName, type Point, Reader, readPoint } from './reader.ts';
import { inPlan, perform, performFlood, plan, type ReplayStep } from './replay-plan.ts';

interface ReplayOptions {
  readonly file: string;
  /** The number of random plans. */
  readonly plans: number;
}

const selectors = ['', 'team=red', 'team in (blue, red)'] as const;

/** Declares the property for one server. It opens the server once and closes it at the end. */
export function replayProperty(name: string, open: () => Promise<ApiServerSubject>, options: ReplayOptions): void {
  describe(`list and watch: ${name}`, () => {
    let subject: ApiServerSubject | undefined;
    let api: Api | undefined;

    beforeAll(async () => {
      subject = await open();
      api = await prepare(subject);
    });

    afterAll(() => subject?.close());

    it(`end at the state of a fresh list, from any point (CAPI_SEED=${seed})`, async () => {
      const ends = { closed: 0, expired: 0 };
      const property = fc.asyncProperty(plan, async steps => {
        if (subject === undefined || api === undefined) {
          throw new Error('The server was not opened');
        }
        const seen = await runPlan(subject, api, steps);
        ends.closed += seen.closed;
        ends.expired += seen.expired;
      });
      const found = await fc.check(property, { numRuns: options.plans, endOnFailure: true });
      if (found.failed) {
        const again = `CAPI_SEED=${seed} CAPI_PATH=${found.counterexamplePath} npx vitest run --project ports ${options.file}`;
        throw new Error(`Repeat with: ${again}\n${fc.defaultReportMessage(found)}`, { cause: found.errorInstance });
      }
      console.log(`list and watch: CAPI_SEED=${seed}, ${ends.closed} watches closed, ${ends.expired} expired`);
    });
  });
}

interface Ends {
  readonly closed: number;
  readonly expired: number;
}

/**
 * Performs the writes of the plan in a separate namespace while readers follow, then compares each copy with a new
 * list.
 */
async function runPlan(subject: ApiServerSubject, of: Api, steps: readonly ReplayStep[]): Promise<Ends> {
  const api = { ...of, namespace: freshName('replay') };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: api.namespace } };
  created(await api.http.post('/api/v1/namespaces', namespace));
  const readAll = (): Promise<readonly Point[]> =>
    Promise.all(selectors.map(each => readPoint(api, inPlan(api), each)));
  const readers = (await readAll()).map(point => new Reader(api, point));
  const reading = Promise.all(readers.map(reader => reader.readToEnd()));
  reading.catch(() => undefined); // reported below, after the writes
  const points: Point[] = [];
  let forgotten = 0;
  for (const step of steps) {
    points.push(await readPoint(api, inPlan(api), selectors[points.length % selectors.length] ?? ''));
    if (step.do === 'compact') {
      subject.compact?.();
      forgotten = points.length;
    }
    await take(api, readers, step);
  }
  created(await api.http.post(inPlan(api), aWidget({ metadata: { name: lastName, labels: { team: 'red' } } })));
  for (const reader of readers) {
    reader.goOn();
  }
  try {
    await inTime(reading, `the readers do not see ${lastName}`);
    const fresh = new Map((await readAll()).map(({ labelSelector, objects }) => [labelSelector, objects]));
    for (const reader of readers) {
      expect(reader.objects, `a reader of "${reader.labelSelector}"`).toEqual(fresh.get(reader.labelSelector));
    }
    for (const [step, point] of points.entries()) {
      await replay(api, point, { step, expires: step < forgotten, fresh: fresh.get(point.labelSelector) });
    }
  } finally {
    for (const reader of readers) {
      reader.close();
    }
  }
  return {
    closed: readers.reduce((sum, { ends }) => sum + ends.closed, 0),
    expired: readers.reduce((sum, { ends }) => sum + ends.expired, 0),
  };
}

async function take(api: Api, readers: readonly Reader[], step: ReplayStep): Promise<void> {
  switch (step.do) {
    case 'write':
      await Promise.all(step.at.map(one => perform(api, one)));
      return;
    case 'flood':
      return performFlood(api, step.name);
    case 'pause':
      readers[step.reader]?.pause();
      return;
    case 'go on':
      readers[step.reader]?.goOn();
      return;
    case 'compact':
  }
}

/** Only versions before the compaction may expire. */
async function replay(
  api: Api,
  point: Point,
  { step, expires, fresh }: { readonly step: number; readonly expires: boolean; readonly fresh: unknown },
): Promise<void> {
  const reader = new Reader(api, point);
  const what = `a replay of "${point.labelSelector}" from step ${step}`;
  try {
    expect(await inTime(reader.readOnce(), `${what} does not see ${lastName}`), what).toBe(true);
    expect(reader.objects, what).toEqual(fresh);
    expect(reader.ends.expired, `step ${step} is remembered`).toBeLessThanOrEqual(expires ? 1 : 0);
  } finally {
    reader.close();
  }
}

const patienceMs = 300_000;

/** Rejects when the server never answers its readers. */
async function inTime<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`After ${patienceMs / 1000} s ${what}`)), patienceMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
