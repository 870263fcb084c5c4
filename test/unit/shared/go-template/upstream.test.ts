// What Go renders and reads, recorded: the fixtures say by which packages.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ParseOptions, parseTemplate } from '../../../../shared/go-template/parse.ts';
import { renderTemplate } from '../../../../shared/go-template/template.ts';
import { decodeYaml11 } from '../../../../shared/go-template/yaml11.ts';

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
  return JSON.parse(readFileSync(file, 'utf8')) as Fixture<T>; // a file of ours
}

const rendering = read<Case>('rendering.json');
const yaml = read<{ readonly text: string; readonly value?: unknown; readonly fails?: boolean }>('yaml.json');

const patch: ParseOptions = { name: 'tpl', functions: 'sprig', missingKey: 'default' };
const naming: ParseOptions = { name: 'tpl', functions: 'none', missingKey: 'error' };

function render({ template, data, naming: isNaming }: Case) {
  const parsed = parseTemplate(template, isNaming === true ? naming : patch);
  return parsed.ok ? renderTemplate(parsed.value, rendering.data[data]) : parsed;
}

/** A failure whose text is not held is shown without it. */
function told(result: ReturnType<typeof render>, { exact }: Case): unknown {
  return result.ok ? { text: result.value } : exact === true ? { error: result.error } : 'fails';
}

function expected({ text, error, exact }: Case): unknown {
  return text !== undefined ? { text } : exact === true ? { error } : 'fails';
}

describe('templates render as in Go', () => {
  it('in more than 2,500 recorded cases', () => {
    expect(rendering.groups.flatMap(({ cases }) => cases).length).toBeGreaterThan(2500);
  });

  it.each(rendering.groups)('$name', ({ cases }) => {
    const shown = (each: Case, outcome: unknown) => ({ template: each.template, data: each.data, outcome });
    expect(cases.map(each => shown(each, told(render(each), each)))).toEqual(
      cases.map(each => shown(each, expected(each))),
    );
  });
});

describe('what templates render is read as in Go', () => {
  it.each(yaml.groups.flatMap(({ cases }) => cases))('%j', ({ text, value, fails }) => {
    const decoded = decodeYaml11(text);
    expect(decoded.ok ? { value: decoded.value } : 'fails').toEqual(fails === true ? 'fails' : { value });
  });
});
