// Corner cases of literals, printf, comparison and control flow, according to Go's text/template and fmt.
import { describe, expect, it } from 'vitest';
import { type ParseOptions, parseTemplate } from '../../../../packages/go-template/parse.ts';
import { renderTemplate } from '../../../../packages/go-template/template.ts';

const patch: ParseOptions = { name: 'tpl', functions: 'sprig', missingKey: 'default' };
const data = { l: ['a', 'b', 'c'], m: { k: { n: 'v' } } };

function render(text: string): string {
  const parsed = parseTemplate(text, patch);
  const rendered = parsed.ok ? renderTemplate(parsed.value, data) : parsed;
  return rendered.ok ? rendered.value : `error: ${rendered.error}`;
}

describe('a template', () => {
  it.each([
    { text: '{{ 0x1p4 }} {{ -0x1.8p1 }}', output: '16 -3', reason: 'hexadecimal floats have a binary exponent' },
    { text: '{{ 1_000 }} {{ 0x_ff }}', output: '1000 255', reason: 'underscores separate digits' },
    { text: `{{ '\\'' }} {{ '\\xff' }} {{ 'a' }}`, output: '39 255 97', reason: 'a character is its number' },
    { text: '{{ printf "%q" "\\377" }}', output: '"\\xff"', reason: 'an octal escape is one byte' },
    {
      text: '{{ slice .l 1 2 }} {{ slice .l 1 }}',
      output: '[b] [b c]',
      reason: 'slices of lists end before the last index',
    },
    { text: '{{ printf "%.0f %.0f %.0f %.0f" 0.5 1.5 2.5 3.5 }}', output: '0 2 2 4', reason: 'halves round to even' },
    {
      text: '{{ printf "%.2x|% x" "abc" "abc" }}',
      output: '6162|61 62 63',
      reason: 'precision cuts bytes, the space flag separates them',
    },
    {
      text: '{{ printf "%-5d|%*d|%*d|" 3 -5 3 5 3 }}',
      output: '3    |3    |    3|',
      reason: 'a negative width aligns left',
    },
    { text: '{{ printf "%#.3g|%#g" 10.0 1.0 }}', output: '10.0|1.00000', reason: 'the sharp flag keeps zeros' },
    {
      text: '{{ lt "z" "é" }} {{ lt "é" "z" }} {{ lt "a" "ab" }} {{ lt "ab" "a" }}',
      output: 'true false true false',
      reason: 'texts are compared byte by byte, a prefix first',
    },
    {
      text: '{{ deepEqual (list 1 2) (list 1 2) }} {{ deepEqual (list 1 2) (list 1 3) }} {{ deepEqual (dict "a" 1) (dict "a" 2) }} {{ deepEqual (dict "a" 1) (list 1) }} {{ deepEqual "a" "b" }}',
      output: 'true false false false false',
      reason: 'deepEqual compares members',
    },
    { text: '{{ (.m).k.n }}', output: 'v', reason: 'fields follow a group in parentheses' },
    {
      text: '{{ range .l }}{{ range $.l }}{{ end }}{{ . }}{{ break }}{{ end }}',
      output: 'a',
      reason: 'break ends the outer range after an inner one',
    },
    {
      text: '{{ range .l }}{{ end }}{{ break }}',
      output: 'error: template: tpl:1: {{break}} outside {{range}}',
      reason: 'break needs a range',
    },
  ])('renders $text: $reason', ({ text, output }) => {
    expect(render(text)).toBe(output);
  });
});
