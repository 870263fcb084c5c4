import { describe, expect, it } from 'vitest';
import { renderName } from '../../../../shared/names/naming-template.ts';

const data = { cluster: { name: 'c1' }, machineSet: { name: 'ms1' }, random: 'rrrrr' };

describe('a naming template', () => {
  it.each([
    { template: 'plain', name: 'plain', reason: 'no action' },
    { template: '{{ .cluster.name }}-{{ .machineSet.name }}-{{ .random }}', name: 'c1-ms1-rrrrr', reason: 'data' },
    { template: '{{ printf "%.3s" .random }}', name: 'rrr', reason: "Go's built-in functions" },
    { template: 'a'.repeat(4096), name: 'a'.repeat(4096), reason: 'the longest template' },
  ])('is rendered: $reason', ({ template, name }) => {
    expect(renderName(template, data)).toEqual({ ok: true, value: name });
  });

  it.each([
    {
      template: 'a'.repeat(4097),
      error: 'parsing template: limit exceeded: more than 4096 characters',
      reason: 'too long',
    },
    {
      template: '{{ .cluster.name',
      error: 'parsing template "{{ .cluster.name": template: template name generator:1: unclosed action',
      reason: 'no template',
    },
    {
      template: '{{ upper .random }}',
      error:
        'parsing template "{{ upper .random }}": template: template name generator:1: function "upper" not defined',
      reason: "a function that is not Go's",
    },
    {
      template: '{{ .machinePool.name }}',
      error:
        'rendering template: template: template name generator:1:15: executing "template name generator" at <.machinePool.name>: map has no entry for key "machinePool"',
      reason: 'a missing key',
    },
  ])('has an error with its source: $reason', ({ template, error }) => {
    expect(renderName(template, data)).toEqual({ ok: false, error });
  });
});
