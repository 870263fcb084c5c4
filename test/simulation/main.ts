// `npm run simulate`: one run of the simulation, seen from close by.
import { parseArgs } from 'node:util';
import { callFaults, judge, type Plan, perform, type Trial } from './trial.ts';
import { workloads } from './workloads/index.ts';

const usage = `npm run simulate -- --workload NAME --seed N [--plan PLAN] [--call N] [--trace]

  --workload   ${workloads.map(({ name }) => name).join(', ')}
  --seed       a whole number; the same seed is the same run
  --plan       mixed (default), undisturbed, restarts, absences, audit, clocks, lossy, lossy-without-resync,
               ${callFaults.slice(0, 6).join(', ')},
               ${callFaults.slice(6, 9).join(', ')},
               ${callFaults.slice(9).join(', ')} (these need --call)
  --call       the number of the call, as the trace shows it
  --trace      prints every step`;

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

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      workload: { type: 'string', default: 'create' },
      seed: { type: 'string', default: '1' },
      plan: { type: 'string', default: 'mixed' },
      call: { type: 'string', default: '1' },
      trace: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const trial: Trial = {
    workload: values.workload,
    seed: toNumber('seed', values.seed),
    plan: toPlan(values.plan, toNumber('call', values.call)),
  };
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
