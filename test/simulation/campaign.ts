// Runs many trials on all cores.
import { createRandom } from './engine/random.ts';
import { type CallFault, type Trial, type TrialResult, toReplay } from './trial.ts';
import type { CountTask, TrialTask, UndisturbedRun } from './worker.ts';
import { onAllCores } from './workers.ts';
import { workloads } from './workloads/found.ts';
import type { Workload } from './workloads/workload.ts';

/**
 * The number of trials per message to a worker. It amortizes the cost of the message, and the campaign still ends in
 * time.
 */
const chunk = 8;

/** The number of failures that are reported in full. */
const reportedFailures = 5;

export interface Campaign {
  readonly judged: number;
  readonly failures: readonly TrialResult[];
  readonly calls: number;
}

/**
 * Runs all trials and reports progress after each batch. A worker gets its next batch after it has finished the
 * previous one.
 */
export async function campaign(
  trials: Iterable<Trial>,
  onProgress: (soFar: Campaign) => void = () => {},
  batchSize = chunk,
): Promise<Campaign> {
  const result = { judged: 0, failures: [] as TrialResult[], calls: 0 };
  await onAllCores(tasksOf(batches(trials, batchSize)), (verdicts: readonly TrialResult[]) => {
    result.judged += verdicts.length;
    result.calls += verdicts.reduce((sum, { calls }) => sum + calls, 0);
    result.failures.push(...verdicts.filter(({ problems }) => problems.length > 0));
    onProgress(result);
  });
  return result;
}

/** The runs without faults that a worker has computed. The other workers do not compute them again. */
const undisturbedRuns = new Map<string, UndisturbedRun>();

function* tasksOf(chunks: Iterable<readonly Trial[]>): Generator<TrialTask, void> {
  for (const trials of chunks) {
    const names = new Set(trials.map(({ workload }) => workload));
    yield { trials, known: [...names].flatMap(name => undisturbedRuns.get(name) ?? []) };
  }
}

/** The next batch is drawn when a worker is free for it. */
function* batches(trials: Iterable<Trial>, size: number): Generator<readonly Trial[], void> {
  const left = trials[Symbol.iterator]();
  for (let batch = take(left, size); batch.length > 0; batch = take(left, size)) {
    yield batch;
  }
}

function take(left: Iterator<Trial>, size: number): readonly Trial[] {
  const batch: Trial[] = [];
  while (batch.length < size) {
    const next = left.next();
    if (next.done === true) {
      break;
    }
    batch.push(next.value);
  }
  return batch;
}

/** Every n-th trial. */
interface EveryNth {
  readonly every: number;
  /** The number of the first trial, modulo n. Default: 0. Consecutive numbers select all trials. */
  readonly from?: number;
  /** The interval for calls of forwarders. Default: the same. */
  readonly ofForwarders?: number;
}

export interface Points {
  readonly faults: readonly CallFault[];
  /** The workload's name determines which trials are drawn. */
  readonly chosen: EveryNth | { readonly drawn: number };
  /**
   * `writes`: only calls that change something. A kill between two writes always has the same effect, so kills at reads
   * repeat the kills at the adjacent writes.
   */
  readonly at: 'all calls' | 'writes';
}

/** Each of these faults at calls of the workloads' runs without faults. */
export async function callPoints(names: readonly string[], points: Points): Promise<readonly Trial[]> {
  const unknown = names
    .filter(name => !undisturbedRuns.has(name))
    .map((workload): CountTask => ({ counted: workload }));
  await onAllCores(unknown.values(), (answer: UndisturbedRun) => void undisturbedRuns.set(answer.workload, answer));
  return names.flatMap(name => undisturbedRuns.get(name) ?? []).flatMap(answer => chooseTrials(answer, points));
}

/** The trials of one workload. Their order and number do not depend on other workloads. */
export function chooseTrials(counted: Omit<UndisturbedRun, 'end'>, { faults, chosen, at }: Points): readonly Trial[] {
  const { workload, calls, writes, forwarderCalls } = counted;
  const possible = at === 'writes' ? writes : Array.from({ length: calls }, (_, index) => index + 1);
  const toTrials = (call: number) =>
    faults.map((fault): Trial => ({ workload, seed: 0, plan: { kind: 'call', call, fault } }));
  const points = possible.flatMap(toTrials);
  if ('every' in chosen) {
    const { every, from = 0, ofForwarders = every } = chosen;
    const areOfForwarders = new Set(forwarderCalls);
    const sample = (isOfForwarder: boolean, interval: number): readonly Trial[] =>
      possible
        .filter(call => areOfForwarders.has(call) === isOfForwarder)
        .flatMap(toTrials)
        .filter(isNth(interval, from));
    return ofForwarders === every
      ? points.filter(isNth(every, from))
      : [...sample(true, ofForwarders), ...sample(false, every)];
  }
  const random = createRandom(`points/${workload}/${faults.join()}`);
  const drawn = new Set(Array.from({ length: chosen.drawn }, () => random.below(points.length)));
  return points.filter((_, index) => drawn.has(index));
}

/** Of fewer trials than the interval, one is chosen. Otherwise a workload with few calls had none for most commits. */
function isNth(interval: number, from: number) {
  return (_: Trial, index: number, { length }: readonly Trial[]): boolean => {
    const step = Math.min(interval, length);
    return index % step === from % step;
  };
}

interface Extent {
  /** The number of seeds of each workload. There are more until the time limit. */
  readonly seeds: number;
  /** The first seed. Default: 1. */
  readonly first?: number;
  readonly until?: number;
  /** The workloads. Default: all except those of managed topologies. */
  readonly of?: readonly Workload[];
}

/** Trials of one plan. The selection of a workload and its seeds does not depend on the other workloads. */
export function* trialsOf(
  plan: Trial['plan'],
  { seeds, first = 1, until = 0, of = workloads }: Extent,
): Iterable<Trial> {
  for (let seed = first; seed < first + seeds || performance.now() < until; seed += 1) {
    for (const { name } of of) {
      yield { workload: name, seed, plan };
    }
  }
}

/** The failures, with the command that repeats each. */
export function describeFailures({ failures }: Campaign): string {
  return failures
    .slice(0, reportedFailures)
    .map(({ trial, problems, faults }) =>
      [toReplay(trial), ...problems, ...faults.map(fault => `  ${fault}`)].join('\n'),
    )
    .join('\n\n');
}
