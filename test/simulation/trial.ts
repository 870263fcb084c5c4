// One trial: a workload with one plan of faults, compared with the run of the same workload without faults.

import {
  calm,
  drawRates,
  type Fault,
  type Faults,
  faultAt,
  mixedFaults,
  noFaults,
  type Outage,
  outageFaults,
  refusals,
} from './engine/faults.ts';
import { createRandom, type Random } from './engine/random.ts';
import type { EndState } from './oracles/end-state.ts';
import { type RunResult, runSimulation, type SimulationRunOptions } from './run.ts';
import { workloadNamed } from './workloads/found.ts';

/** The plan of faults. Everything else in the run is derived from the seed. */
export type FaultPlan =
  | { readonly kind: 'undisturbed' }
  /** One fault at one call of the run. The seed determines the run. */
  | { readonly kind: 'call'; readonly call: number; readonly fault: CallFault }
  /** A mixture that the seed determines. */
  | { readonly kind: 'mixed' }
  /** Every fifth watched change is lost. */
  | { readonly kind: 'lossy'; readonly resync: boolean }
  /** One of two forwarders is killed repeatedly. */
  | { readonly kind: 'restarts' }
  /** The only forwarder is killed repeatedly. */
  | { readonly kind: 'absences' }
  /** Audit events are the only event source. */
  | { readonly kind: 'audit' }
  /** No request reaches the API server for half an hour. */
  | { readonly kind: 'outage' }
  /** Clocks are skewed by seconds. */
  | { readonly kind: 'clocks' };

/** The fault kinds of one call: `kill before`, `timeout after`, … */
export type CallFault = (typeof callFaults)[number];

export const killFaults = ['kill-before', 'kill-after'] as const;

/** All fault kinds except kills. */
export const answerFaults = [
  'hang-before',
  'hang-after',
  'timeout-before',
  'timeout-after',
  'conflict-before',
  'notServed-before',
  'tooManyRequests-before',
  'forbidden-before',
  'internalError-before',
  'unavailable-before',
] as const;

export const callFaults = [...killFaults, ...answerFaults];

export interface Trial {
  readonly workload: string;
  readonly seed: number;
  readonly plan: FaultPlan;
}

export interface TrialResult {
  readonly trial: Trial;
  /** Empty if the trial passed. */
  readonly problems: readonly string[];
  /** The faults of the run, in order. */
  readonly faults: readonly string[];
  readonly calls: number;
}

const resyncPeriodMs = 600_000;
const lossShare = 0.2;
const outageMs = 1_800_000;
const latestOutageMs = 5_000;
const wrongClockMs = 3_000;
const restartsPerSecond = 0.3;
/** The share of mixed runs with a resync. The other mixed runs have no resync. */
const resyncShare = 0.2;

export async function judge(trial: Trial): Promise<TrialResult> {
  const run = await perform(trial);
  const isAlone = run.violations.length > 0 || workloadNamed(trial.workload).random === true;
  const problems = isAlone
    ? run.violations
    : differencesOf(trial.workload, run.end, (await undisturbedRun(trial.workload)).end);
  return { trial, problems, faults: run.trace.faults, calls: run.calls };
}

export function perform(
  trial: Trial,
  options: Pick<SimulationRunOptions, 'trace' | 'system' | 'onInvocation'> = {},
): Promise<RunResult> {
  const { workload, seed } = trial;
  return runSimulation({
    workload: workloadNamed(workload),
    seed: String(seed),
    ...toOptions(trial),
    ...options,
  });
}

function toOptions({ workload, seed, plan }: Trial): Omit<SimulationRunOptions, 'workload' | 'seed'> {
  const random = createRandom(`plan/${workload}/${seed}`);
  switch (plan.kind) {
    case 'undisturbed':
      return {};
    case 'call':
      return { faults: faultAt(plan.call, toFault(plan.fault)) };
    case 'mixed': {
      const resync = random.chance(resyncShare) ? { resyncPeriodMs } : {};
      return { faults: mixedFaults(drawRates(random), random), forwarders: 1 + random.below(2), ...resync };
    }
    case 'lossy':
      return { faults: withRates({ lostEvent: lossShare }), ...(plan.resync ? { resyncPeriodMs } : {}) };
    case 'audit':
      return { audit: true, forwarders: 0 };
    case 'absences':
      return { faults: withRates({ forwarderKill: restartsPerSecond }) };
    case 'outage':
      return { faults: outageFaults(drawOutage(random)) };
    case 'clocks':
      return { largestSkewMs: wrongClockMs };
    case 'restarts':
      return { faults: withRates({ forwarderKill: restartsPerSecond }), forwarders: 2 };
  }
}

