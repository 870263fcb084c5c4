// CEL rules: expressions with all functions and hostile values.
import { WorkMeter } from '@capi-serverless/apimachinery';
import { compileRules, createBudget, evaluateRules, limits } from '@capi-serverless/cel';
import { allOverloads } from '../../../packages/cel/functions.ts';
import { fc } from '../../support/property.ts';
import type { FuzzedParser } from '../parser.ts';

const methods = allOverloads()
  .filter(({ member }) => member)
  .map(({ name }) => name);
const functions = allOverloads()
  .filter(({ member, name }) => !member && /^[a-zA-Z.]+$/.test(name))
  .map(({ name }) => name);
const operators = ['==', '!=', '<', '<=', '>', '+', '-', '*', '/', '%', '&&', '||', 'in'];
const leaf = fc.oneof(
  fc.constantFrom(
    'self.text',
    'self.list',
    'self.map',
    'self.number',
    'self',
    '1',
    '-1',
    '1.5',
    'true',
    'null',
    '[]',
    '{}',
  ),
  fc.string({ maxLength: 8 }).map(text => JSON.stringify(text)),
  fc.constantFrom("'a(.*b)?'", "'[a-z]+'", "'%s %d'", "'1h'", "'2024-01-01T00:00:00Z'", "'Europe/Berlin'"),
);
const { expression } = fc.letrec<{ expression: string }>(tie => ({
  expression: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc
      .tuple(tie('expression'), fc.constantFrom(...methods), fc.array(tie('expression'), { maxLength: 2 }))
      .map(([on, name, args]) => `${on}.${name}(${args.join(', ')})`),
    fc
      .tuple(fc.constantFrom(...functions), fc.array(tie('expression'), { maxLength: 2 }))
      .map(([name, args]) => `${name}(${args.join(', ')})`),
    fc
      .tuple(tie('expression'), fc.constantFrom(...operators), tie('expression'))
      .map(([left, name, right]) => `(${left} ${name} ${right})`),
    fc
      .tuple(tie('expression'), fc.constantFrom('all', 'exists', 'map', 'filter'), tie('expression'))
      .map(([on, name, body]) => `${on}.${name}(x, ${body})`),
    fc.array(tie('expression'), { maxLength: 3 }).map(items => `[${items.join(', ')}]`),
  ),
}));
const value = fc.record({
  text: fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc.integer({ min: 0, max: 20_000 }).map(length => 'a'.repeat(length)),
  ),
  list: fc.array(fc.string({ maxLength: 50 }), { maxLength: 200 }),
  map: fc.dictionary(fc.string(), fc.string(), { maxKeys: 50 }),
  number: fc.integer(),
});
const properties = {
  text: { type: 'string', maxLength: 20_000 },
  list: { type: 'array', maxItems: 200, items: { type: 'string', maxLength: 50 } },
  map: { type: 'object', maxProperties: 50, additionalProperties: { type: 'string' } },
  number: { type: 'integer' },
};

/** A rule returns a result, and the common meter has the same count as the budget of the rules. */
function check(rule: string, self: unknown): void {
  const rules = [{ rule: `dyn(${rule}) == dyn(null)` }];
  const compiled = compileRules({ type: 'object', properties, 'x-kubernetes-validations': rules }, { path: 'schema' });
  const meter = new WorkMeter({ units: 1e12, what: 'rules', remedy: 'none' });
  const budget = createBudget(limits.object, meter);
  evaluateRules(compiled.rules, { value: self, path: 'value', budget });
  if (meter.spent < limits.object - budget.remaining()) {
    throw new Error(`${limits.object - budget.remaining()} steps for ${meter.spent} units`);
  }
}

export const parser: FuzzedParser = {
  name: 'rules',
  property: fc.property(expression, value, check),
};
