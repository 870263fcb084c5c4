// Sums up all suites and steps of a run: the last line is `N passed, N failed, N skipped`, the exit code tells the same.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

interface SuiteResult {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly numFailedTestSuites: number;
}

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  throw new Error('Usage: node .ci/summary.ts FOLDER');
}

let passed = 0;
let failed = 0;
let skipped = 0;

for (const file of readdirSync(folder).filter(name => name.endsWith('.json'))) {
  const result = JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as SuiteResult; // written by the test runner's JSON reporter
  passed += result.numPassedTests;
  failed += result.numFailedTests;
  skipped += result.numPendingTests + result.numTodoTests;
  // A file that cannot even be loaded holds no failed test.
  failed += result.numFailedTests === 0 ? result.numFailedTestSuites : 0;
}

const stepsFile = path.join(folder, 'steps');
const steps = existsSync(stepsFile) ? readFileSync(stepsFile, 'utf8').trim().split('\n') : [];
for (const step of steps) {
  console.log(step);
}
const failedSteps = steps.filter(step => step.endsWith(' failed')).length;
failed += failedSteps;
passed += steps.length - failedSteps;

console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