function drawOutage(random: Random): Outage {
  const as = random.pick(['unavailable', 'hang', 'forbidden', 'timeout'] as const);
  return { beginsAfterMs: random.between(0, latestOutageMs), lastsMs: outageMs, as };
}

function toFault(name: CallFault): Fault {
  const [what = '', time] = name.split('-');
  const when = time === 'after' ? 'after' : 'before';
  const as = refusals.find(refusal => refusal === what);
  return as === undefined ? { do: what === 'kill' ? 'kill' : 'hang', when } : { do: 'refuse', as, when };
}

function withRates(rates: Partial<Faults['rates']>): Faults {
  return { ...noFaults, rates: { ...calm, ...rates } };
}

/** The calls of a workload's run without faults, and its final state. */
export type Undisturbed = Pick<RunResult, 'end' | 'calls' | 'writes' | 'forwarderCalls'>;

const undisturbedRuns = new Map<string, Promise<Undisturbed>>();

/** Computed once per process. Throws if the run without faults fails. */
export function undisturbedRun(workload: string): Promise<Undisturbed> {
  const known = undisturbedRuns.get(workload);
  if (known !== undefined) {
    return known;
  }
  const computed = perform({ workload, seed: 0, plan: { kind: 'undisturbed' } }).then(
    ({ violations, end, calls, writes, forwarderCalls }) => {
      if (violations.length > 0) {
        throw new Error(`The undisturbed run of ${workload} fails: ${violations.join('; ')}`);
      }
      return { end, calls, writes, forwarderCalls };
    },
  );
  undisturbedRuns.set(workload, computed);
  return computed;
}

/** Uses a run that another process computed. */
export function knowUndisturbed(workload: string, run: Undisturbed): void {
  if (!undisturbedRuns.has(workload)) {
    undisturbedRuns.set(workload, Promise.resolve(run));
  }
}

/** The command that repeats this run. */
export function toReplay({ workload, seed, plan }: Trial): string {
  const command = `npm run simulate -- --workload ${workload} --seed ${seed}`;
  switch (plan.kind) {
    case 'undisturbed':
      return `${command} --plan undisturbed`;
    case 'call':
      return `${command} --plan ${plan.fault} --call ${plan.call}`;
    case 'mixed':
      return command;
    case 'lossy':
      return `${command} --plan lossy${plan.resync ? '' : '-without-resync'}`;
    case 'restarts':
    case 'absences':
    case 'audit':
    case 'outage':
    case 'clocks':
      return `${command} --plan ${plan.kind}`;
  }
}

function differencesOf(workload: string, end: EndState, undisturbed: EndState): readonly string[] {
  const uncounted = workloadNamed(workload).countsVary === true;
  return uncounted
    ? differences({ ...end, changes: {} }, { ...undisturbed, changes: {} })
    : differences(end, undisturbed);
}

/** Returns the differences of two final states, one line each. */
export function differences(end: EndState, undisturbed: EndState): readonly string[] {
  const names = new Set([...Object.keys(end.objects), ...Object.keys(undisturbed.objects)]);
  const objects = [...names].flatMap(name => {
    const [found, expected] = [end.objects[name], undisturbed.objects[name]];
    return found === expected ? [] : [`I2: ${name} ended otherwise: ${toContrast(found, expected)}`];
  });
  const counted = new Set([...Object.keys(end.changes), ...Object.keys(undisturbed.changes)]);
  const changes = [...counted].flatMap(name => {
    const [found, expected] = [end.changes[name] ?? 0, undisturbed.changes[name] ?? 0];
    return found === expected ? [] : [`I2: ${name} happened ${found} times, undisturbed ${expected} times`];
  });
  return [...objects, ...changes];
}

const contextCharacters = 120;

/** Returns the parts in which two texts differ. */
function toContrast(found: string | undefined, expected: string | undefined): string {
  if (found === undefined || expected === undefined) {
    return found === undefined ? 'it does not exist' : 'it exists';
  }
  let at = 0;
  while (found[at] === expected[at]) {
    at += 1;
  }
  const part = (text: string): string => text.slice(Math.max(0, at - contextCharacters), at + contextCharacters);
  return `…${part(found)}… instead of …${part(expected)}…`;
}
