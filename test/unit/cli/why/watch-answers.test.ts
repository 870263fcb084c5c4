// `why --watch`: asks until nothing waits and prints what is new.
import { describe, expect, it } from 'vitest';
import { parseWhyObject } from '../../../../cli/why/operands.ts';
import { pauseUntil, watchAnswers } from '../../../../cli/why/watch-answers.ts';
import { why } from '../../../../cli/why/why.ts';
import { UsageError } from '../../../../local/usage-error.ts';
import { aCluster } from '../../../support/builders.ts';
import { createMemoryApi, type MemoryApi } from '../../../support/memory-api.ts';

const no = (reason: string) => ({ status: 'False', reason, message: 'no network' }) as const;
const waiting = () => aCluster().withInfrastructureRef().inPhase('Provisioning');

/** Watches Cluster ns/c1. Each pause runs the next step, and the user ends the command after the last one. */
async function watch(first: MemoryApi, ...steps: readonly (() => unknown)[]) {
  const written: string[] = [];
  const left = [...steps];
  let api = first;
  const cluster = parseWhyObject(['ns/c1'], undefined);
  const code = await watchAnswers(
    write => why(cluster, { reads: api.kubernetes, write, columns: 100, color: false, json: false }),
    {
      write: text => written.push(text),
      pause: async () => {
        const step = left.shift();
        const next = await step?.();
        api = isApi(next) ? next : api;
        return step !== undefined;
      },
    },
  );
  return { code, written };
}

function isApi(of: unknown): of is MemoryApi {
  return typeof of === 'object' && of !== null && 'kubernetes' in of;
}

/** A server with this object. */
function serverWith(object: ReturnType<typeof waiting>): MemoryApi {
  const api = createMemoryApi();
  api.given(object);
  return api;
}

describe('watching an object', () => {
  it('prints each new answer once, and ends when nothing waits', async () => {
    const api = serverWith(waiting().withCondition('InfrastructureReady', no('NotReady')));
    const { code, written } = await watch(
      api,
      () => undefined,
      () => serverWith(waiting().withCondition('InfrastructureReady', no('CreatingNetwork'))),
      () => serverWith(aCluster().inPhase('Provisioned')),
      () => expect.fail('it has ended'),
    );
    expect(code).toBe(0);
    expect(written).toHaveLength(3);
    expect(written[0]).toContain('(NotReady)');
    expect(written[1]).toContain('(CreatingNetwork)');
    expect(written[2]).toContain('Cluster ns/c1 waits for nothing.');
  });

  it('ends with the last exit code when the user ends it', async () => {
    const api = serverWith(waiting().withCondition('InfrastructureReady', no('NotReady')));
    expect(await watch(api, () => undefined)).toMatchObject({ code: 1, written: { length: 1 } });
  });

  it('goes on after a question without answer, and ends when the object is gone', async () => {
    const api = serverWith(waiting().withCondition('InfrastructureReady', no('NotReady')));
    const { code, written } = await watch(
      api,
      () =>
        api.calls.fail({
          at: call => call.verb === 'get',
          failure: { reason: 'Unavailable', message: 'no answer' },
          times: 1,
        }),
      async () => {
        const ref = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace: 'ns', name: 'c1' };
        await api.others.delete(ref);
      },
    );
    expect(written.slice(1)).toEqual(['Cluster ns/c1 cannot be read: no answer\n', 'Cluster ns/c1 is gone.\n']);
    expect(code).toBe(0);
  });

  it('refuses an object that is not there at first', async () => {
    await expect(watch(createMemoryApi())).rejects.toThrow(UsageError);
  });

  it('does not hide a defect', async () => {
    const answers = [async () => 1, () => Promise.reject(new TypeError('a defect'))];
    const ask = async () => (await answers.shift()?.()) ?? 0;
    await expect(watchAnswers(ask, { write: () => undefined, pause: async () => true })).rejects.toThrow('a defect');
  });
});

it('pauses no longer than until the user ends it', async () => {
  const ended = new AbortController();
  const pause = pauseUntil(ended.signal)();
  ended.abort();
  expect(await pause).toBe(false);
});
