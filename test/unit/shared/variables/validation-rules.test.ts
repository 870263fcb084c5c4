// The compiled rules, which all lists of one topology use.
import { expect, it } from 'vitest';
import type { VariableSchema } from '../../../../shared/variables/schema.ts';
import { rulesForValues } from '../../../../shared/variables/validation-rules.ts';
import { TooMuchWorkError } from '../../../../shared/variables/work.ts';

const rule = { rule: 'self.size() < 5' };
const ruled = (count = 1): VariableSchema => ({
  type: 'string',
  maxLength: 5,
  'x-kubernetes-validations': Array.from({ length: count }, () => rule),
});

/** Work without an effective limit. */
function countedWork() {
  let spent = 0;
  return {
    spend(steps: number): void {
      spent += steps;
    },
    spent: () => spent,
  };
}

it('compiles the rules of a schema once', () => {
  const work = countedWork();
  const rules = rulesForValues();
  const schema = ruled();
  const first = rules(schema, work);
  const paid = work.spent();
  expect(first?.here).toHaveLength(1);
  expect(paid).toBe(rule.rule.length * 20);
  expect(rules(schema, work)).toBe(first);
  expect(work.spent()).toBe(paid);
});

it('does not depend on earlier validations', () => {
  const schema = ruled();
  const spent = [schema, schema].map(each => {
    const work = countedWork();
    rulesForValues()(each, work);
    return work.spent();
  });
  expect(spent[1]).toBe(spent[0]);
});

it('remembers schemas without rules as well', () => {
  const rules = rulesForValues();
  const schema: VariableSchema = { type: 'string' };
  expect([rules(schema, countedWork()), rules(schema, countedWork())]).toEqual([undefined, undefined]);
});

it('remembers nothing of a schema whose rules take too much work', () => {
  const rules = rulesForValues();
  const schema = ruled();
  const none = {
    spend(): void {
      throw new TooMuchWorkError();
    },
  };
  expect(() => rules(schema, none)).toThrow(TooMuchWorkError);
  const work = countedWork();
  expect(rules(schema, work)?.here).toHaveLength(1);
  expect(work.spent()).toBeGreaterThan(0);
});
