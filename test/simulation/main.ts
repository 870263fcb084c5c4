// `npm run simulate`: one run of the simulation seen from close by, or many of them counted.
import { parseArgs } from 'node:util';
import { callPoints, campaign, endWorkers, seeds, tell } from './campaign.ts';
import { callFaults, judge, killFaults, type Plan, perform, type Trial } from './trial.ts';
import { managedWorkloads, workloads } from './workloads/index.ts';
import type { Workload } from './workloads/workload.ts';

const usage = `npm run simulate -- --workload NAME --seed N [--plan PLAN] [--call N] [--trace]
npm run simulate -- --runs N [--plan PLAN] [--managed]
npm run simulate -- --points all|writes [--step N] [--managed]

  --workload   ${workloads.map(({ name }) => name).join(', ')},
               ${managedWorkloads.map(({ name }) => name).join(', ')}
  --seed       a whole number; the same seed is the same run
  --plan       mixed (default), undisturbed, restarts, absences, audit, clocks, lossy, lossy-without-resync,
               ${callFaults.slice(0, 6).join(', ')},
               ${callFaults.slice(6, 9).join(', ')},
               ${callFaults.slice(9).join(', ')} (these need --call)
  --call       the number of the call, as the trace shows it
  --trace      prints every step
  --runs       so many runs on all cores, with the seeds 1, 2, …, each of the next workload in turn
  --points     every process is killed at each of its calls, or of those that write, once in each run of all workloads
  --step       of --points: only every so many of them
  --managed    of --runs and --points: the workloads of managed topologies instead of all others`;

/** Between two lines of progress. */
const progressMs = 10_000;

function toPlan(name: string, call: number): Plan {
  switch (name) {
    case 'mixed':
    case 'undisturbed':
    case 'restarts':
    case 'absences':
    case 'audit':
    case 'clocks':
      return { kind: name };
    case 'lossy':
    case 'lossy-without-resync':
      return { kind: 'lossy', resync: name === 'lossy' };
    default: {
      const fault = callFaults.find(each => each === name);
      if (fault === undefined) {
        throw new RangeError(`There is no plan "${name}"`);
      }
      return { kind: 'call', call, fault };
    }
  }
}

function toNumber(option: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) {
    throw new RangeError(`--${option} is a whole number, not "${text}"`);
  }
  return Number(text);
}

async function pointsOf(at: string, step: number, of: readonly Workload[]): Promise<readonly Trial[]> {
  if (at !== 'all' && at !== 'writes') {
    throw new RangeError(`--points is "all" or "writes", not "${at}"`);
  }
  const each = of.map(({ name }) =>
    callPoints(name, { faults: killFaults, step, at: at === 'all' ? 'all calls' : 'writes' }),
  );
  return (await Promise.all(each)).flat();
}

/** Returns the exit code. */
async function runMany(trials: Iterable<Trial>, runs: number): Promise<number> {
  const started = performance.now();
  let told = started;
  const result = await campaign(trials, ({ judged, failures }) => {
    if (performance.now() - told > progressMs) {
      told = performance.now();
      console.error(`${judged} of ${runs} runs, ${failures.length} of them wrong, ${toSeconds(told - started)}`);
    }
  });
  endWorkers();
  const { judged, failures, calls } = result;
  console.log(tell(result));
  console.log(
    `${judged - failures.length} of ${judged} end as the undisturbed run; ${Math.round(calls / Math.max(1, judged))} calls per run, ${toSeconds(performance.now() - started)}`,
  );
  return failures.length === 0 ? 0 : 1;
}

function toSeconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      workload: { type: 'string', default: 'create' },
      seed: { type: 'string', default: '1' },
      plan: { type: 'string', default: 'mixed' },
      call: { type: 'string', default: '1' },
      trace: { type: 'boolean', default: false },
      runs: { type: 'string' },
      points: { type: 'string' },
      step: { type: 'string', default: '1' },
      managed: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const plan = toPlan(values.plan, toNumber('call', values.call));
  const of = values.managed ? managedWorkloads : workloads;
  if (values.points !== undefined) {
    const trials = await pointsOf(values.points, Math.max(1, toNumber('step', values.step)), of);
    return runMany(trials, trials.length);
  }
  if (values.runs !== undefined) {
    const runs = toNumber('runs', values.runs);
    return runMany(seeds(plan, { least: runs, until: 0, of }), runs);
  }
  const trial: Trial = { workload: values.workload, seed: toNumber('seed', values.seed), plan };
  const run = await perform(trial, { trace: values.trace });
  const verdict = await judge(trial);
  console.log((values.trace ? run.trace.lines : run.trace.faults).join('\n'));
  console.log(`${run.virtualSeconds.toFixed(0)} s of virtual time, ${run.steps} steps, ${run.calls} calls`);
  console.log(verdict.problems.length === 0 ? 'ended as the undisturbed run' : verdict.problems.join('\n'));
  return verdict.problems.length === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.error(usage);
  process.exitCode = 2;
}
