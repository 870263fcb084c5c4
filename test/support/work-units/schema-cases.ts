// The table of work: every keyword of schemas of variables. A run validates the definition, applies defaults and
// validates the value.
import {
  defaultVariables,
  rulesForValues,
  type VariableSchema,
  validateVariableDefinitions,
  validateVariables,
} from '../../../shared/variables/index.ts';
import { deepList, type InputClass, isText, textClasses, textOf, type UnitCase } from './unit-case.ts';

interface Sized {
  readonly schema: VariableSchema;
  readonly value: unknown;
}

interface Row {
  readonly inputs: readonly InputClass[];
  readonly make: (input: InputClass, size: number) => Sized;
  readonly square?: string;
}

const text = (input: InputClass, size: number): string => (isText(input) ? textOf(input, size) : 'x');
/** Items of eight characters. */
const items = (size: number): readonly string[] => Array.from({ length: Math.ceil(size / 8) }, (_, at) => `k${at}`);
const members = (size: number): Readonly<Record<string, string>> =>
  Object.fromEntries(items(size).map(item => [item, item]));

const ofText = (keyword: (given: string) => VariableSchema): Row => ({
  inputs: textClasses,
  make: (input, size) => ({
    schema: { type: 'string', ...keyword(text(input, size)) },
    value: text(input, size),
  }),
});

const ofWide = (make: (size: number) => Sized): Row => ({ inputs: ['wide'], make: (_, size) => make(size) });

const branches = (keyword: 'anyOf' | 'oneOf' | 'allOf'): Row => ({
  inputs: ['wide', 'ascii', 'emoji'],
  make: (input, size) => ({
    schema: {
      type: 'string',
      [keyword]: items(input === 'wide' ? size : 64).map(item => ({ enum: [item], maxLength: 1 })),
    },
    value: text(input, size),
  }),
});

const number = (keyword: VariableSchema): Row =>
  ofWide(size => ({
    schema: { type: 'array', items: { type: 'integer', ...keyword } },
    value: items(size).map((_, at) => at),
  }));

const list = (keyword: VariableSchema): Row =>
  ofWide(size => ({ schema: { type: 'array', items: { type: 'string' }, ...keyword }, value: items(size) }));

const map = (keyword: VariableSchema): Row =>
  ofWide(size => ({
    schema: { type: 'object', additionalProperties: { type: 'string' }, ...keyword },
    value: members(size),
  }));

/** The formats of texts that the validation knows. */
export const formatNames: readonly string[] =
  'bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn hexcolor rgbcolor byte password date duration datetime k8s-short-name k8s-long-name'.split(
    ' ',
  );

/** The levels of values of variables are limited. */
const mostLevels = 80;

const nested = (levels: number): VariableSchema =>
  levels === 0 ? { type: 'string' } : { type: 'array', items: nested(levels - 1) };

