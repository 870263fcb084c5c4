// Summarizes all suites and steps of a run, because some readers get only the end of the output. Prints the last lines
// of each failed step, the times of all steps, and each failed test with the command that runs it alone. The last line
// is `N passed, N failed, N skipped`. Exit code 0 means no failure.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { parseLine, type StepResult, toTable } from '../test/steps/result.ts';

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

function printFailure(what: string, message: string): void {
  console.log(`failed: ${what}`);
  for (const line of message.split('\n').slice(0, messageLines)) {
    console.log(`    ${line.slice(0, 300)}`);
  }
}

function printFailures({ name, status, message, assertionResults }: FileResult): void {
  const file = path.relative(process.cwd(), name);
  const failed = assertionResults.filter(test => test.status === 'failed');
  for (const { fullName, failureMessages } of failed) {
    printFailure(`${file} › ${fullName}`, failureMessages.join('\n'));
  }
  if (status === 'failed' && failed.length === 0) {
    printFailure(file, message);
  }
}

/** A result that cannot be read is treated as failed, because its runner ended while it wrote the file. */
function countSuite(file: string): Count {
  try {
    const result = JSON.parse(readFileSync(file, 'utf8')) as SuiteResult; // true: the test runner's JSON reporter wrote it
    result.testResults?.forEach(printFailures);
    return {
      passed: result.numPassedTests,
      // A test file that cannot be loaded has no failed test.
      failed: result.numFailedTests === 0 ? result.numFailedTestSuites : result.numFailedTests,
      skipped: result.numPendingTests + result.numTodoTests,
    };
  } catch (error) {
    console.log(`${file} cannot be read: ${String(error)}`);
    return broken;
  }
}

function countStep({ name, passed }: StepResult): Count {
  if (passed) {
    return { passed: 1, failed: 0, skipped: 0 };
  }
  console.log(`failed: step ${name}`);
  printEnd(`${name}.log`);
  return broken;
}

/** Prints failures that are not tests, such as a coverage below its threshold or a message of the linter. */
function printEnd(log: string): void {
  const file = path.join(folder, log);
  const lines = existsSync(file) ? stripVTControlCharacters(readFileSync(file, 'utf8')).trimEnd().split('\n') : [];
  for (const line of lines.slice(-stepLines)) {
    console.log(`    ${line.slice(0, 300)}`);
  }
}

function readSteps(): readonly StepResult[] {
  const file = path.join(folder, 'steps');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean).map(parseLine) : [];
}

/** Returns the lines of `test/steps/failure-reporter.ts`: each failed test and the command that runs only this test. */
function printFailureLines(): void {
  for (const name of readdirSync(folder).filter(file => file.endsWith('.failures'))) {
    console.log(readFileSync(path.join(folder, name), 'utf8').trimEnd());
  }
}

const steps = readSteps();
const suites = readdirSync(folder).filter(name => name.endsWith('.json'));
const counts = [...suites.map(name => countSuite(path.join(folder, name))), ...steps.map(countStep)];
const sum = (of: keyof Count): number => counts.reduce((total, count) => total + count[of], 0);

for (const line of steps.length === 0 ? [] : toTable(steps)) {
  console.log(line);
}
printFailureLines();
console.log(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);
process.exitCode = sum('failed') === 0 && sum('passed') > 0 ? 0 : 1;
