import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const script = path.resolve(import.meta.dirname, '../../../.ci/summary.ts');
const green = { numPassedTests: 10, numPendingTests: 0, numTodoTests: 0, testResults: [] };

/** A file of a report with failed tests, or with an error of its own. */
function failed(name: string, tests: readonly string[], message = '') {
  const assertionResults = tests.map(fullName => ({
    fullName,
    status: 'failed',
    failureMessages: ['It does not\n  at door'],
  }));
  return { name: path.resolve(name), status: 'failed', message, assertionResults };
}

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'capi-summary-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function giveSteps(...steps: readonly { readonly name: string; readonly passed: boolean }[]): void {
  give('steps', steps.map(step => `${JSON.stringify({ ...step, seconds: 70, processorSeconds: 100 })}\n`).join(''));
}

function give(file: string, content: unknown): void {
  writeFileSync(path.join(folder, file), typeof content === 'string' ? content : JSON.stringify(content));
}

function summarise(env: Readonly<Record<string, string>> = {}): {
  readonly status: number | null;
  readonly lines: readonly string[];
  readonly last: string;
} {
  const { status, stdout } = spawnSync(process.execPath, [script, folder], {
    encoding: 'utf8',
    env: { ...process.env, CAPI_REQUIRE_REAL: '', ...env },
  });
  const lines = stdout.trimEnd().split('\n');
  return { status, lines, last: lines.at(-1) ?? '' };
}

