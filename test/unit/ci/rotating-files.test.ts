import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { restingFiles, restingInFullRuns, restingInQuickRuns, rotatingFiles } from '../../steps/rotating-files.ts';

const root = path.resolve(import.meta.dirname, '../../..');

it('every file that takes turns exists, and is in one group', () => {
  expect(rotatingFiles.filter(file => !existsSync(path.join(root, file)))).toEqual([]);
  expect(new Set(rotatingFiles).size).toBe(rotatingFiles.length);
});

it('some files of each run take their turn', () => {
  const resting = [...restingFiles, ...restingInQuickRuns];
  expect(resting.length).toBeLessThan(rotatingFiles.length);
  expect(rotatingFiles).toEqual(expect.arrayContaining(resting));
});

it('the full extent runs more files than the quick one', () => {
  expect(restingInFullRuns.length).toBeLessThan(restingInQuickRuns.length);
  expect(rotatingFiles).toEqual(expect.arrayContaining([...restingInFullRuns]));
});
