// The way to take over from upstream's manager, as the documents describe it. test/take-over runs it.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { watchFilter } from '../../take-over/watch-filter.ts';

const read = (file: string): string => readFileSync(path.join(import.meta.dirname, '../../..', file), 'utf8');

it('the README and the runbooks never scale the manager to zero', () => {
  expect(read('README.md')).toContain(
    "follow [Take over from upstream's manager](docs/take-over.md) first. Do not scale its manager to zero",
  );
  for (const file of ['README.md', 'docs/take-over.md', 'docs/deployment.md', 'docs/runbook.md', 'docs/operating.md']) {
    expect(read(file), file).not.toMatch(/ scale .*capi-controller-manager/);
  }
});

it('the page on the take-over sets and removes the flag that the tests use', () => {
  const page = read('docs/take-over.md');
  expect(page).toContain(`"value": "${watchFilter}"`);
  expect(page).toContain(`sed '/${watchFilter.replace('/', '\\/')}/d'`);
});
