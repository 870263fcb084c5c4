// The longest chain of dependent requests, counted exactly. In virtual time, each request takes one round, and other
// work takes no time.
import type { Intent, Kubernetes, ListQuery, ObjectRef } from '@capi-serverless/apimachinery';
import { Scheduler } from '../simulation/engine/scheduler.ts';

export interface Rounds<T> {
  readonly result: T;
  /**
   * The requests of each round, for example `get Cluster c1`. Requests that begin before an answer are in the same
   * round.
   */
  readonly rounds: readonly (readonly string[])[];
}

const roundMs = 1;

/**
 * Runs the work with a client that answers all open requests at the same time, when the work waits for nothing else.
 * Its answers must arrive in microtasks, like those of the memory API. Rejects if the work waits for something other
 * than requests.
 */
export async function countRounds<T>(
  client: Kubernetes,
  work: (kubernetes: Kubernetes) => Promise<T>,
): Promise<Rounds<T>> {
  const scheduler = new Scheduler(0);
  const rounds: string[][] = [];
  let isOver = false;
  const turn = (request: string): Promise<void> => {
    const round = rounds[scheduler.now / roundMs] ?? [];
    rounds[scheduler.now / roundMs] = [...round, request];
    return new Promise(resolve => {
      scheduler.after(roundMs, resolve);
    });
  };
  const working = work(inTurns(client, turn)).finally(() => {
    isOver = true;
  });
  // The caller handles the error at the end.
  working.catch(() => {});
  await scheduler.run(() => isOver);
  if (!isOver) {
    throw new Error(`After ${rounds.flat().at(-1)}, the work waits for something besides requests`);
  }
  return { result: await working, rounds };
}

type Of = ObjectRef | ListQuery | Intent;

function toText(verb: string, of: Of): string {
  const name = 'metadata' in of ? of.metadata.name : 'name' in of ? of.name : '';
  return [verb, of.kind, name].filter(part => part !== '').join(' ');
}

/** Returns the same client. Each request waits for the next round before it is sent. */
function inTurns(client: Kubernetes, turn: (request: string) => Promise<void>): Kubernetes {
  const after =
    <Rest extends readonly unknown[], T, Target extends Of>(
      verb: string,
      send: (of: Target, ...rest: Rest) => Promise<T>,
    ) =>
    async (of: Target, ...rest: Rest): Promise<T> => {
      await turn(toText(verb, of));
      return send(of, ...rest);
    };
  return {
    get: after('get', client.get) as Kubernetes['get'], // true: it has the same arguments and the same answer
    list: after('list', client.list) as Kubernetes['list'], // true: it has the same arguments and the same answer
    metadata: after('metadata', client.metadata),
    dryRun: { apply: after('try apply', client.dryRun.apply) },
    create: after('create', client.create),
    mergePatch: after('patch', client.mergePatch),
    jsonPatch: after('patch', client.jsonPatch),
    apply: after('apply', client.apply),
    delete: after('delete', client.delete),
    watches: { page: after('page', client.watches.page), watch: client.watches.watch },
    within: signal => inTurns(client.within(signal), turn),
  };
}
