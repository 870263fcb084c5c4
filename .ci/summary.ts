// Summarizes all suites and steps of a run, because some readers get only the end of the output. Prints the last lines
// of each failed step, the times of all steps, and each failed test with the command that runs it alone. The last line
// is `N passed, N failed, N skipped`. Exit code 0 means no failure.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { flakyProblems, readFlakyList, toFlakyEntry } from '../test/steps/flaky-list.ts';
import { parseLine, type StepResult, toTable } from '../test/steps/result.ts';
import { readRetries } from '../test/steps/retries.ts';
import { type FailedFile, failedFiles, readSuiteResult } from '../test/steps/suite-result.ts';
import { parseDurations, parseProcessor } from '../test/times/record.ts';
import { join, toFileTable } from '../test/times/table.ts';
import { budgets, overrunOf } from './budgets.ts';

/** Budgets are for the full extent. */
const isCi = process.env['CAPI_REQUIRE_REAL'] === '1';
const projectRoot = path.resolve(import.meta.dirname, '..');
const flakyListFile = 'test/flaky.json';

const [folder = ''] = process.argv.slice(2);
if (folder === '') {
  throw new Error('Usage: node .ci/summary.ts FOLDER');
}

interface Count {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
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

function printFailures({ file, tests, message }: FailedFile): void {
  const name = path.relative(process.cwd(), file);
  for (const test of tests) {
    printFailure(`${name} › ${test.fullName}`, test.message);
  }
  if (tests.length === 0) {
    printFailure(name, message);
  }
}

const retries = readRetries(folder);

/** A flaky file failed in its suite, and passed alone. */
const isFlaky = (suite: string, { file }: FailedFile): boolean =>
  retries.some(retry => retry.suite === suite && retry.passed && path.resolve(retry.file) === file);

/** A report that cannot be read is treated as failed, because its runner ended while it wrote the file. */
function countSuite(suite: string): Count {
  const file = path.join(folder, `${suite}.json`);
  try {
    const result = readSuiteResult(file);
    const failed = failedFiles(result);
    failed.forEach(printFailures);
    // A file that cannot be loaded has no failed test.
    const countOf = (files: readonly FailedFile[], least: number): number =>
      files.reduce((sum, { tests }) => sum + Math.max(least, tests.length), 0);
    return {
      passed:
        result.numPassedTests +
        countOf(
          failed.filter(each => isFlaky(suite, each)),
          0,
        ),
      failed: countOf(
        failed.filter(each => !isFlaky(suite, each)),
        1,
      ),
      skipped: result.numPendingTests + result.numTodoTests,
    };
  } catch (error) {
    console.log(`${file} cannot be read: ${String(error)}`);
    return broken;
  }
}

/** What fails a suite besides its tests. */
const furtherFailure = /^\s*(ERROR: Coverage for|.*\bUnhandled Errors?\b)/m;

/** Returns whether only flaky files made the step fail. */
function failedByFlakes(name: string): boolean {
  const report = path.join(folder, `${name}.json`);
  if (!existsSync(report) || furtherFailure.test(readLog(name))) {
    return false;
  }
  try {
    const failed = failedFiles(readSuiteResult(report));
    return failed.length > 0 && failed.every(each => isFlaky(name, each));
  } catch {
    return false;
  }
}

function countStep({ name, passed }: StepResult): Count {
  if (passed || failedByFlakes(name)) {
    return { passed: 1, failed: 0, skipped: 0 };
  }
  console.log(`failed: step ${name}`);
  printEnd(name);
  return broken;
}

/** Prints failures that are not tests, such as a coverage below its threshold or a message of the linter. */
function printEnd(name: string): void {
  const lines = readLog(name).trimEnd().split('\n').filter(Boolean);
  for (const line of lines.slice(-stepLines)) {
    console.log(`    ${line.slice(0, 300)}`);
  }
}

function readLog(name: string): string {
  const file = path.join(folder, `${name}.log`);
  return existsSync(file) ? stripVTControlCharacters(readFileSync(file, 'utf8')) : '';
}

function readSteps(): readonly StepResult[] {
  const file = path.join(folder, 'steps');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean).map(parseLine) : [];
}

/** Prints the lines of `test/steps/failure-reporter.ts`: each failed test and the command that runs only this test. */
function printFailureLines(): void {
  for (const name of readdirSync(folder).filter(file => file.endsWith('.failures'))) {
    console.log(readFileSync(path.join(folder, name), 'utf8').trimEnd());
  }
}

/** Returns the number of failures that the list of flaky files causes. */
function countFlakes(): number {
  const now = new Date();
  const flakes = retries.filter(({ passed }) => passed);
  const listed = readFlakyList(path.join(projectRoot, flakyListFile));
  for (const { file, message } of flakes) {
    console.log(`FLAKY ${file}: ${message}`);
    if (!listed.some(entry => entry.file === file)) {
      console.log(`    Add to ${flakyListFile}: ${JSON.stringify(toFlakyEntry(file, message, now))}`);
    }
  }
  const problems = flakyProblems({ listed, found: flakes.map(({ file }) => file), now });
  for (const problem of problems) {
    console.log(`failed: ${problem}. ${flakyListFile} has the entries`);
  }
  return problems.length;
}

/** Returns the number of failures that the processor time causes. Only `.ci/run` has budgets. */
function countOverruns(): number {
  const overrun = isCi ? overrunOf(steps) : undefined;
  if (overrun !== undefined) {
    console.log(`failed: ${overrun}`);
  }
  return overrun === undefined ? 0 : 1;
}

/** Prints the files that took most processor time, if the run recorded it. A process may have ended while it wrote a record. */
function printTimes(): void {
  const read = (name: string): string => readFileSync(path.join(folder, 'times', name), 'utf8');
  try {
    for (const line of toFileTable(
      join(parseDurations(read('durations.jsonl')), parseProcessor(read('processor.jsonl'))),
    )) {
      console.log(line);
    }
  } catch (error) {
    console.log(`The times of the test files cannot be read: ${String(error)}`);
  }
}

const steps = readSteps();
const suites = readdirSync(folder)
  .filter(name => name.endsWith('.json'))
  .map(name => path.basename(name, '.json'));
const counts = [...suites.map(countSuite), ...steps.map(countStep)];
const sum = (of: keyof Count): number => counts.reduce((total, count) => total + count[of], 0);

for (const line of steps.length === 0 ? [] : toTable(steps, name => (isCi ? budgets[name] : undefined))) {
  console.log(line);
}
if (existsSync(path.join(folder, 'times/durations.jsonl'))) {
  printTimes();
}
printFailureLines();
counts.push({ passed: 0, failed: countFlakes() + countOverruns(), skipped: 0 });
console.log(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);
process.exitCode = sum('failed') === 0 && sum('passed') > 0 ? 0 : 1;
