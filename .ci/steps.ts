// All steps of `.ci/run`. Usage: node .ci/steps.ts FOLDER. First the checks that fail fast, then the command of the README,
// `npm test`, with the full extent, then everything that needs real parts or much time. No suite runs twice.
import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type LaneStep, runLanes } from '../test/steps/lanes.ts';
import { followLive } from '../test/steps/live-failures.ts';
import { suite, testLanes } from '../test/steps/quick.ts';
import { parseLine, toLine } from '../test/steps/result.ts';
import { retryFailedFiles } from '../test/steps/retries.ts';
import { restingFiles, restingInFullRuns } from '../test/steps/rotating-files.ts';

const [results = ''] = process.argv.slice(2);
if (results === '') {
  throw new Error('Usage: node .ci/steps.ts FOLDER');
}

const script = (name: string, ...args: readonly string[]): LaneStep => ({
  name,
  command: ['npm', 'run', '--silent', name, ...args],
});

/** With more affected test files, the change is large. They run with all others then. */
const mostAffected = '60';

/** A failure here ends the run. */
const checks: readonly (readonly LaneStep[])[] = [
  [script('lint'), script('generate:check')],
  [script('typecheck'), script('ci:changed', '--', '--tests', '--most-files', mostAffected, 'unit', 'unit-uncovered')],
];

/** The command of the README. Its suites are steps of their own. */
const npmTest: LaneStep = {
  name: 'npm test',
  command: ['npm', 'test'],
  env: { CAPI_TEST_EXTENT: 'full' },
  isStreamed: true,
};

/** Built once per machine. On a new machine, this takes as long as `npm test`. */
const realParts = [
  script('elasticmq'),
  script('lambda-ric'),
  script('cfn-lint'),
  script('iam-engine'),
  script('eks-token'),
  script('kubectl-yaml'),
  script('upstream-conversion'),
  script('kube-apiserver'),
  script('upstream-manager'),
  script('clusterctl'),
];

/** The steps after `npm test`. The lanes take about the same time. */
const finalLanes = [
  [
    script('test:planted', '--', '--rotating'),
    script('test:fuzz', '--', '--total', '60'),
    script('test:mutation', '--', '--seconds', '90'),
    suite('parity'),
    suite('kill'),
  ],
  // This suite mostly waits.
  [suite('integration')],
  // These steps write the same files below dist: bundles and packages.
  [script('synth', '--', '--quiet'), script('supply-chain'), suite('packaging'), suite('real'), suite('take-over')],
];

const suitesOfTest = testLanes({ isFull: true }).flat();
const report = (text: string): unknown => text !== '' && console.log(text);
const options = { results, isVerbose: true, report };

async function runAll(): Promise<void> {
  const checked = await runLanes(checks, options);
  if (checked.some(({ passed }) => !passed)) {
    report('A check failed. No suite runs');
    return;
  }
  await Promise.all([runLanes([[npmTest]], { ...options, isUnrecorded: true }), runLanes([realParts], options)]);
  requireSuites();
  await runLanes(finalLanes, options);
  await retryFailedFiles([...suitesOfTest, ...finalLanes.flat()], { results, report });
}

/** A `npm test` that runs less than its suites fails, also if it exits with 0. */
function requireSuites(): void {
  const file = path.join(results, 'steps');
  const recorded = readFileSync(file, 'utf8').split('\n').filter(Boolean).map(parseLine);
  const missing = suitesOfTest.filter(({ name }) => !recorded.some(step => step.name === name));
  if (missing.length > 0) {
    report(`npm test did not run ${missing.map(({ name }) => name).join(', ')}`);
    appendFileSync(file, toLine({ name: npmTest.name, passed: false, seconds: 0, processorSeconds: 0 }));
  }
}

report(`Files of other commits, which CAPI_TEST_PART=all runs: ${[...restingFiles, ...restingInFullRuns].join(', ')}`);
const endLive = followLive(results, report);
await runAll();
endLive();
