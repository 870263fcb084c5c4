// The results of Cluster API v1.14.0 for generated definitions and values, recorded from the packages of Cluster API.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { printFieldError } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import {
  defaultVariables,
  rulesForValues,
  validateVariableDefinitions,
  validateVariables,
} from '../../../../shared/variables/index.ts';
import { readVariableDefinitions } from '../../../../shared/variables/read.ts';
import type { StatusVariable, VariableSchema } from '../../../../shared/variables/schema.ts';

interface Recorded {
  readonly formats: { readonly texts: readonly string[]; readonly held: Readonly<Record<string, readonly string[]>> };
  readonly definitions: readonly { readonly schema: VariableSchema; readonly errors: readonly string[] }[];
  readonly values: readonly {
    readonly schema: VariableSchema;
    readonly value: unknown;
    readonly defaulted: unknown;
    readonly errors: readonly string[];
  }[];
}

const file = path.resolve(import.meta.dirname, '../../../fixtures/variables/upstream-v1.14.0.json');
const recorded = JSON.parse(readFileSync(file, 'utf8')) as Recorded; // true: the file was written in this form

/** The order of object members is random in Go. */
function sorted(errors: readonly string[]): readonly string[] {
  return errors.toSorted();
}

function definedAs(raw: unknown): StatusVariable {
  const read = readVariableDefinitions([{ name: 'n', required: true, schema: { openAPIV3Schema: raw } }]);
  const schema = read.ok ? read.value[0]?.schema : undefined;
  return {
    name: 'n',
    definitionsConflict: false,
    definitions: schema === undefined ? [] : [{ from: 'inline', required: true, schema }],
  };
}

function problemsOf(variable: StatusVariable, value: unknown): readonly string[] {
  const list = {
    values: [{ name: 'n', value }],
    oldValues: [],
    variables: [variable],
    path: 'v',
    complete: true,
    rules: rulesForValues(),
  };
  return validateVariables(list).map(printFieldError);
}

describe('the recorded results', () => {
  it('exist', () => {
    expect(recorded.definitions.length).toBeGreaterThan(200);
    expect(recorded.values.filter(({ errors }) => errors.length > 0).length).toBeGreaterThan(100);
  });

  it('match for definitions', () => {
    for (const { schema, errors } of recorded.definitions) {
      const variables = [{ name: 'n', required: true, schema: { openAPIV3Schema: schema } }];
      const read = readVariableDefinitions(variables);
      const found = read.ok
        ? validateVariableDefinitions(read.value, 'spec.variables').map(printFieldError)
        : [read.error];
      expect({ schema, errors: sorted(found) }).toEqual({ schema, errors: sorted(errors) });
    }
  });

  it('match for defaults and values', () => {
    for (const { schema, value, defaulted, errors } of recorded.values) {
      const variable = definedAs(schema);
      const result = defaultVariables({
        values: [{ name: 'n', value }],
        variables: [variable],
        path: 'v',
        create: true,
      });
      expect({ schema, values: result.values }).toEqual({ schema, values: [{ name: 'n', value: defaulted }] });
      expect({ schema, value, errors: sorted(problemsOf(variable, defaulted)) }).toEqual({
        schema,
        value,
        errors: sorted(errors),
      });
    }
  });

  it.each(Object.keys(recorded.formats.held))('match for strings of the format %s', format => {
    const variable = definedAs({ type: 'string', format });
    const held = recorded.formats.texts.filter(text => problemsOf(variable, text).length === 0);
    expect(held).toEqual(recorded.formats.held[format]);
  });
});
