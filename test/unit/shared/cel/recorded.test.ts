// What a kube-apiserver said of rules and values, asked of the room itself: test/ports/apiserver/rules asks both servers.
import { expect, it } from 'vitest';
import { compileRules, createBudget, evaluateRules, type StructuralSchema } from '../../../../shared/cel/index.ts';
import { ruleTable, values } from '../../../ports/apiserver/rules/fixtures.ts';

it.each(values)('$reason', ({ schema, value, before, refused }) => {
  const compiled = compileRules(schema, { path: 'schema' });
  expect(compiled.problems).toEqual([]);
  const known = before === undefined || before === null ? {} : { oldValue: before, ratchet: true };
  const problems = evaluateRules(compiled.rules, { value, ...known, path: 'spec.value', budget: createBudget() });
  const told = problems.map(({ reason, path }) => ({ reason, field: path }));
  expect(told).toEqual((refused ?? []).map(({ reason, field }) => ({ reason, field })));
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
