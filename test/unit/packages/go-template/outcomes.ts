// The outcome of a template as one line, and the templates of outcomes.json. `node
// test/unit/packages/go-template/outcomes.ts` records the outcomes again. A changed outcome is a change of behaviour.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseTemplate } from '../../../../packages/go-template/parse.ts';
import { renderTemplate } from '../../../../packages/go-template/template.ts';

const file = path.resolve(import.meta.dirname, '../../../fixtures/go-templates/outcomes.json');

const data = {
  s: 'a-B c',
  n: 3,
  f: -2.5,
  t: true,
  nil: null,
  l: ['b', 'a', 'b'],
  ints: [3, 1, 2],
  m: { k: 'v', a: 1, d: { x: [1] } },
  e: '',
  v: 'v1.20.3-rc.1+b',
  d: '2024-02-29T23:30:15Z',
};
const longest = 120;

/** The start of the quoted text or of the error. */
export function outcomeOf(template: string): string {
  const parsed = parseTemplate(template, { name: 't', functions: 'sprig', missingKey: 'default' });
  const rendered = parsed.ok ? renderTemplate(parsed.value, data) : parsed;
  return rendered.ok ? JSON.stringify(rendered.value).slice(0, longest) : rendered.error.slice(0, longest);
}

/** The outcome of each template, by function or construct. */
export function readOutcomes(): Readonly<Record<string, Readonly<Record<string, string>>>> {
  return JSON.parse(readFileSync(file, 'utf8')); // true: the code below writes it
}

if (process.argv[1] === import.meta.filename) {
  const recorded = Object.entries(readOutcomes()).map(([name, cases]) => [
    name,
    Object.fromEntries(Object.keys(cases).map(template => [template, outcomeOf(template)])),
  ]);
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(recorded), undefined, 1)}\n`);
}
