import { expect, it } from 'vitest';
import { createSteps } from '../../../../local/view/steps.ts';

const now = (): number => Date.parse('2026-01-02T03:04:05Z');

it('prints each step on a line with its time, where there is no terminal', () => {
  const written: string[] = [];
  const steps = createSteps({ write: text => written.push(text), now });
  steps.begin('Starting the API server');
  steps.begin('Bundling functions: 1 of 2');
  steps.end();
  expect(written).toEqual(['03:04:05  Starting the API server\n', '03:04:05  Bundling functions: 1 of 2\n']);
});

it('keeps to one line of a terminal, within its width, and removes it once at the end', () => {
  const written: string[] = [];
  const terminal = { write: (text: string) => written.push(text), columns: () => 12, rows: () => 24, color: true };
  const steps = createSteps({ write: () => expect.unreachable(), now, terminal });
  steps.end();
  steps.begin('Starting the API server');
  steps.begin('Bundling');
  steps.end();
  steps.end();
  expect(written).toEqual(['\r\x1b[KStarting th', '\r\x1b[KBundling', '\r\x1b[K']);
});
