// A Vitest reporter. The last lines of a failed run contain each failed test and the command that runs only this test.
// With CAPI_TEST_RESULTS, it writes the same lines to a file for the summary of CI, and each failure with its first lines
// to another file when it happens.
import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { type TestFailure, toFailureLine, toFailureText } from './failure.ts';
import { liveFile } from './live-failures.ts';

const mostLines = 20;

export default class FailureReporter implements Reporter {
  readonly #results = process.env['CAPI_TEST_RESULTS'] ?? '';

  onTestModuleEnd(module: TestModule): void {
    const failures = failuresOf(module);
    if (failures.length > 0 && this.#results !== '') {
      appendFileSync(liveFile(this.#results), failures.map(failure => `${toFailureText(failure)}\n`).join(''));
    }
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = modules.flatMap(failuresOf).map(toFailureLine);
    if (lines.length === 0) {
      return;
    }
    const more = lines.length > mostLines ? [`${lines.length - mostLines} more failed`] : [];
    console.log(['', ...lines.slice(0, mostLines), ...more, ''].join('\n'));
    if (this.#results !== '') {
      const name = process.env['CAPI_TEST_SUITE'] ?? 'test';
      writeFileSync(path.join(this.#results, `${name}.failures`), `${lines.join('\n')}\n`);
    }
  }
}

function failuresOf(module: TestModule): readonly TestFailure[] {
  const place = { project: module.project.name, file: module.relativeModuleId };
  const suites = [...module.children.allSuites()];
  const hooks = [module, ...suites].flatMap(of => of.errors());
  return [
    ...hooks.map(({ message }) => ({ ...place, title: undefined, message, actual: undefined })),
    ...[...module.children.allTests('failed')].map(test => ({ ...place, title: test.fullName, ...errorOf(test) })),
  ];
}

function errorOf(test: TestCase): Pick<TestFailure, 'message' | 'actual'> {
  const [error] = test.result().errors ?? [];
  const actual: unknown = error?.['actual'];
  return { message: error?.message ?? 'failed', actual: typeof actual === 'string' ? actual : undefined };
}
