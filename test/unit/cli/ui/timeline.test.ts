import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordTimeline, type Timeline } from '../../../../cli/ui/timeline.ts';
import { type ReconcileFact, reconciles, reconciling, requests } from '../../../../shared/diagnostics/channels.ts';

let timeline: Timeline;
let entries: number;

beforeEach(() => {
  entries = 0;
  timeline = recordTimeline(() => {
    entries += 1;
  });
});

afterEach(() => timeline.stop());

const factOf = (reconciler: string, name: string, startedAt: number): ReconcileFact => ({
  reconciler,
  namespace: 'ns',
  name,
  result: 'success',
  passes: 1,
  writes: 1,
  seconds: 0.1,
  startedAt,
  sentAt: startedAt - 1000,
  causes: ['watch'],
  traces: ['t'],
});

const requested = (verb: string, resource: string, name: string, code = 200): void =>
  requests.publish({ verb, group: '', resource, name, dryRun: false, code, startedAt: 0, endedAt: 1, client: 'f' });

async function reconcile(reconciler: string, name: string, at: number, work: () => Promise<void>): Promise<void> {
  await reconciling.runStores({ reconciler, namespace: 'ns', name }, work);
  reconciles.publish(factOf(reconciler, name, at));
}

const pause = () => new Promise(resolve => setImmediate(resolve));

describe('the timeline of an object', () => {
  it('has the requests of each reconcile, also of those that run at the same time', async () => {
    await Promise.all([
      reconcile('cluster', 'a', 2, async () => {
        requested('get', 'clusters', 'a');
        await pause();
        requested('patch', 'clusters/status', 'a', 409);
      }),
      reconcile('cluster', 'b', 1, async () => {
        await pause();
        requested('list', 'machines', '');
      }),
    ]);
    requested('get', 'secrets', 'elsewhere');
    const [entry, ...others] = timeline.entriesOf(['cluster'], { namespace: 'ns', name: 'a' });
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      startedAt: 2,
      reads: [{ verb: 'get', resource: 'clusters', name: 'a', code: 200 }],
      written: [{ verb: 'patch', resource: 'clusters/status', name: 'a', code: 409 }],
    });
    expect(timeline.entriesOf(['cluster'], { namespace: 'ns', name: 'b' })[0]?.reads).toHaveLength(1);
    expect(entries).toBe(2);
  });

  it('joins several reconcilers, the latest first, and keeps the last twenty', async () => {
    for (let at = 0; at < 30; at += 1) {
      await reconcile(at % 2 === 0 ? 'cluster' : 'topology', 'a', at, pause as () => Promise<void>);
    }
    const found = timeline.entriesOf(['cluster', 'topology'], { namespace: 'ns', name: 'a' });
    expect(found.map(({ startedAt }) => startedAt)).toEqual(Array.from({ length: 20 }, (_, index) => 29 - index));
    expect(timeline.entriesOf(['machine'], { namespace: 'ns', name: 'a' })).toEqual([]);
  });

  it('is bounded in objects and in requests', async () => {
    for (let at = 0; at < 5_001; at += 1) {
      reconciles.publish(factOf('cluster', `c${at}`, at));
    }
    await reconcile('cluster', 'busy', 1, async () => {
      for (let at = 0; at < 500; at += 1) {
        requested('get', 'machines', `m${at}`);
      }
    });
    expect(timeline.entriesOf(['cluster'], { namespace: 'ns', name: 'c0' })).toEqual([]);
    expect(timeline.entriesOf(['cluster'], { namespace: 'ns', name: 'c5000' })).toHaveLength(1);
    expect(timeline.entriesOf(['cluster'], { namespace: 'ns', name: 'busy' })[0]?.reads).toHaveLength(200);
  });
});
