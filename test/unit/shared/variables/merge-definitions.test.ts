import { describe, expect, it } from 'vitest';
import { conflictingVariables, mergeDefinitions } from '../../../../shared/variables/merge-definitions.ts';
import type { ClusterClassVariable, VariableSchema } from '../../../../shared/variables/schema.ts';

function aVariable(
  openAPIV3Schema: VariableSchema = { type: 'string' },
  rest: Partial<ClusterClassVariable> = {},
): ClusterClassVariable {
  return { name: 'a', required: true, schema: { openAPIV3Schema }, ...rest };
}

const patches = ['inline', 'p1', 'p2'];

/** Returns the single variable with this name from several sources. */
function merged(...variables: readonly ClusterClassVariable[]) {
  return mergeDefinitions(
    variables.map((variable, index) => ({ from: patches[index] ?? '', variables: [variable] })),
  )[0];
}

describe('merging definitions', () => {
  it('sorts inline variables by name, without conflict', () => {
    const variables = mergeDefinitions([
      { from: 'inline', variables: [aVariable({}, { name: 'b' }), aVariable({}, { name: 'a' })] },
    ]);
    expect(variables).toEqual([
      {
        name: 'a',
        definitionsConflict: false,
        definitions: [{ from: 'inline', required: true, schema: { openAPIV3Schema: {} } }],
      },
      {
        name: 'b',
        definitionsConflict: false,
        definitions: [{ from: 'inline', required: true, schema: { openAPIV3Schema: {} } }],
      },
    ]);
  });

  it('returns no variables without sources', () => {
    expect(mergeDefinitions([])).toEqual([]);
  });

  it('lists equal definitions side by side, without conflict', () => {
    const variable = merged(aVariable(), aVariable());
    expect(variable?.definitionsConflict).toBe(false);
    expect(variable?.definitions.map(({ from }) => from)).toEqual(['inline', 'p1']);
  });

  it('a different description causes a conflict', () => {
    const variable = merged(aVariable({ type: 'string' }), aVariable({ type: 'string', description: 'b' }));
    expect(variable?.definitions).toHaveLength(2);
    expect(conflictingVariables(variable === undefined ? [] : [variable])).toEqual(['a']);
  });

  it('names only the variables that have a conflict', () => {
    const sources = ['string', 'integer'].map(type => ({
      from: type,
      variables: [aVariable({ type }), aVariable({ type: 'string' }, { name: 'b' })],
    }));
    expect(conflictingVariables(mergeDefinitions(sources))).toEqual(['a']);
  });

  it('a conflict with the first definition stays, regardless of later definitions', () => {
    const one = aVariable({ type: 'string' });
    expect(merged(one, aVariable({ type: 'integer' }), one)?.definitionsConflict).toBe(true);
  });

  it('copies metadata and schema of each definition', () => {
    const deprecatedV1Beta1Metadata = { labels: { l: 'v' } };
    expect(merged(aVariable({ type: 'string' }, { deprecatedV1Beta1Metadata }))?.definitions).toEqual([
      { from: 'inline', required: true, deprecatedV1Beta1Metadata, schema: { openAPIV3Schema: { type: 'string' } } },
    ]);
  });
});

describe('two definitions', () => {
  const deep = (schema: VariableSchema): VariableSchema => ({
    type: 'object',
    properties: {
      p: { type: 'array', items: { additionalProperties: { allOf: [{ oneOf: [{ anyOf: [{ not: schema }] }] }] } } },
    },
  });
  it.each([
    { left: { uniqueItems: false }, right: {}, conflict: false, reason: 'false is the same as absent' },
    { left: { minItems: 0 }, right: {}, conflict: true, reason: 'zero is not the same as absent' },
    { left: { uniqueItems: true }, right: {}, conflict: true, reason: 'true is not' },
    { left: { exclusiveMaximum: false }, right: {}, conflict: false, reason: 'false is the same as absent' },
    { left: { exclusiveMinimum: false }, right: {}, conflict: false, reason: 'false is the same as absent' },
    { left: { 'x-kubernetes-preserve-unknown-fields': false }, right: {}, conflict: false, reason: 'the same' },
    { left: { 'x-kubernetes-int-or-string': false }, right: {}, conflict: false, reason: 'the same' },
    { left: deep({ uniqueItems: false }), right: deep({}), conflict: false, reason: 'also at any depth' },
    { left: deep({ minItems: 0 }), right: deep({}), conflict: true, reason: 'a difference at any depth counts' },
    { left: { properties: {} }, right: {}, conflict: true, reason: 'an empty map is not absent' },
    { left: { example: 1 }, right: { example: 2 }, conflict: true, reason: 'examples differ' },
    { left: { enum: ['a', 'b'] }, right: { enum: ['b', 'a'] }, conflict: true, reason: 'the order of choices counts' },
    { left: { required: ['a', 'b'] }, right: { required: ['b', 'a'] }, conflict: true, reason: 'so does this order' },
    {
      left: { default: { a: 1, b: 2 } },
      right: { default: { b: 2, a: 1 } },
      conflict: false,
      reason: 'members have no order',
    },
    { left: { 'x-metadata': { labels: { a: 'b' } } }, right: {}, conflict: true, reason: 'metadata for tools differs' },
    { left: { 'x-metadata': {} }, right: {}, conflict: false, reason: 'metadata without content is none' },
    {
      left: { 'x-kubernetes-validations': [{ rule: 'true', reason: 'FieldValueInvalid' }] },
      right: { 'x-kubernetes-validations': [{ rule: 'true' }] },
      conflict: false,
      reason: 'the API server fills in this reason',
    },
    {
      left: { 'x-kubernetes-validations': [{ rule: 'true' }, { rule: '!false' }] },
      right: { 'x-kubernetes-validations': [{ rule: '!false' }, { rule: 'true' }] },
      conflict: true,
      reason: 'rules have another order',
    },
  ] as readonly { left: VariableSchema; right: VariableSchema; conflict: boolean; reason: string }[])(
    '$left and $right: conflict $conflict ($reason)',
    ({ left, right, conflict }) => {
      expect(merged(aVariable(left), aVariable(right))?.definitionsConflict).toBe(conflict);
    },
  );

  it.each([
    { rest: { required: false }, conflict: true, reason: 'one is required' },
    { rest: { deprecatedV1Beta1Metadata: { labels: { a: 'b' } } }, conflict: true, reason: 'metadata differs' },
    { rest: { deprecatedV1Beta1Metadata: {} }, conflict: false, reason: 'metadata without content is none' },
  ])('with $rest beside none: conflict $conflict ($reason)', ({ rest, conflict }) => {
    expect(merged(aVariable(), aVariable(undefined, rest))?.definitionsConflict).toBe(conflict);
  });

  it('an absent required equals false', () => {
    const { required: _, ...silent } = aVariable();
    expect(merged(silent, aVariable(undefined, { required: false }))?.definitionsConflict).toBe(false);
  });
});
