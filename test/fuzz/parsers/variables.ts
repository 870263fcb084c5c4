// Variables: definitions with keywords of any value, and values of any structure.
import { WorkMeter } from '@capi-serverless/apimachinery';
import {
  defaultVariables,
  readClusterVariables,
  readVariableDefinitions,
  rulesForValues,
  validateVariableDefinitions,
  validateVariables,
} from '../../../shared/variables/index.ts';
import { countWork } from '../../support/counted-work.ts';
import { fc } from '../../support/property.ts';
import { schemaKeywords } from '../../support/work-units/schema-cases.ts';
import type { FuzzedParser } from '../parser.ts';

const scalar = fc.oneof(
  fc.constantFrom<unknown>(
    'string',
    'object',
    'array',
    'integer',
    '^a+$',
    'date-time',
    'self == 1',
    '',
    null,
    true,
    1,
    -1,
    1.5,
  ),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
);
const { schema } = fc.letrec<{ schema: unknown }>(tie => ({
  schema: fc.dictionary(
    fc.constantFrom(...schemaKeywords),
    fc.oneof(
      { depthSize: 'small' },
      scalar,
      tie('schema'),
      fc.array(tie('schema'), { maxLength: 3 }),
      fc.dictionary(fc.string({ maxLength: 4 }), tie('schema'), { maxKeys: 3 }),
      fc.array(scalar, { maxLength: 5 }),
    ),
    { maxKeys: 5 },
  ),
}));
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.nat({ max: 500 }).map(length => Array<string>(length).fill('x')),
);
const units = 20_000_000;

/** Definitions and values are accepted or refused, and the meter has counted what regular expressions read. */
function check(openAPIV3Schema: unknown, given: unknown): void {
  const definitions = readVariableDefinitions([{ name: 'v', required: true, schema: { openAPIV3Schema } }]);
  const values = readClusterVariables([{ name: 'v', value: given }]);
  if (!definitions.ok || !values.ok) {
    return;
  }
  const meter = new WorkMeter({ units, what: 'variables', remedy: 'none' });
  const { scanned } = countWork(() => {
    validateVariableDefinitions(definitions.value, 'spec.variables', meter);
    const merged = definitions.value.map(variable => ({ ...variable, from: 'inline', required: true }));
    const variables = [{ name: 'v', definitionsConflict: false, definitions: merged }];
    const of = { variables, path: 'variables', meter };
    const { values: defaulted } = defaultVariables({ ...of, values: values.value, create: true });
    validateVariables({ ...of, values: defaulted, oldValues: [], complete: true, rules: rulesForValues() });
  });
  const size = JSON.stringify([openAPIV3Schema, given]).length;
  if (scanned > 100 * meter.spent + 200 * size + 100_000) {
    throw new Error(`${scanned} characters are scanned for ${meter.spent} units`);
  }
}

export const parser: FuzzedParser = { name: 'variables', property: fc.property(schema, value, check) };
