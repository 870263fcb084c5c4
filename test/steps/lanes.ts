// Runs steps in lanes. The steps of a lane run sequentially, and the lanes run in parallel. Steps that mostly wait then
// run in parallel with steps that mostly compute.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type StepResult, toLine } from './result.ts';

export interface LaneStep {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The step consists of steps, and prints their output itself. */
  readonly isStreamed?: boolean;
  /** The names of steps of other lanes that must end first, with any result. */
  readonly after?: readonly string[];
}

interface LaneOptions {
  /** The folder of the results: `<step>.log`, and `steps` with one line for each step. */
  readonly results: string;
  readonly report: (text: string) => unknown;
  /** Prints the whole output of a step that passed, too. */
  readonly isVerbose: boolean;
  /** The result of the step is not a line of `steps`, because it repeats a part of another step or consists of steps. */
  readonly isUnrecorded?: boolean;
}

/** The shell prints the CPU time of the program and of its children to descriptor 3. */
const timed = '"$@"; code=$?; times >&3; exit $code';

/** Resolves when every step has ended. A failed step does not stop the others. */
export async function runLanes(
  lanes: readonly (readonly LaneStep[])[],
  options: LaneOptions,
): Promise<readonly StepResult[]> {
  const steps = lanes.flat();
  const ends = new Map(steps.map(({ name }) => [name, Promise.withResolvers<void>()]));
  const endOf = (name: string): PromiseWithResolvers<void> => {
    const end = ends.get(name);
    if (end === undefined) {
      throw new Error(`There is no step ${name}`);
    }
    return end;
  };
  const all = lanes.map(async lane => {
    const results: StepResult[] = [];
    for (const step of lane) {
      await Promise.all((step.after ?? []).map(name => endOf(name).promise));
      results.push(await runStep(step, options));
      endOf(step.name).resolve();
    }
    return results;
  });
  return (await Promise.all(all)).flat();
}

async function runStep(step: LaneStep, { results, report, isVerbose, isUnrecorded }: LaneOptions): Promise<StepResult> {
  const { name, command, env = {} } = step;
  report(`== ${name}: ${command.join(' ')}`);
  const base = path.join(results, name.replaceAll('/', '-'));
  const [log, times] = [`${base}.log`, `${base}.times`];
  const started = performance.now();
  const passed = await ended(start(command, { log, times, env, isStreamed: step.isStreamed === true }));
  const result: StepResult = {
    name,
    passed,
    seconds: Math.round((performance.now() - started) / 1000),
    processorSeconds: processorSecondsIn(readFileSync(times, 'utf8')),
  };
  if (isUnrecorded !== true) {
    appendFileSync(path.join(results, 'steps'), toLine(result));
  }
  const output = readFileSync(log, 'utf8').trimEnd();
  report(isVerbose || !passed ? output : shortened(output));
  report(`== ${name} ${passed ? 'passed' : 'failed'} after ${result.seconds} s`);
  return result;
}

interface Files {
  readonly log: string;
  readonly times: string;
  readonly env: Readonly<Record<string, string>>;
  readonly isStreamed: boolean;
}

/** The output is written to a file. A pipe would stay open while child processes of the step still run. */
function start([program = '', ...args]: readonly string[], { log, times, env, isStreamed }: Files): ChildProcess {
  const [output, account] = [openSync(log, 'w'), openSync(times, 'w')];
  const child = spawn('/bin/sh', ['-c', timed, 'sh', program, ...args], {
    env: { ...process.env, ...env },
    stdio: isStreamed ? ['ignore', 'inherit', 'inherit', account] : ['ignore', output, output, account],
  });
  closeSync(output);
  closeSync(account);
  return child;
}

async function ended(child: ChildProcess): Promise<boolean> {
  const [code] = await once(child, 'exit');
  return code === 0;
}

/** The second line of `times` is for child processes: `0m12.30s 0m1.20s`, user and system time. */
export function processorSecondsIn(times: string): number {
  const [, children = ''] = times.split('\n');
  const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => 60 * Number(minutes) + Number(rest),
  );
  return Math.round(seconds.reduce((sum, each) => sum + each, 0));
}

/** The skipped tests, and the totals of the test runner. */
function shortened(output: string): string {
  return output
    .split('\n')
    .filter(line => /^Skipped "|^\s*(Test Files|Tests) /.test(line))
    .join('\n');
}
