// Compares the evaluation of schemas with that of Ajv, for keywords with the same definition. The differences are in
// docs/variables.md.
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { rulesForValues, validateVariables } from '../../../../shared/variables/index.ts';
import type { VariableSchema } from '../../../../shared/variables/schema.ts';
import { generated } from '../../../support/extent.ts';
import { fc, seed } from '../../../support/property.ts';
import { aStatusVariable } from './builders.ts';

const schemas = generated(2000);
const valuesEach = 5;
const runs = schemas * valuesEach;

const ajv = new Ajv({
  strict: false,
  allErrors: false,
  validateFormats: false,
  validateSchema: false,
  ownProperties: true,
});

const count = fc.integer({ min: 0, max: 3 });
const text = fc.constantFrom('', 'a', 'b', 'ab', 'ba', 'aab', 'ä', '😀', 'a😀', '1');
const number = fc.constantFrom(-2, -1, 0, 1, 2, 3, 0.5, -1.5, 1e21, 1e-7);
const names = fc.constantFrom('a', 'b', 'c', 'length');
const pattern = fc.constantFrom('^a', 'b$', 'a+', '^[a-z]*$', '.', '^$', 'a|b');

/** Ajv compares only objects with the prototype of Object. */
const plain = { maxKeys: 3, noNullPrototype: true } as const;

const value = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    { weight: 4, arbitrary: fc.oneof(text, number, fc.boolean(), fc.constant(null)) },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
    { weight: 2, arbitrary: fc.dictionary(names, tie('value'), plain) },
  ),
})).value;

type Keywords = Record<string, fc.Arbitrary<unknown>>;

/** A random subset of the keywords. */
function some(keywords: Keywords): fc.Arbitrary<Record<string, unknown>> {
  return fc
    .subarray(Object.keys(keywords), { maxLength: 3 })
    .chain(chosen =>
      fc.record(Object.fromEntries(chosen.map(name => [name, keywords[name] ?? fc.constant(undefined)]))),
    );
}

/** Enums with values of one type, because API servers convert between types. */
const choices = fc.oneof(
  fc.array(text, { minLength: 1, maxLength: 3 }),
  fc.array(fc.boolean(), { minLength: 1, maxLength: 2 }),
);

const checks: Keywords = {
  minLength: count,
  maxLength: count,
  pattern,
  minimum: fc.integer({ min: -2, max: 2 }),
  maximum: fc.integer({ min: -2, max: 2 }),
  minItems: count,
  maxItems: count,
  uniqueItems: fc.boolean(),
  minProperties: count,
  maxProperties: count,
  required: fc.uniqueArray(names, { minLength: 1, maxLength: 2 }),
};

const nested = fc.letrec<{ check: Record<string, unknown> }>(tie => ({
  check: fc.oneof(
    { depthSize: 'xsmall', maxDepth: 2 },
    some(checks),
    fc.record({ allOf: fc.array(tie('check'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ anyOf: fc.array(tie('check'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie('check'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ not: tie('check') }),
  ),
})).check;

const schema = fc.letrec<{ schema: Record<string, unknown> }>(tie => {
  const typed = (type: string, more: Keywords = {}) =>
    fc
      .tuple(some(checks), nested, fc.record(more))
      .map(([own, combined, rest]) => ({ type, ...combined, ...own, ...rest }));
  return {
    schema: fc.oneof(
      { depthSize: 'xsmall', maxDepth: 3 },
      typed('string'),
      typed('string', { enum: choices }),
      typed('integer'),
      typed('number'),
      typed('boolean'),
      typed('object', { properties: fc.dictionary(names, tie('schema'), plain) }),
      typed('object', { additionalProperties: tie('schema') }),
      typed('array', { items: tie('schema') }),
    ),
  };
}).schema;

/** API servers store integers in 64 bits. A larger number without a fraction is not an integer. */
function hasHugeInteger(each: unknown): boolean {
  return JSON.stringify(each).includes('e+21');
}

/** Unknown fields are rejected in a later step. This test checks only the schema. */
function open(each: Record<string, unknown>): VariableSchema {
  // True: the generators above generate values of the correct type for every keyword.
  return { ...each, 'x-kubernetes-preserve-unknown-fields': true } as VariableSchema;
}

function isTakenByUs(described: Record<string, unknown>, given: unknown): boolean {
  const list = {
    values: [{ name: 'n', value: given }],
    oldValues: [],
    path: 'v',
    complete: true,
    rules: rulesForValues(),
  };
  const errors = validateVariables({ ...list, variables: [aStatusVariable('n', open(described))] });
  return errors.every(({ detail }) => detail.startsWith('failed validation: '));
}

describe(`${schemas * valuesEach} values of generated schemas`, () => {
  it(`have the same result in Ajv (seed ${seed})`, () => {
    const tally = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(schema, fc.array(value, { minLength: valuesEach, maxLength: valuesEach }), (described, values) => {
        const agrees = ajv.compile(described);
        for (const given of values.filter(each => !hasHugeInteger(each))) {
          const expected = agrees(given);
          tally[expected ? 'taken' : 'refused'] += 1;
          expect({ given, taken: isTakenByUs(described, given) }).toEqual({ given, taken: expected });
        }
      }),
      { numRuns: schemas },
    );
    expect(tally.taken).toBeGreaterThan(runs / 50);
    expect(tally.refused).toBeGreaterThan(runs / 50);
  });
});
