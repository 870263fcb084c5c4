// A reporter of the test runner. It appends the durations of each test file to a file in the folder CAPI_TEST_TIMES.
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { toFileLine } from './record.ts';

export default class DurationReporter implements Reporter {
  onTestModuleEnd(module: TestModule): void {
    const folder = process.env['CAPI_TEST_TIMES'];
    if (folder === undefined || folder === '') {
      return;
    }
    const { collectDuration, environmentSetupDuration, prepareDuration, setupDuration, duration } = module.diagnostic();
    const line = toFileLine({
      suite: module.project.name,
      file: path.relative(process.cwd(), module.moduleId),
      tests: [...module.children.allTests()].length,
      importing: collectDuration + environmentSetupDuration + prepareDuration + setupDuration,
      running: duration,
    });
    appendFileSync(path.join(folder, 'durations.jsonl'), line);
  }
}
