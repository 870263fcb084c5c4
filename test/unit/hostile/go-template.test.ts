// Templates of ClusterClasses that would block a function or exhaust its memory.

import { parseTemplate, renderTemplate } from '@capi-serverless/go-template';
import { describe, expect, it } from 'vitest';
import type { Attack, AttackResult } from './attack.ts';

function render(text: string): AttackResult {
  const parsed = parseTemplate(text, { name: 'tpl', functions: 'sprig', missingKey: 'default' });
  const rendered = parsed.ok ? renderTemplate(parsed.value, {}) : parsed;
  return { error: rendered.ok ? undefined : rendered.error };
}

const steps = 'limit exceeded: more than 2000000 steps';
const classes = 'or with too large classes';
const memory = 'limit exceeded: lists and maps of more than 67108864 bytes';
const longText = '{{ $t := repeat 20000 "a" }}';
const template = (reason: string, text: string, says = steps): Attack => ({ reason, run: () => render(text), says });

describe('a template', () => {
  it.each<Attack>([
    template(
      'finds all matches of an expression that reads to the end of the text for each',
      `${longText}{{ $x := regexFindAll "a(?:[^b]*b)?" $t -1 }}`,
    ),
    template(
      'replaces all matches of such an expression',
      `${longText}{{ $x := regexReplaceAll "a(?:[^b]*b)?" $t "x" }}`,
    ),
    template('splits at such an expression', `${longText}{{ $x := regexSplit "a(?:.*b)?" $t -1 }}`),
    template(
      'reads the groups of each match, which searches twice',
      '{{ $t := repeat 1000 "a" }}{{ range until 40 }}{{ $x := regexReplaceAll "(a)(?:[^b]*b)?" $t "$1" }}{{ end }}',
    ),
    template('finds a large expression often', `${longText}{{ $x := regexFindAll "(a{0,30}){30}b|a" $t -1 }}`),
    template(
      'changes the case of long texts, which were kept as trees of their characters',
      '{{ $t := repeat 1900000 "é" }}{{ range until 80 }}{{ $x := upper $t }}{{ end }}',
    ),
    template(
      'compiles a class of 3,200 Unicode classes without case, which took 1.4 s each time',
      '{{ $p := print "(?i)[" (repeat 3200 "\\\\pL") "]" }}{{ range until 15 }}{{ $x := regexMatch $p "a" }}{{ end }}',
      classes,
    ),
    template(
      'compiles ranges over all scripts without case',
      '{{ $p := print "(?i)[" (repeat 2400 "B-\u{1e900}") "]" }}{{ $x := regexFind $p "a" }}',
      classes,
    ),
    template(
      'compiles smaller classes again and again',
      '{{ range $i, $x := until 3000 }}{{ $x := regexFind (print "(?i)[" (repeat 100 "\\\\pL") $i "]") "a" }}{{ end }}',
    ),
    template(
      'copies a million empty maps from 180 characters, which took 640 MB',
      '{{ $l := list dict dict dict dict dict dict dict dict dict dict }}{{ range until 5 }}{{ $l = list $l $l $l $l $l $l $l $l $l $l }}{{ end }}{{ $x := deepCopy $l }}',
      memory,
    ),
    template(
      'reads a million empty maps from JSON',
      '{{ $x := fromJson (print "[" (repeat 1000000 "{},") "{}]") }}',
      memory,
    ),
    template('keeps many maps', '{{ $l := list }}{{ range until 260000 }}{{ $x := dict }}{{ end }}', memory),
    template(
      'splits a text into more words than a list may have',
      '{{ snakecase (repeat 200000 "a-") }}',
      'limit exceeded: a value of more than 4194304 bytes',
    ),
  ])('$reason: is refused', ({ run, says }) => {
    expect(run().error).toContain(says);
  });

  it.each([
    {
      reason: 'a fixed expression in a long text',
      text: `${longText}{{ len (regexFindAll "a" $t -1) }}`,
      rendered: '20000',
    },
    {
      reason: 'white space in a page of text',
      text: '{{ $t := repeat 200 "some words\\n" }}{{ len (regexSplit "\\\\s+" $t -1) }}',
      rendered: '401',
    },
    {
      reason: 'the groups of many short matches',
      text: '{{ regexReplaceAll "(\\\\w)=(\\\\w)" (repeat 3 "a=b ") "$2=$1" }}',
      rendered: 'b=a b=a b=a ',
    },
  ])('reads $reason', ({ text, rendered }) => {
    const parsed = parseTemplate(text, { name: 'tpl', functions: 'sprig', missingKey: 'default' });
    expect(parsed.ok && renderTemplate(parsed.value, {})).toEqual({ ok: true, value: rendered });
  });
});
