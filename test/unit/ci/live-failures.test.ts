import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { toFailureText } from '../../steps/failure.ts';
import { followLive, liveFile } from '../../steps/live-failures.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'capi-live-'));
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

it('failures are reported when they happen, each once', () => {
  const reported: string[] = [];
  const stop = followLive(folder, text => reported.push(text));
  vi.advanceTimersByTime(3000);
  expect(reported).toEqual([]);
  appendFileSync(liveFile(folder), 'FAILED a\n    reason\n');
  vi.advanceTimersByTime(1000);
  expect(reported).toEqual(['FAILED a\n    reason']);
  appendFileSync(liveFile(folder), 'FAILED b\n');
  stop();
  expect(reported).toEqual(['FAILED a\n    reason', 'FAILED b']);
  vi.advanceTimersByTime(3000);
  expect(reported).toHaveLength(2);
});

it('a failure has its line and the first ten lines of its message', () => {
  const message = Array.from({ length: 12 }, (_, index) => `line ${index}`).join('\n');
  const text = toFailureText({ project: 'unit', file: 'test/a.test.ts', title: 'a', message, actual: undefined });
  const lines = text.split('\n');
  expect(lines[0]).toBe(
    "FAILED test/a.test.ts › a: line 0; run alone: npx vitest run --project unit test/a.test.ts -t '^a$'",
  );
  expect(lines.slice(1)).toEqual(Array.from({ length: 10 }, (_, index) => `    line ${index}`));
});