const rows: Readonly<Record<keyof VariableSchema, Row>> = {
  description: ofText(description => ({ description })),
  type: {
    inputs: ['wide', 'deep'],
    make: (input, size) =>
      input === 'deep'
        ? { schema: nested(Math.min(mostLevels, size)), value: deepList(Math.min(mostLevels, size)) }
        : { schema: { type: 'array', items: { type: 'integer' } }, value: items(size) },
  },
  format: {
    inputs: textClasses,
    make: (input, size) => ({
      schema: {
        type: 'object',
        properties: Object.fromEntries(formatNames.map(format => [format, { type: 'string', format }])),
      },
      value: Object.fromEntries(formatNames.map(format => [format, text(input, size)])),
    }),
  },
  pattern: ofText(() => ({ pattern: '^([a-z]+[0-9]?)*$' })),
  example: ofText(example => ({ example })),
  default: {
    inputs: [...textClasses, 'wide'],
    make: (input, size) =>
      input === 'wide'
        ? { schema: { type: 'array', items: { type: 'string', default: 'x' } }, value: items(size) }
        : { schema: { type: 'string', default: text(input, size) }, value: undefined },
  },
  enum: {
    inputs: [...textClasses, 'wide', 'parts'],
    make: (input, size) =>
      input === 'wide'
        ? { schema: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } }, value: items(size) }
        : { schema: { type: 'string', enum: [...items(input === 'parts' ? size : 64)] }, value: text(input, size) },
  },
  properties: ofWide(size => ({
    schema: { type: 'object', properties: Object.fromEntries(items(size).map(item => [item, { type: 'string' }])) },
    value: members(size),
  })),
  additionalProperties: map({}),
  maxProperties: map({ maxProperties: 1 }),
  minProperties: map({ minProperties: 1_000_000 }),
  required: {
    inputs: ['parts', 'wide'],
    make: (input, size) => {
      const required = input === 'parts' ? items(size).map(item => `${item}-missing`) : ['a', 'b', 'c'];
      const properties = Object.fromEntries(required.map(name => [name, { type: 'string' }]));
      const object = { type: 'object', properties, required };
      return {
        schema: { type: 'array', items: object },
        value: input === 'parts' ? [{}] : items(size).map(() => ({})),
      };
    },
  },
  items: list({}),
  maxItems: list({ maxItems: 1 }),
  minItems: list({ minItems: 1_000_000 }),
  uniqueItems: list({}),
  maxLength: ofText(() => ({ maxLength: 1 })),
  minLength: ofText(() => ({ minLength: 1_000_000 })),
  maximum: number({ maximum: 1 }),
  minimum: number({ minimum: 1_000_000 }),
  exclusiveMaximum: number({ maximum: 1, exclusiveMaximum: true }),
  exclusiveMinimum: number({ minimum: 1_000_000, exclusiveMinimum: true }),
  allOf: branches('allOf'),
  oneOf: branches('oneOf'),
  anyOf: branches('anyOf'),
  not: ofText(() => ({ not: { maxLength: 1 } })),
  'x-kubernetes-preserve-unknown-fields': ofWide(size => ({
    schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    value: members(size),
  })),
  'x-kubernetes-int-or-string': {
    inputs: ['wide'],
    make: (_, size) => ({
      schema: { type: 'array', items: { 'x-kubernetes-int-or-string': true } },
      value: items(size),
    }),
  },
  'x-kubernetes-validations': ofText(() => ({
    maxLength: 1_000_000,
    'x-kubernetes-validations': [{ rule: "self != 'x'" }],
  })),
  'x-metadata': ofText(given => ({ 'x-metadata': { labels: { a: given }, annotations: { b: given } } })),
};

/** The keywords that schemas of variables may contain. */
export const schemaKeywords: readonly string[] = Object.keys(rows);

function toCase(of: string, input: InputClass, { make, square }: Row): UnitCase {
  return {
    of,
    shown: of,
    input,
    ...(square === undefined ? {} : { square }),
    prepare(size) {
      const { schema, value } = make(input, size);
      const variable = { name: 'v', schema: { openAPIV3Schema: schema } };
      const definition = { ...variable, from: 'inline', required: false };
      const variables = [{ name: 'v', definitionsConflict: false, definitions: [definition] }];
      return meter => {
        const errors = [...validateVariableDefinitions([variable], 'spec.variables', meter)];
        const given = value === undefined ? [] : [{ name: 'v', value }];
        const of = { variables, path: 'spec.topology.variables', meter };
        const { values, errors: ofDefaults } = defaultVariables({ ...of, values: given, create: true });
        const rules = rulesForValues();
        errors.push(...ofDefaults, ...validateVariables({ ...of, values, oldValues: [], complete: true, rules }));
        return errors.find(({ type }) => type === 'Internal error')?.detail;
      };
    },
  };
}

export const schemaCases: readonly UnitCase[] = Object.entries(rows).flatMap(([of, row]) =>
  row.inputs.map(input => toCase(of, input, row)),
);
