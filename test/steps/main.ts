// `npm test`: the suites that need only npm. Suites that mostly wait run in parallel with suites that mostly compute.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type LaneStep, runLanes } from './lanes.ts';
import { quickLanes } from './quick.ts';

const projectRoot = path.resolve(import.meta.dirname, '../..');
const results = mkdtempSync(path.join(tmpdir(), 'capi-test-'));

const withResults = (step: LaneStep): LaneStep => ({ ...step, env: { ...step.env, CAPI_TEST_RESULTS: results } });

process.chdir(projectRoot);
await runLanes(
  quickLanes.map(lane => lane.map(withResults)),
  { results, isVerbose: false, report: text => text !== '' && console.log(text) },
);
const { status } = spawnSync(process.execPath, ['.ci/summary.ts', results], { stdio: 'inherit' });
rmSync(results, { recursive: true });
process.exitCode = status ?? 1;
