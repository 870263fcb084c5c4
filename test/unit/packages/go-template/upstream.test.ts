// Recorded results of Go for rendering and YAML. The fixtures name the packages.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ParseOptions, parseTemplate } from '../../../../packages/go-template/parse.ts';
import { renderTemplate } from '../../../../packages/go-template/template.ts';
import { decodeYaml11 } from '../../../../packages/go-template/yaml11.ts';

interface Case {
  readonly template: string;
  readonly data: number;
  readonly naming?: boolean;
  readonly text?: string;
  readonly error?: string;
  readonly exact?: boolean;
}

interface Fixture<T> {
  readonly data: readonly unknown[];
  readonly groups: readonly { readonly name: string; readonly cases: readonly T[] }[];
}

function read<T>(name: string): Fixture<T> {
  const file = path.resolve(import.meta.dirname, '../../../fixtures/go-templates', name);
  return JSON.parse(readFileSync(file, 'utf8')) as Fixture<T>; // true: the file belongs to this project
}

const rendering = read<Case>('rendering.json');
const yaml = read<{ readonly text: string; readonly value?: unknown; readonly fails?: boolean }>('yaml.json');

const patch: ParseOptions = { name: 'tpl', functions: 'sprig', missingKey: 'default' };
const naming: ParseOptions = { name: 'tpl', functions: 'none', missingKey: 'error' };

function render({ template, data, naming: isNaming }: Case) {
  const parsed = parseTemplate(template, isNaming === true ? naming : patch);
  return parsed.ok ? renderTemplate(parsed.value, rendering.data[data]) : parsed;
}

/** For a failure without an exact text, the text is not compared. */
function reported(result: ReturnType<typeof render>, { exact }: Case): unknown {
  return result.ok ? { text: result.value } : exact === true ? { error: result.error } : 'fails';
}

function expected({ text, error, exact }: Case): unknown {
  return text !== undefined ? { text } : exact === true ? { error } : 'fails';
}

/** The number of cases per test. It is small, so that a failed test names its cases and ends soon in mutation tests. */
const casesPerTest = 15;

function partsOf({ name, cases }: { readonly name: string; readonly cases: readonly Case[] }) {
  const starts = Array.from({ length: Math.ceil(cases.length / casesPerTest) }, (_, part) => part * casesPerTest);
  return starts.map(from => ({ name, from, cases: cases.slice(from, from + casesPerTest) }));
}

describe('templates render as in Go', () => {
  it('in more than 2,500 recorded cases', () => {
    expect(rendering.groups.flatMap(({ cases }) => cases).length).toBeGreaterThan(2500);
  });

  it.each(rendering.groups.flatMap(partsOf))('$name, cases from $from', ({ cases }) => {
    const shown = (each: Case, outcome: unknown) => ({ template: each.template, data: each.data, outcome });
    expect(cases.map(each => shown(each, reported(render(each), each)))).toEqual(
      cases.map(each => shown(each, expected(each))),
    );
  });
});

describe('rendered text is parsed as in Go', () => {
  it.each(yaml.groups.flatMap(({ cases }) => cases))('%j', ({ text, value, fails }) => {
    const decoded = decodeYaml11(text);
    expect(decoded.ok ? { value: decoded.value } : 'fails').toEqual(fails === true ? 'fails' : { value });
  });
});
