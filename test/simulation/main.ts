// `npm run simulate`: runs one simulation with its trace, or many with statistics.
import { parseArgs } from 'node:util';
import { callPoints, campaign, describeFailures, trialsOf } from './campaign.ts';
import { describeKills } from './kills/campaign.ts';
import { examineInvocations } from './kills/task.ts';
import { callFaults, type FaultPlan, judge, killFaults, perform, type Trial } from './trial.ts';
import { endWorkers } from './workers.ts';
import { managedWorkloads, workloadNamed, workloads } from './workloads/found.ts';
import type { Workload } from './workloads/workload.ts';

const usage = `npm run simulate -- --workload NAME --seed N [--plan PLAN] [--call N] [--trace]
npm run simulate -- --runs N [--seed FIRST] [--plan PLAN] [--managed | --workload NAME]
npm run simulate -- --points all|writes [--step N] [--managed]
npm run simulate -- --workload NAME --invocation N

  --workload   ${workloads.map(({ name }) => name).join(', ')},
               ${managedWorkloads.map(({ name }) => name).join(', ')},
               machinedeployment-random-rollout
  --seed       a whole number; the same seed is the same run
  --plan       mixed (default), undisturbed, restarts, absences, audit, outage, clocks, lossy, lossy-without-resync,
               ${callFaults.slice(0, 6).join(', ')},
               ${callFaults.slice(6, 9).join(', ')},
               ${callFaults.slice(9).join(', ')} (these need --call)
  --call       the number of the call, as the trace shows it
  --trace      prints every step
  --runs       so many runs of each workload, or of one, on all cores, with consecutive seeds; --seed is the first one
  --points     every process is killed at each of its calls, or of those that write, once in each run of all workloads
  --step       of --points: only every so many of them
  --invocation the function is killed at each call of this invocation of the undisturbed run: 0, 1, …; then it is invoked again
  --managed    of --runs and --points: the workloads of managed topologies instead of all others`;

/** The time between two progress lines. */
const progressMs = 10_000;

function toPlan(name: string, call: number): FaultPlan {
  switch (name) {
    case 'mixed':
    case 'undisturbed':
    case 'restarts':
    case 'absences':
    case 'audit':
    case 'outage':
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

function pointsOf(at: string, step: number, of: readonly Workload[]): Promise<readonly Trial[]> {
  if (at !== 'all' && at !== 'writes') {
    throw new RangeError(`--points is "all" or "writes", not "${at}"`);
  }
  const names = of.map(({ name }) => name);
  return callPoints(names, { faults: killFaults, chosen: { every: step }, at: at === 'all' ? 'all calls' : 'writes' });
}

/** Returns the exit code. */
async function runMany(trials: readonly Trial[]): Promise<number> {
  const started = performance.now();
  let reported = started;
  const result = await campaign(trials, ({ judged, failures }) => {
    if (performance.now() - reported > progressMs) {
      reported = performance.now();
      console.error(
        `${judged} of ${trials.length} runs, ${failures.length} of them wrong, ${toSeconds(reported - started)}`,
      );
    }
  });
  await endWorkers();
  const { judged, failures, calls } = result;
  console.log(describeFailures(result));
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
      workload: { type: 'string' },
      seed: { type: 'string', default: '1' },
      plan: { type: 'string', default: 'mixed' },
      call: { type: 'string', default: '1' },
      trace: { type: 'boolean', default: false },
      runs: { type: 'string' },
      points: { type: 'string' },
      invocation: { type: 'string' },
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
  const { workload = 'create' } = values;
  const of = values.managed ? managedWorkloads : workloads;
  if (values.invocation !== undefined) {
    const report = await examineInvocations(workload, [toNumber('invocation', values.invocation)]);
    console.log([...report.failures, describeKills(report)].join('\n'));
    return report.failures.length === 0 ? 0 : 1;
  }
  if (values.points !== undefined) {
    const trials = await pointsOf(values.points, Math.max(1, toNumber('step', values.step)), of);
    return runMany(trials);
  }
  if (values.runs !== undefined) {
    const chosen = values.workload === undefined ? of : [workloadNamed(workload)];
    const extent = { seeds: toNumber('runs', values.runs), first: toNumber('seed', values.seed), of: chosen };
    return runMany([...trialsOf(plan, extent)]);
  }
  const trial: Trial = { workload, seed: toNumber('seed', values.seed), plan };
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
