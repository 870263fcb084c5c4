import { parseTemplate } from '@capi-serverless/go-template';
import { describe, expect, it } from 'vitest';
import { usedVariables } from '../../../../../../functions/topology/plan/patches/used-variables.ts';

function uses(text: string): readonly string[] | 'all' {
  const parsed = parseTemplate(text, { name: 'tpl', functions: 'sprig', missingKey: 'default' });
  if (!parsed.ok) {
    throw new Error(parsed.error);
  }
  const used = usedVariables(parsed.value);
  return used === 'all' ? used : [...used].sort();
}

describe('the variables that a template reads', () => {
  it.each([
    { text: 'plain', used: [], reason: 'nothing' },
    { text: '{{ .a.b.c }}{{ .d }}', used: ['a', 'd'], reason: 'variables by their first name' },
    {
      text: '{{ if .a }}{{ .b }}{{ else if .c }}{{ .d }}{{ else }}{{ .e }}{{ end }}',
      used: ['a', 'b', 'c', 'd', 'e'],
      reason: 'those in all branches',
    },
    {
      text: '{{ range .a }}{{ . }}{{ .b }}{{ $.c }}{{ break }}{{ continue }}{{ else }}{{ .d }}{{ end }}',
      used: ['a', 'c', 'd'],
      reason: 'no members of items',
    },
    { text: '{{ with .a }}{{ .b }}{{ end }}', used: ['a'], reason: 'no members of another dot' },
    {
      text: '{{ $x := .a }}{{ $x.b }}{{ range $k, $v := .c }}{{ $k }}{{ $v }}{{ end }}',
      used: ['a', 'c'],
      reason: 'what template variables are made of',
    },
    {
      text: '{{ printf "%v" (index .a "k" 1 true nil).b | default .c }}',
      used: ['a', 'c'],
      reason: 'arguments at any depth',
    },
    { text: '{{ (index . "a").b }}', used: 'all', reason: 'everything that is indexed' },
    { text: '{{ toJson . }}', used: 'all', reason: 'everything that is handed on' },
    { text: '{{ range .a }}{{ toJson $ }}{{ end }}', used: 'all', reason: 'everything by its other name' },
    { text: '{{ with . }}{{ .b }}{{ end }}', used: 'all', reason: 'everything as another dot' },
    {
      text: '{{ define "x" }}{{ .b }}{{ end }}{{ template "x" .a }}',
      used: ['a'],
      reason: 'what a definition is given',
    },
    {
      text: '{{ define "x" }}{{ .b }}{{ end }}{{ template "x" . }}',
      used: 'all',
      reason: 'everything that a definition is given',
    },
    {
      text: '{{ define "x" }}y{{ end }}{{ template "x" }}',
      used: [],
      reason: 'nothing where a definition is given nothing',
    },
  ])('is $reason: $text', ({ text, used }) => {
    expect(uses(text)).toEqual(used);
  });
});
