import { expect, test } from 'vitest';
import { cpuMsOf, memoryOf } from '../../../bench/process-usage.ts';

test.runIf(process.platform === 'linux')('this process has used time and memory', () => {
  const { user, system } = process.cpuUsage();
  const cpuMs = cpuMsOf(process.pid);
  const after = process.cpuUsage();
  // Linux reports hundredths of a second.
  expect(cpuMs).toBeGreaterThan((user + system) / 1000 - 50);
  expect(cpuMs).toBeLessThan((after.user + after.system) / 1000 + 50);
  const memory = memoryOf(process.pid);
  expect(memory?.residentMiB).toBeGreaterThan(10);
  expect(memory?.peakMiB).toBeGreaterThanOrEqual(memory?.residentMiB ?? 0);
});

test('a process that does not exist has no usage', () => {
  expect(cpuMsOf(0)).toBeNull();
  expect(memoryOf(0)).toBeNull();
});
