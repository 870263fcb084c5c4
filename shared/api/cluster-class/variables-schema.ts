// Schema of variables: `ClusterClass.spec.variables` and `ClusterClass.status.variables`. A structural schema cannot be
// recursive, so the API server validates only the outermost level of their schemas.
import {
  anyValue,
  atomicList,
  choice,
  filledObject,
  filledText,
  flag,
  int64,
  listByKeys,
  object,
} from '../schema/json-schema.ts';
import { templateMetadata } from '../schema/metadata-schemas.ts';

const validation = object(
  'A rule in the Common Expression Language.',
  {
    rule: filledText('The rule; self is the value.', 4096),
    message: filledText('The message when the rule fails.', 512),
    messageExpression: filledText('An expression whose value is the message when the rule fails.', 1024),
    reason: {
      ...choice('What kind of error a failing rule is.', [
        'FieldValueInvalid',
        'FieldValueForbidden',
        'FieldValueRequired',
        'FieldValueDuplicate',
      ]),
      default: 'FieldValueInvalid',
    },
    fieldPath: filledText('The field below the value that the error is about.', 512),
  },
  { required: ['rule'] },
);

const openApiSchema = filledObject('The schema of the value, in OpenAPI v3.', {
  description: filledText('What the variable is for.', 4096),
  example: anyValue('An example of a value.'),
  type: choice('Type of the value.', ['object', 'array', 'string', 'integer', 'number', 'boolean']),
  default: anyValue('The value when none is given.'),
  enum: atomicList('The values that are allowed.', anyValue('A value.'), { maxItems: 100 }),
  properties: anyValue('Fields of an object: a schema for each.'),
  additionalProperties: anyValue('The schema of all fields of an object with free keys.'),
  maxProperties: int64('The maximum number of fields.'),
  minProperties: int64('The minimum number of fields.'),
  required: atomicList('Fields that must be set.', filledText('Name of a field.', 256), {
    minItems: 1,
    maxItems: 1000,
  }),
  items: anyValue('The schema of the items of a list.'),
  maxItems: int64('The maximum number of items.'),
  minItems: int64('The minimum number of items.'),
  uniqueItems: flag('No item may occur twice.'),
  format: filledText('Format of a text or number.', 32),
  maxLength: int64('The maximum number of characters.'),
  minLength: int64('The minimum number of characters.'),
  pattern: filledText('A regular expression that a text must match somewhere.', 512),
  maximum: int64('Upper limit of a number.'),
  exclusiveMaximum: flag('The value must be less than the upper limit.'),
  minimum: int64('Lower limit of a number.'),
  exclusiveMinimum: flag('The value must be greater than the lower limit.'),
  'x-kubernetes-preserve-unknown-fields': flag('Fields that the schema does not name are kept.'),
  'x-kubernetes-validations': listByKeys('Rules that the value must meet.', ['rule'], validation, {
    minItems: 1,
    maxItems: 100,
  }),
  'x-metadata': templateMetadata('Labels and annotations for tools that read the schema.'),
  'x-kubernetes-int-or-string': flag('The value is a whole number or a text.'),
  allOf: anyValue('Schemas that must all be met.'),
  oneOf: anyValue('Schemas of which exactly one must be met.'),
  anyOf: anyValue('Schemas of which at least one must be met.'),
  not: anyValue('A schema that must not be met.'),
});

/** Fields that inline and discovered variables share. */
const definitionFields = {
  required: flag('Whether a Cluster must have a value.'),
  deprecatedV1Beta1Metadata: templateMetadata('Labels and annotations in the form of API version v1beta1.'),
  schema: object('The schema of the variable.', { openAPIV3Schema: openApiSchema }, { required: ['openAPIV3Schema'] }),
};

const variableName = filledText('Name of the variable.', 256);

const variable = object(
  'One variable.',
  { name: variableName, ...definitionFields },
  { required: ['name', 'required', 'schema'] },
);

export const variables = atomicList('Variables in which Clusters may differ.', variable, {
  minItems: 1,
  maxItems: 1000,
});

const definition = object(
  'One definition of the variable.',
  { from: filledText('inline, or the name of the patch whose extension defines it.', 256), ...definitionFields },
  { required: ['from', 'required', 'schema'] },
);

export const statusVariable = object(
  'One variable, with all its definitions.',
  {
    name: variableName,
    definitionsConflict: flag('Whether the definitions contradict each other.'),
    definitions: atomicList('The definitions, inline first.', definition, { minItems: 1, maxItems: 100 }),
  },
  { required: ['name', 'definitions'] },
);

/** The maximum number of variables in one ClusterClass. */
export const mostStatusVariables = 1000;

export const statusVariables = atomicList('Variables that Clusters can use, by name.', statusVariable, {
  maxItems: mostStatusVariables,
});
