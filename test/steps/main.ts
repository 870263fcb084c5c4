// `npm test [-- SUITE…]`: the suites that need only npm. Suites that mostly wait run in parallel with suites that mostly
// compute.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { UsageError } from '../../local/usage-error.ts';
import { isFull } from '../support/extent.ts';
import { chooseLanes, type Suites, toUsage } from './arguments.ts';
import { type LaneStep, runLanes } from './lanes.ts';
import { followLive } from './live-failures.ts';
import { testLanes } from './quick.ts';
import { retryFailedFiles } from './retries.ts';
import { restingInQuickRuns } from './rotating-files.ts';

const projectRoot = path.resolve(import.meta.dirname, '../..');

function readSuites(): Suites {
  const manifest = readFileSync(path.join(projectRoot, 'package.json'), 'utf8');
  const { scripts } = JSON.parse(manifest) as { readonly scripts: object }; // true: npm has started a script of it
  return { lanes: testLanes({ isFull }), scripts: Object.keys(scripts) };
}

/** Returns the exit code. */
async function run(lanes: readonly (readonly LaneStep[])[]): Promise<number> {
  // A run of `.ci/run` collects the results of all its steps, runs failed files again and summarizes.
  const given = process.env['CAPI_TEST_RESULTS'] || undefined;
  const results = given ?? mkdtempSync(path.join(tmpdir(), 'capi-test-'));
  const withResults = (step: LaneStep): LaneStep => ({ ...step, env: { ...step.env, CAPI_TEST_RESULTS: results } });
  process.chdir(projectRoot);
  const report = (text: string): unknown => text !== '' && console.log(text);
  if (!isFull) {
    const count = restingInQuickRuns.length;
    report(`${count} long test files rest, others for each commit (docs/testing.md). CAPI_TEST_PART=all runs all`);
  }
  const endLive = given === undefined ? followLive(results, report) : undefined;
  const ended = await runLanes(
    lanes.map(lane => lane.map(withResults)),
    { results, isVerbose: given !== undefined, report },
  );
  endLive?.();
  if (given !== undefined) {
    return ended.every(({ passed }) => passed) ? 0 : 1;
  }
  await retryFailedFiles(lanes.flat(), { results, report });
  const { status } = spawnSync(process.execPath, ['.ci/summary.ts', results], { stdio: 'inherit' });
  rmSync(results, { recursive: true });
  return status ?? 1;
}

async function main(args: readonly string[]): Promise<number> {
  const suites = readSuites();
  try {
    const lanes = chooseLanes(args, suites);
    if (lanes === 'help') {
      console.log(toUsage(suites));
      return 0;
    }
    return await run(lanes);
  } catch (error) {
    if (!(error instanceof UsageError)) {
      throw error;
    }
    console.error(`${error.message}\n\n${toUsage(suites)}`);
    return 2;
  }
}

process.exitCode = await main(process.argv.slice(2));
