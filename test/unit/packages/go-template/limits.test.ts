// Templates with endless loops or unlimited memory end with the limit that they exceed. Nothing is timed.
import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../../../../packages/go-template/limits.ts';
import { parseTemplate } from '../../../../packages/go-template/parse.ts';
import { renderTemplate } from '../../../../packages/go-template/template.ts';
import { decodeYaml11 } from '../../../../packages/go-template/yaml11.ts';

function errorOf(text: string, data: unknown = {}, limits = defaultLimits): string | undefined {
  const parsed = parseTemplate(text, { name: 'tpl', functions: 'sprig', missingKey: 'default' });
  const rendered = parsed.ok ? renderTemplate(parsed.value, data, limits) : parsed;
  return rendered.ok ? undefined : rendered.error;
}

const doubling = '{{ $x := list 1 }}{{ range until 60 }}{{ $x = list $x $x }}{{ end }}';
const steps = 'limit exceeded: more than 2000000 steps';
const memory = 'limit exceeded: lists and maps of more than 67108864 bytes';
const value = 'limit exceeded: a value of more than 4194304 bytes';

describe('a template beyond the limits', () => {
  it.each([
    {
      reason: 'a template that calls itself',
      text: '{{ define "a" }}{{ template "a" }}{{ end }}{{ template "a" }}',
      limit: 'more than 200 templates inside each other',
    },
    {
      reason: 'templates that call each other twice',
      text: '{{ define "a" }}{{ if . }}{{ template "a" (rest .) }}{{ template "a" (rest .) }}{{ end }}{{ end }}{{ template "a" (until 60) }}',
      limit: steps,
    },
    {
      reason: 'nested loops',
      text: '{{ range until 10000 }}{{ range until 10000 }}{{ end }}{{ end }}',
      limit: steps,
    },
    { reason: 'a long loop over an integer', text: '{{ range 999999999999 }}{{ end }}', limit: steps },
    {
      reason: 'a large output',
      text: '{{ range until 5000 }}{{ repeat 1000 "a" }}{{ end }}',
      limit: 'limit exceeded: an output of more than',
    },
    { reason: 'repeat', text: '{{ repeat 1000000000 "a" }}', limit: value },
    {
      reason: 'a text that is doubled',
      text: '{{ $x := "aaaa" }}{{ range until 60 }}{{ $x = print $x $x }}{{ end }}',
      limit: value,
    },
    { reason: 'indent', text: '{{ indent 1000000000 "a" }}', limit: value },
    { reason: 'indent of many lines', text: '{{ repeat 10000 "\\n" | indent 10000 }}', limit: value },
    { reason: 'replace', text: '{{ replace "a" (repeat 10000 "b") (repeat 10000 "a") }}', limit: value },
    { reason: 'replace of nothing', text: '{{ replace "" (repeat 10000 "b") (repeat 10000 "a") }}', limit: value },
    { reason: 'join', text: '{{ join (repeat 10000 "b") (until 10000) }}', limit: value },
    { reason: 'until', text: '{{ until 1000000000 }}', limit: value },
    { reason: 'untilStep', text: '{{ untilStep 0 1000000000 1 }}', limit: value },
    { reason: 'seq', text: '{{ seq 1000000000 }}', limit: value },
    {
      reason: 'many wide numbers',
      text: '{{ range until 100 }}{{ $x := printf "%900000d" 1 }}{{ end }}',
      limit: 'limit exceeded',
    },
    { reason: 'many wide numbers in one text', text: '{{ printf (repeat 100 "%[1]900000d") 1 }}', limit: value },
    { reason: 'many precise numbers', text: '{{ printf (repeat 100 "%[1].900000f") 1.0 }}', limit: value },
    { reason: 'a list that contains itself, printed', text: `${doubling}{{ $x }}`, limit: steps },
    { reason: 'a list that contains itself, as JSON', text: `${doubling}{{ toJson $x }}`, limit: 'limit exceeded' },
    { reason: 'a list that contains itself, copied', text: `${doubling}{{ $y := deepCopy $x }}`, limit: memory },
    {
      reason: 'a list that contains itself, compared',
      text: `${doubling}{{ deepEqual $x (deepCopy (list 1)) }}{{ $y := deepEqual $x $x }}`,
      limit: steps,
    },
    {
      reason: 'a map that holds itself, printed',
      text: '{{ $m := dict }}{{ $_ := set $m "m" $m }}{{ $m }}',
      limit: 'limit exceeded: a value of more than 200 levels',
    },
    {
      reason: 'a map that contains itself, merged',
      text: '{{ $m := dict }}{{ $_ := set $m "m" $m }}{{ merge $m (deepCopy $m) }}',
      limit: 'limit exceeded: a value of more than 200 levels',
    },
    {
      reason: 'an expression that grows when it is compiled',
      text: '{{ regexMatch "((a{100}){100}){100}" "a" }}',
      limit: 'limit exceeded: a regular expression of more than 10000 instructions',
    },
    {
      reason: 'a long expression',
      text: '{{ regexMatch (repeat 20000 "a") "a" }}',
      limit: 'limit exceeded: a regular expression of more than 10000 characters',
    },
    {
      reason: 'a large expression on a long text',
      text: '{{ mustRegexMatch "(a{0,30}){30}b" (repeat 100000 "a") }}',
      limit: steps,
    },
    {
      reason: 'many derived passwords',
      text: '{{ range until 20 }}{{ derivePassword 1 "nope" "p" "u" "s" }}{{ end }}{{ range until 9 }}{{ derivePassword 1 "pin" "p" "u" "s" }}{{ end }}',
      limit: steps,
    },
    { reason: 'wrapping by nothing', text: '{{ wrapWith 1 (repeat 1000 "b") (repeat 10000 "a") }}', limit: value },
    {
      reason: 'repeated quoting',
      text: '{{ $x := "\\"" }}{{ range until 60 }}{{ $x = quote $x }}{{ end }}',
      limit: 'limit exceeded',
    },
    { reason: 'lists of lists by uniq', text: '{{ uniq (until 100000) }}', limit: steps },
    {
      reason: 'exact sums of numbers with distant exponents',
      text: '{{ range until 1000000 }}{{ $x := addf 1e308 1e-308 }}{{ end }}',
      limit: 'limit exceeded',
    },
    {
      reason: 'products that grow',
      text: '{{ mulf 0.1 0.1 | printf "%v" }}{{ range until 1000000 }}{{ $x := mulf 1.2345678901234567 1.2345678901234567 1.2345678901234567 }}{{ end }}',
      limit: 'limit exceeded',
    },
  ])('ends by its limit: $reason', ({ text, limit }) => {
    expect(errorOf(text)).toContain(limit);
  });

  it('names the position', () => {
    expect(errorOf('a\n{{ repeat 1000000000 "a" }}')).toBe(
      'template: tpl:2:3: executing "tpl" at <repeat 1000000000 "a">: limit exceeded: a value of more than 4194304 bytes',
    );
  });

  it.each([
    {
      reason: 'parentheses',
      text: `{{ ${'('.repeat(5000)}1${')'.repeat(5000)} }}`,
      limit: 'more than 200 blocks or parentheses',
    },
    {
      reason: 'blocks',
      text: '{{ if 1 }}'.repeat(5000) + '{{ end }}'.repeat(5000),
      limit: 'more than 200 blocks or parentheses',
    },
    {
      reason: 'else if',
      text: `{{ if 1 }}${'{{ else if 1 }}'.repeat(5000)}{{ end }}`,
      limit: 'more than 200 blocks or parentheses',
    },
    { reason: 'variables', text: '{{ $x := 1 }}'.repeat(2000), limit: 'more than 500 variables' },
    { reason: 'characters', text: 'a'.repeat(300_000), limit: 'more than 262144 characters' },
  ])('is not even parsed: $reason', ({ text, limit }) => {
    expect(errorOf(text)).toContain(limit);
  });

  it('accepts lower limits', () => {
    expect(errorOf('{{ range until 100 }}{{ . }}{{ end }}', {}, { ...defaultLimits, steps: 100 })).toContain(
      'limit exceeded: more than 100 steps',
    );
  });
});

