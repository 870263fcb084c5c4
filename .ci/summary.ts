// Sums up all suites and steps of a run: the last line is `N passed, N failed, N skipped`, the exit code tells the same.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

interface Count {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

interface SuiteResult {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly numFailedTestSuites: number;
}

const broken: Count = { passed: 0, failed: 1, skipped: 0 };

/** A result that cannot be read belongs to a runner that was ended while it wrote. */
function countSuite(file: string): Count {
  try {
    const result = JSON.parse(readFileSync(file, 'utf8')) as SuiteResult; // written by the test runner's JSON reporter
    return {
      passed: result.numPassedTests,
      // A file that cannot even be loaded holds no failed test.
      failed: result.numFailedTests === 0 ? result.numFailedTestSuites : result.numFailedTests,
      skipped: result.numPendingTests + result.numTodoTests,
    };
  } catch (error) {
    console.log(`${file} cannot be read: ${String(error)}`);
    return broken;
  }
}

function countStep(line: string): Count {
  console.log(line);
  return line.endsWith(' failed') ? broken : { passed: 1, failed: 0, skipped: 0 };
}

function readSteps(folder: string): readonly string[] {
  const file = path.join(folder, 'steps');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  throw new Error('Usage: node .ci/summary.ts FOLDER');
}

const suites = readdirSync(folder).filter(name => name.endsWith('.json'));
const counts = [...suites.map(name => countSuite(path.join(folder, name))), ...readSteps(folder).map(countStep)];
const sum = (of: keyof Count): number => counts.reduce((total, count) => total + count[of], 0);

console.log(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);
process.exitCode = sum('failed') === 0 && sum('passed') > 0 ? 0 : 1;
