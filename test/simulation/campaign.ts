// Many trials on all cores.
import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type CallFault, perform, type Trial, toReplay, type Verdict } from './trial.ts';
import { workloads } from './workloads/index.ts';
import type { Workload } from './workloads/workload.ts';

/** Trials per message to a worker: enough to hide the message, few enough to end in time. */
const chunk = 8;

/** Runs leave much behind that is soon garbage; all cores are busy, so collecting it beside the run gains nothing. */
const workerFlags = ['--max-semi-space-size=64', '--single-threaded-gc'];

/** How many failures are told in full. */
const toldFailures = 5;

export interface Campaign {
  readonly judged: number;
  readonly failures: readonly Verdict[];
  readonly calls: number;
}

/** Started once and kept: most of the time of a short run would go into starting. */
const workers: ChildProcess[] = [];

/** Judges trials until there is none left, and tells after each batch how far it is. Each worker is asked for more when it is done. */
export async function campaign(
  trials: Iterable<Trial>,
  onProgress: (soFar: Campaign) => void = () => {},
): Promise<Campaign> {
  const left = trials[Symbol.iterator]();
  const result = { judged: 0, failures: [] as Verdict[], calls: 0 };
  while (workers.length < availableParallelism()) {
    workers.push(startWorker());
  }
  await Promise.all(
    workers.map(async worker => {
      for (let batch = take(left); batch.length > 0; batch = take(left)) {
        const verdicts = await judgeBy(worker, batch);
        result.judged += verdicts.length;
        result.calls += verdicts.reduce((sum, { calls }) => sum + calls, 0);
        result.failures.push(...verdicts.filter(({ problems }) => problems.length > 0));
        onProgress(result);
      }
    }),
  );
  return result;
}

export function endWorkers(): void {
  for (const child of workers.splice(0)) {
    end(child);
  }
}

function startWorker(): ChildProcess {
  return fork(fileURLToPath(new URL('./worker.ts', import.meta.url)), { execArgv: workerFlags });
}

/** One that has died already has nothing to be disconnected from. */
function end(child: ChildProcess): void {
  if (child.connected) {
    child.disconnect();
  }
}

function judgeBy(child: ChildProcess, batch: readonly Trial[]): Promise<readonly Verdict[]> {
  return new Promise((resolve, reject) => {
    const lost = (code: number | null, signal: string | null): void =>
      reject(new Error(`A worker of the simulation ended with ${signal ?? `code ${code}`}`));
    child.once('exit', lost);
    child.once('message', verdicts => {
      child.off('exit', lost);
      resolve(verdicts as unknown as readonly Verdict[]); // the worker sends nothing else
    });
    child.send(batch);
  });
}

function take(left: Iterator<Trial>): readonly Trial[] {
  const batch: Trial[] = [];
  while (batch.length < chunk) {
    const next = left.next();
    if (next.done === true) {
      break;
    }
    batch.push(next.value);
  }
  return batch;
}

export interface Points {
  readonly faults: readonly CallFault[];
  /** Every so many of them. */
  readonly step: number;
  /**
   * `writes`: only calls that change something. Who is killed between two of its writes leaves the same behind wherever that
   * was, so all points at reads repeat those at the writes beside them, a little earlier or later.
   */
  readonly at: 'all calls' | 'writes';
}

/** Calls of the workload's undisturbed run with each of these faults. */
export async function callPoints(workload: string, { faults, step, at }: Points): Promise<readonly Trial[]> {
  const { calls, writes } = await perform({ workload, seed: 0, plan: { kind: 'undisturbed' } });
  const chosen = at === 'writes' ? writes : Array.from({ length: calls }, (_, index) => index + 1);
  const points = chosen.flatMap(call =>
    faults.map((fault): Trial => ({ workload, seed: 0, plan: { kind: 'call', call, fault } })),
  );
  return points.filter((_, index) => index % step === 0);
}

export interface Extent {
  readonly least: number;
  readonly until: number;
  /** Default: all but those of managed topologies. */
  readonly of?: readonly Workload[];
}

/** Trials of one plan over these workloads in turn: at least `least`, and more until the time is over. */
export function* seeds(plan: Trial['plan'], { least, until, of = workloads }: Extent): Iterable<Trial> {
  for (let seed = 1; seed <= least || performance.now() < until; seed += 1) {
    const workload = of[seed % of.length]?.name ?? '';
    yield { workload, seed, plan };
  }
}

/** What failed, with how to see it again. */
export function tell({ failures }: Campaign): string {
  return failures
    .slice(0, toldFailures)
    .map(({ trial, problems, faults }) =>
      [toReplay(trial), ...problems, ...faults.map(fault => `  ${fault}`)].join('\n'),
    )
    .join('\n\n');
}