it('refuses at once a constraint of many versions without operators', () => {
  expect(errorOf('{{ semverCompare (printf "%s!" (repeat 900 "1 , ")) "1.2.3" }}')).toContain('improper constraint');
  expect(errorOf('{{ semverCompare (printf "%s!" (repeat 900 "1   ")) "1.2.3" }}')).toContain('improper constraint');
});

describe('YAML beyond the limits', () => {
  it('is refused when aliases multiply', () => {
    const lines = Array.from({ length: 30 }, (_, at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]`);
    expect(decodeYaml11(['a0: &a0 x', ...lines].join('\n'))).toMatchObject({
      error: 'error converting YAML to JSON: yaml: limit exceeded: more than 200000 values, aliases followed',
    });
  });

  it.each([
    { reason: 'lists', text: '['.repeat(100_000) },
    { reason: 'maps', text: '{a: '.repeat(10_000) },
    { reason: 'items', text: '- '.repeat(10_000) },
  ])('ends where $reason are inside each other', ({ text }) => {
    expect(decodeYaml11(text)).toMatchObject({ error: expect.stringContaining('limit exceeded: more than 200 lists') });
  });

  it('is refused when the text is too long', () => {
    expect(decodeYaml11('a'.repeat(2_000_000))).toMatchObject({
      error: expect.stringContaining('limit exceeded: more than 1572864 characters'),
    });
  });

  it('is refused when an anchor contains itself', () => {
    expect(decodeYaml11('&x [*x]')).toMatchObject({
      error: expect.stringContaining("anchor 'x' value contains itself"),
    });
  });
});