describe('the summary of a run', () => {
  it('adds up suites and steps', () => {
    give('test.json', green);
    give('kill.json', { ...green, numPassedTests: 5, numPendingTests: 2, numTodoTests: 1 });
    giveSteps({ name: 'lint', passed: true }, { name: 'test', passed: true });
    expect(summarise()).toEqual({
      status: 0,
      lines: [
        'step            seconds  processor     budget',
        'lint  passed         70        100',
        'test  passed         70        100',
        'sum                            200',
        '17 passed, 0 failed, 3 skipped',
      ],
      last: '17 passed, 0 failed, 3 skipped',
    });
  });

  it('prints the processor time of each test file, if the run recorded it', () => {
    give('test.json', green);
    mkdirSync(path.join(folder, 'times'));
    expect(summarise().lines).toEqual(['10 passed, 0 failed, 0 skipped']);
    give('times/durations.jsonl', '{"suite":');
    expect(summarise()).toMatchObject({
      status: 0,
      lines: [expect.stringContaining('The times of the test files cannot be read: '), expect.anything()],
    });
    give('times/durations.jsonl', { suite: 'kill', file: 'a.test.ts', tests: 3, importing: 500, running: 2000 });
    give('times/processor.jsonl', { file: 'a.test.ts', own: 1, children: 0.5, spans: {} });
    expect(summarise().lines).toEqual([
      expect.stringMatching(/^\| file \| tests \| wall s \| processor s/),
      expect.stringMatching(/^\|---/),
      '| `a.test.ts` | 3 | 2.5 | 1.5 | 0.5 | 0.5 | 0.0 | 0.0 | 0.0 |',
      '10 passed, 0 failed, 0 skipped',
    ]);
  });

  it('ends with the failed tests and the commands that run them alone', () => {
    give('unit.json', { ...green, testResults: [failed('a.test.ts', ['a'])] });
    give('unit.failures', 'FAILED a.test.ts › a: no; run alone: npx vitest run a.test.ts\n');
    expect(summarise()).toMatchObject({
      status: 1,
      lines: [
        'failed: a.test.ts › a',
        '    It does not',
        '      at door',
        'FAILED a.test.ts › a: no; run alone: npx vitest run a.test.ts',
        '10 passed, 1 failed, 0 skipped',
      ],
    });
  });

  it.each([
    { result: { ...green, testResults: [failed('a', ['x', 'y'])] }, last: '10 passed, 2 failed, 0 skipped' },
    { result: { ...green, testResults: [failed('a', [])] }, last: '10 passed, 1 failed, 0 skipped' },
    { result: '{"numPassedTests":', last: '0 passed, 1 failed, 0 skipped' },
  ])('fails with a suite: $last', ({ result, last }) => {
    give('test.json', result);
    expect(summarise()).toMatchObject({ status: 1, last });
  });

  it('of .ci/run marks a step over its budget, and fails if all need more than twice as much', () => {
    give('test.json', green);
    giveSteps({ name: 'unit', passed: true }, { name: 'virtual', passed: true });
    expect(summarise({ CAPI_REQUIRE_REAL: '1' }).lines).toEqual([
      'step               seconds  processor     budget',
      'unit     passed         70        100        110',
      'virtual  passed         70        100    over 55',
      'sum                               200        165',
      '12 passed, 0 failed, 0 skipped',
    ]);
    giveSteps({ name: 'synth', passed: true });
    const { status, lines } = summarise({ CAPI_REQUIRE_REAL: '1' });
    expect(lines).toContain('failed: the steps took 100 processor seconds, more than 2 times their budgets');
    expect(status).toBe(1);
  });

  it('of .ci/run allows more on a slow machine, which lint and typecheck measure', () => {
    give('test.json', green);
    giveSteps({ name: 'synth', passed: true }, { name: 'lint', passed: true });
    expect(summarise({ CAPI_REQUIRE_REAL: '1' }).status).toBe(0);
    giveSteps({ name: 'ports', passed: true }, { name: 'typecheck', passed: true }, { name: 'lint', passed: true });
    expect(summarise({ CAPI_REQUIRE_REAL: '1' }).status).toBe(0);
  });

  it('fails with a step, although every test passed', () => {
    give('test.json', green);
    giveSteps({ name: 'lint', passed: false });
    expect(summarise()).toMatchObject({ status: 1, last: '10 passed, 1 failed, 0 skipped' });
  });

  it("prints the end of a failed step's output, and of no other", () => {
    const log = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join('');
    giveSteps({ name: 'lint', passed: true }, { name: 'test', passed: false }, { name: 'synth', passed: false });
    give('lint.log', log);
    give('test.log', `${log}\u001b[31mERROR: Coverage is too low\u001b[39m\n\n`);
    expect(summarise().lines).toEqual([
      'failed: step test',
      ...Array.from({ length: 14 }, (_, index) => `    line ${index + 6}`),
      '    ERROR: Coverage is too low',
      'failed: step synth',
      'step             seconds  processor     budget',
      'lint   passed         70        100',
      'test   failed         70        100',
      'synth  failed         70        100',
      'sum                             300',
      '1 passed, 2 failed, 0 skipped',
    ]);
  });

  it('names each failed test, and each file that could not be loaded', () => {
    const passed = { name: path.resolve('test/c.test.ts'), status: 'passed', message: '', assertionResults: [] };
    give('test.json', {
      ...green,
      testResults: [
        failed('test/a.test.ts', ['a door opens']),
        failed('test/b.test.ts', [], 'Cannot find module'),
        passed,
      ],
    });
    expect(summarise().lines).toEqual([
      'failed: test/a.test.ts › a door opens',
      '    It does not',
      '      at door',
      'failed: test/b.test.ts',
      '    Cannot find module',
      '10 passed, 2 failed, 0 skipped',
    ]);
  });

  describe('of a failed file that passed alone', () => {
    const message = 'a door opens: It does not';
    const retry = (passed: boolean) => give('retries', [{ suite: 'test', file: 'test/a.test.ts', message, passed }]);

    beforeEach(() => {
      give('test.json', { ...green, testResults: [failed('test/a.test.ts', ['a door opens'])] });
      giveSteps({ name: 'test', passed: false });
    });

    it('is green, and names the flaky file and its entry', () => {
      retry(true);
      const { status, lines, last } = summarise();
      expect({ status, last }).toEqual({ status: 0, last: '12 passed, 0 failed, 0 skipped' });
      expect(lines).toContain(`FLAKY test/a.test.ts: ${message}`);
      expect(lines.some(line => line.includes('Add to test/flaky.json: {"file":"test/a.test.ts"'))).toBe(true);
    });

    it('is red if the file failed again', () => {
      retry(false);
      expect(summarise()).toMatchObject({ status: 1, last: '10 passed, 2 failed, 0 skipped' });
    });

    it.each([
      { log: 'ERROR: Coverage for lines (99%) does not meet "x" threshold (100%)', reason: 'coverage' },
      { log: '⎯⎯⎯⎯ Unhandled Errors ⎯⎯⎯⎯', reason: 'an error outside of tests' },
    ])('is red because of $reason', ({ log }) => {
      retry(true);
      give('test.log', `${log}\n`);
      expect(summarise()).toMatchObject({ status: 1, last: '11 passed, 1 failed, 0 skipped' });
    });

    it('is red if another file of the suite failed', () => {
      retry(true);
      const testResults = [failed('test/a.test.ts', ['a door opens']), failed('test/b.test.ts', ['b'])];
      give('test.json', { ...green, testResults });
      expect(summarise()).toMatchObject({ status: 1, last: '11 passed, 2 failed, 0 skipped' });
    });
  });

  it.each([{ steps: undefined }, { steps: '' }])('fails if nothing ran', ({ steps }) => {
    if (steps !== undefined) {
      give('steps', steps);
    }
    expect(summarise()).toMatchObject({ status: 1, last: '0 passed, 0 failed, 0 skipped' });
  });
});
