// Runs before each test file. If CAPI_TEST_TIMES contains a folder, it records the CPU time of the file in this folder.
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect } from 'vitest';
import { takeSpans } from '../support/spans.ts';
import { type ProcessorTime, processorTime } from './processor.ts';
import { toFileLine } from './record.ts';

const folder = process.env['CAPI_TEST_TIMES'];
const key = Symbol.for('capi-serverless.test.processor');
/** The last CPU time of this process, which runs many files or one file. */
const holder = globalThis as { [key]?: ProcessorTime };

if (folder !== undefined && folder !== '') {
  takeSpans();
  // Hooks run in reverse order, so the hook that is registered first runs last.
  afterAll(() => {
    const before = holder[key] ?? { own: 0, children: 0 };
    const now = processorTime();
    holder[key] = now;
    const line = toFileLine({
      file: path.relative(process.cwd(), expect.getState().testPath ?? ''),
      own: now.own - before.own,
      children: now.children - before.children,
      spans: takeSpans(),
    });
    appendFileSync(path.join(folder, 'processor.jsonl'), line);
  });
}
