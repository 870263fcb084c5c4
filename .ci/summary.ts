// Sums up all suites and steps of a run: names every test that failed, and shows how a step that failed ended, for whoever sees only the
// end of the output. The last line is `N passed, N failed, N skipped`, the exit code tells the same.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const [folder = ''] = process.argv.slice(2);
if (folder === '') {
  throw new Error('Usage: node .ci/summary.ts FOLDER');
}

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
  readonly testResults?: readonly FileResult[];
}

interface FileResult {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly {
    readonly fullName: string;
    readonly status: string;
    readonly failureMessages: readonly string[];
  }[];
}

const messageLines = 12;
const stepLines = 15;

const broken: Count = { passed: 0, failed: 1, skipped: 0 };

function tellFailure(what: string, message: string): void {
  console.log(`failed: ${what}`);
  for (const line of message.split('\n').slice(0, messageLines)) {
    console.log(`    ${line.slice(0, 300)}`);
  }
}

function tellFailures({ name, status, message, assertionResults }: FileResult): void {
  const file = path.relative(process.cwd(), name);
  const failed = assertionResults.filter(test => test.status === 'failed');
  for (const { fullName, failureMessages } of failed) {
    tellFailure(`${file} › ${fullName}`, failureMessages.join('\n'));
  }
  if (status === 'failed' && failed.length === 0) {
    tellFailure(file, message);
  }
}

/** A result that cannot be read belongs to a runner that was ended while it wrote. */
function countSuite(file: string): Count {
  try {
    const result = JSON.parse(readFileSync(file, 'utf8')) as SuiteResult; // written by the test runner's JSON reporter
    result.testResults?.forEach(tellFailures);
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
  if (!line.endsWith(' failed')) {
    return { passed: 1, failed: 0, skipped: 0 };
  }
  tellEnd(`${line.slice(0, -' failed'.length)}.log`);
  return broken;
}

/** What no failed test tells: a coverage below its threshold, a message of the linter. */
function tellEnd(log: string): void {
  const file = path.join(folder, log);
  const lines = existsSync(file) ? stripVTControlCharacters(readFileSync(file, 'utf8')).trimEnd().split('\n') : [];
  for (const line of lines.slice(-stepLines)) {
    console.log(`    ${line.slice(0, 300)}`);
  }
}

function readSteps(): readonly string[] {
  const file = path.join(folder, 'steps');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

const suites = readdirSync(folder).filter(name => name.endsWith('.json'));
const counts = [...suites.map(name => countSuite(path.join(folder, name))), ...readSteps().map(countStep)];
const sum = (of: keyof Count): number => counts.reduce((total, count) => total + count[of], 0);

console.log(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);
process.exitCode = sum('failed') === 0 && sum('passed') > 0 ? 0 : 1;
