// Recorded results of kube-apiserver for rules and values. test/ports/apiserver/rules compares both servers.
import { expect, it } from 'vitest';
import { compileRules, createBudget, evaluateRules, type StructuralSchema } from '../../../../packages/cel/index.ts';
import { ruleTable, values } from '../../../ports/apiserver/rules/fixtures.ts';

it.each(values)('$reason', ({ schema, value, before, refused }) => {
  const compiled = compileRules(schema, { path: 'schema' });
  expect(compiled.problems).toEqual([]);
  const known = before === undefined || before === null ? {} : { oldValue: before, ratchet: true };
  const problems = evaluateRules(compiled.rules, { value, ...known, path: 'spec.value', budget: createBudget() });
  const reported = problems.map(({ reason, path }) => ({ reason, field: path }));
  expect(reported).toEqual((refused ?? []).map(({ reason, field }) => ({ reason, field })));
});

it.each(ruleTable.cases)('the rule $rule', ({ rule, refused }) => {
  const { properties } = ruleTable;
  const text = JSON.stringify({ type: 'object', properties, 'x-kubernetes-validations': [rule] });
  const schema: StructuralSchema = JSON.parse(text);
  const [first] = compileRules(schema, { path: '' }).problems;
  expect(first?.path.replace('.x-kubernetes-validations[0].', '').replace('x-kubernetes-validations[0].', '')).toEqual(
    refused?.field,
  );
});
