import { describe, expect, it } from 'vitest';
import { PatchBudget } from '../../../../../../functions/topology/plan/patches/patch-limits.ts';
import { ValueTemplates } from '../../../../../../functions/topology/plan/patches/value-templates.ts';
import { calculateValue, isEnabled } from '../../../../../../functions/topology/plan/patches/values.ts';
import type { JsonPatchDefinition } from '../../../../../../shared/api/cluster-class/class-spec.ts';

const variables = { v: 'x', flag: true };
const from = (fields: { readonly variable?: string; readonly template?: string }) => ({
  valueFrom: { variable: '', template: '', ...fields },
});

function calculated(fields: Partial<JsonPatchDefinition>) {
  return calculateValue(
    { op: 'add', path: '/spec', ...fields },
    {
      variables,
      templates: new ValueTemplates(new PatchBudget()),
      place: 'here',
    },
  );
}

describe('the value of a JSON patch', () => {
  it.each([
    { reason: 'as it is written', fields: { value: { a: 1 } }, value: { a: 1 } },
    { reason: 'null', fields: { value: null }, value: null },
    { reason: 'of a variable', fields: from({ variable: 'v' }), value: 'x' },
    { reason: 'of a template', fields: from({ template: '[{{ .v }}, yes]' }), value: ['x', true] },
    { reason: 'nothing rendered', fields: from({ template: '{{/* */}}' }), value: null },
  ])('is $reason', ({ fields, value }) => {
    expect(calculated(fields)).toEqual({ ok: true, value });
  });

  it.each([
    { fields: {}, error: 'failed to calculate value: neither .value nor .valueFrom are set' },
    {
      fields: { value: null, ...from({ variable: 'v' }) },
      error: 'failed to calculate value: both .value and .valueFrom are set',
    },
    {
      fields: from({}),
      error:
        'failed to calculate value: .valueFrom is set, but neither .valueFrom.variable nor .valueFrom.template are set',
    },
    {
      fields: from({ variable: 'v', template: 't' }),
      error:
        'failed to calculate value: .valueFrom is set, but both .valueFrom.variable and .valueFrom.template are set',
    },
    { fields: from({ variable: 'w' }), error: 'failed to calculate value: variable "w" does not exist' },
    {
      fields: from({ template: '{{ if }}' }),
      error:
        'failed to calculate value for template: failed to parse template: "{{ if }}": template: tpl:1: missing value for if (here)',
    },
    {
      fields: from({ template: '{{ .v.w }}' }),
      error:
        'failed to calculate value for template: failed to render template: "{{ .v.w }}": template: tpl:1:5: executing "tpl" at <.v.w>: can\'t evaluate field w in type interface {} (here)',
    },
  ])('fails: $error', ({ fields, error }) => {
    expect(calculated(fields)).toEqual({ ok: false, error });
  });

  it('fails where the output is not YAML', () => {
    expect(calculated(from({ template: '"{{ .v }}' }))).toMatchObject({
      error: expect.stringMatching(
        /^failed to calculate value for template: failed to unmarshal rendered template: "\\"x": error converting YAML to JSON: yaml: .* \(here\)$/s,
      ),
    });
  });
});

describe('a patch', () => {
  it.each([
    { condition: '', enabled: true },
    { condition: 'true', enabled: true },
    { condition: 'yes', enabled: true },
    { condition: '{{ .flag }}', enabled: true },
    { condition: '"true"', enabled: false },
    { condition: '1', enabled: false },
    { condition: '{{ .missing }}', enabled: false },
    { condition: '{{ if .missing }}true{{ end }}', enabled: false },
  ])('with the condition "$condition" is enabled: $enabled', ({ condition, enabled }) => {
    expect(isEnabled(condition, variables, new ValueTemplates(new PatchBudget()))).toEqual({
      ok: true,
      value: enabled,
    });
  });
});

describe('templates', () => {
  it('are parsed once, rendered once for equal variables, and read once for equal outputs', () => {
    const templates = new ValueTemplates(new PatchBudget());
    const shared = { a: 1 };
    const all = [
      { v: 1, o: shared, other: 1 },
      { v: 1, o: shared, other: 2 },
      { v: 1, o: { a: 1 } },
      { v: '1', o: shared },
      { o: shared },
    ];
    for (const data of all) {
      templates.evaluate('{{ .v }}-{{ .o.a }}', data);
    }
    expect(templates.counts).toEqual({ parsed: 1, rendered: 4, decoded: 2 });
  });

  it('that pass on all variables are rendered for each set of them', () => {
    const templates = new ValueTemplates(new PatchBudget());
    const data = [{ v: 1 }, { v: 2 }];
    expect([...data, ...data].map(each => templates.evaluate('{{ index . "v" }}', each))).toEqual(
      [...data, ...data].map(({ v }) => ({ ok: true, value: v })),
    );
    expect(templates.counts.rendered).toBe(2);
  });
});
