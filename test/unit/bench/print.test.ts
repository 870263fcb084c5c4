import { expect, test } from 'vitest';
import { type BenchEnvironment, toJson, toText } from '../../../bench/print.ts';
import type { Section } from '../../../bench/section.ts';

const environment: BenchEnvironment = {
  date: '2026-01-02T03:04:05.678Z',
  command: 'npm run bench',
  cores: 2,
  node: '24.0.0',
  loadAtStart: 0.25,
};

const section: Section = {
  name: 'plain',
  title: 'Plain',
  subjects: ['ours', 'theirs'],
  rows: [
    { figure: 'time', unit: 's', values: [0.125, 0.5] },
    { figure: 'requests', unit: 'count', values: [12, null] },
  ],
  skipped: [],
};

test('a section is a Markdown table with aligned columns', () => {
  expect(toText(environment, [section])).toBe(
    [
      'npm run bench · 2026-01-02 · 2 cores · Node 24.0.0 · load at start 0.3',
      '',
      '## Plain',
      '',
      '|          |   ours | theirs | ours / this |',
      '| -------- | -----: | -----: | ----------: |',
      '| time     | 0.13 s | 0.50 s |        0.25 |',
      '| requests |   12.0 |      – |           – |',
      '',
    ].join('\n'),
  );
});

test('skipped measurements are printed, and an empty table is not', () => {
  const skipped = { ...section, subjects: [], rows: [], skipped: ['everything, since nothing is there'] };
  expect(toText(environment, [skipped])).toContain('## Plain\n\nSkipped: everything, since nothing is there\n');
});

test('JSON has unrounded values and the ratios', () => {
  expect(JSON.parse(toJson(environment, [section]))).toEqual({
    ...environment,
    sections: [
      {
        ...section,
        rows: [
          { figure: 'time', unit: 's', values: [0.125, 0.5], ratios: [0.25] },
          { figure: 'requests', unit: 'count', values: [12, null], ratios: [null] },
        ],
      },
    ],
  });
});
