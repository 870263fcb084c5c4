import { printFieldError, WorkMeter } from '@capi-serverless/apimachinery';
import { workOfPass } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { problemsOfStorage } from '../../../../../functions/clusterclass/phases/gather-variables.ts';
import type { StatusVariable, VariableSchema } from '../../../../../shared/variables/index.ts';

function aVariable(schema: VariableSchema, name = 'a'): StatusVariable {
  const definition = { from: 'p1', required: false, schema: { openAPIV3Schema: schema } };
  return { name, definitionsConflict: false, definitions: [definition] };
}

const text: VariableSchema = { type: 'string' };
const rule = { rule: 'true' };
const listPath = 'definitions[0].schema.openAPIV3Schema';

function problemsOf(...list: readonly StatusVariable[]): readonly string[] {
  return problemsOfStorage(list, new WorkMeter(workOfPass)).map(printFieldError);
}

describe('variables that the API server stores', () => {
  it.each([
    { reason: 'there are none', list: [] },
    {
      reason: 'they are within all limits',
      list: [aVariable(text), aVariable({ ...text, 'x-kubernetes-validations': [rule] }, 'b')],
    },
    { reason: 'there are as many as can be', list: Array.from({ length: 1000 }, (_, at) => aVariable(text, `v${at}`)) },
  ])('have no problems: $reason', ({ list }) => {
    expect(problemsOf(...list)).toEqual([]);
  });

  it.each([
    {
      reason: 'a name is too long',
      variable: aVariable(text, 'x'.repeat(257)),
      problem: `status.variables[${'x'.repeat(257)}].name: Too long: may not be more than 256 bytes`,
    },
    {
      reason: 'a pattern is too long',
      variable: aVariable({ ...text, pattern: 'x'.repeat(513) }),
      problem: `status.variables[a].${listPath}.pattern: Too long: may not be more than 512 bytes`,
    },
    {
      reason: 'a schema is empty',
      variable: aVariable({}),
      problem: expect.stringContaining('status.variables[a].definitions[0].schema.openAPIV3Schema: '),
    },
    {
      reason: 'a rule occurs twice',
      variable: aVariable({ ...text, 'x-kubernetes-validations': [rule, rule] }),
      problem: `status.variables[a].${listPath}.x-kubernetes-validations: Invalid value: "true": this rule occurs more than once`,
    },
  ])('have a problem when $reason', ({ variable, problem }) => {
    expect(problemsOf(variable)).toEqual([problem]);
  });

  it('have a problem when there are too many', () => {
    const list = Array.from({ length: 1001 }, (_, at) => aVariable(text, `v${at}`));
    expect(problemsOf(...list)).toEqual([
      'status.variables: Invalid value: there are 1001; a class can have 1000 at most',
    ]);
  });
});
