import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readRetries, retryFailedFiles, toRetryCommand } from '../../steps/retries.ts';

let folder: string;
let reported: string[];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'capi-retries-'));
  reported = [];
});

afterEach(() => rmSync(folder, { recursive: true }));

const step = (name: string) => ({ name, command: ['true'], env: { EXTENT: 'full' } });

/** Writes the report of a suite in which these files failed. */
function giveReport(suite: string, files: readonly string[]): void {
  const testResults = files.map(name => ({
    name: path.resolve(name),
    status: 'failed',
    message: '',
    assertionResults: [{ fullName: 'a door opens', status: 'failed', failureMessages: ['It does not\n  at door'] }],
  }));
  const passed = { name: path.resolve('test/passed.test.ts'), status: 'passed', message: '', assertionResults: [] };
  const counts = { numPassedTests: 1, numPendingTests: 0, numTodoTests: 0 };
  writeFileSync(
    path.join(folder, `${suite}.json`),
    JSON.stringify({ ...counts, testResults: [...testResults, passed] }),
  );
}

/** Each file runs as a shell command that fails for files with `wrong` in their name. */
async function retry(...names: readonly string[]): Promise<void> {
  const record = path.join(folder, 'ran');
  await retryFailedFiles(names.map(step), {
    results: folder,
    report: text => reported.push(text),
    commandOf: (suite, file) => [
      'sh',
      '-c',
      `echo "${suite} ${file} $EXTENT" >>${record}; case ${file} in *wrong*) exit 1;; esac`,
    ],
  });
}

describe('failed test files', () => {
  it('run again alone, with the environment of their suite', async () => {
    giveReport('unit', ['test/unit/late.test.ts', 'test/unit/wrong.test.ts']);
    giveReport('infra', ['test/infra/late.test.ts']);
    await retry('unit', 'infra', 'lint');
    expect(readFileSync(path.join(folder, 'ran'), 'utf8')).toBe(
      'unit test/unit/late.test.ts full\nunit test/unit/wrong.test.ts full\ninfra test/infra/late.test.ts full\n',
    );
    const message = 'a door opens: It does not';
    expect(readRetries(folder)).toEqual([
      { suite: 'unit', file: 'test/unit/late.test.ts', message, passed: true },
      { suite: 'unit', file: 'test/unit/wrong.test.ts', message, passed: false },
      { suite: 'infra', file: 'test/infra/late.test.ts', message, passed: true },
    ]);
    expect(existsSync(path.join(folder, 'steps'))).toBe(false);
  });

  it('run by a command of their own if their suite is one story', () => {
    const command = 'npx vitest run --project infra test/infra/a.test.ts';
    expect(toRetryCommand('infra', 'test/infra/a.test.ts')).toEqual(command.split(' '));
    expect(toRetryCommand('take-over', 'test/take-over/take-over.test.ts')).toEqual(['npm', 'run', 'test:take-over']);
  });

  it('do not run again if many failed, because they have a common cause', async () => {
    giveReport(
      'unit',
      Array.from({ length: 6 }, (_, index) => `test/unit/${index}.test.ts`),
    );
    await retry('unit');
    expect(reported).toEqual(['6 test files failed. Only 5 or fewer run again']);
    expect(readRetries(folder)).toEqual([]);
  });

  it('are unknown without a complete report', async () => {
    writeFileSync(path.join(folder, 'unit.json'), '{"numPassedTests":');
    await retry('unit');
    expect(readRetries(folder)).toEqual([]);
  });
});
