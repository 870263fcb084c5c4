// Generators of malformed and hostile extension responses with status code 200.
import { fc } from './property.ts';

/** The fields of all responses, so that many responses are almost valid. */
const fieldNames = [
  'status',
  'message',
  'retryAfterSeconds',
  'variables',
  'items',
  'controlPlaneUpgrades',
  'workersUpgrades',
  'machinePatch',
  'machineSetPatch',
  'name',
  'schema',
  'openAPIV3Schema',
  'required',
  'uid',
  'patchType',
  'patch',
  'version',
  '__proto__',
  'constructor',
];

const scalar = fc.oneof(
  fc.constantFrom('Success', 'Failure', '', 'success', null, true, 0, -1, 1.5, 2 ** 31, -(2 ** 53), 1e308),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.integer(),
  fc.base64String(),
);

/** Any JSON, usually with words that responses contain. */
export const { value: anything } = fc.letrec(tie => ({
  value: fc.oneof({ maxDepth: 5, depthIdentifier: 'json' }, scalar, tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 4, depthIdentifier: 'json' }),
  object: fc.dictionary(fc.constantFrom(...fieldNames), tie('value'), { maxKeys: 5, depthIdentifier: 'json' }),
}));

/** A response whose fields may have any value. */
export const nearlyRight = fc
  .tuple(
    fc.constantFrom('Success', 'Success', 'Failure', '', 5),
    fc.dictionary(fc.constantFrom(...fieldNames), anything),
  )
  .map(([status, fields]) => ({ ...fields, status }));

const text = fc.oneof(
  fc.constantFrom('a', 'b', 'builtin', 'a.b', '', 'x'.repeat(300)),
  fc.string({ unit: 'binary', maxLength: 20 }),
);

/** A rule, valid or invalid. */
const rule = fc.record(
  {
    rule: fc.oneof(
      fc.constantFrom('true', 'self', '', 'x'.repeat(5000), 'self.all(a, self.all(b, self.all(c, a == b)))'),
      text,
    ),
    message: text,
    reason: fc.constantFrom('FieldValueInvalid', 'Nonsense'),
  },
  { requiredKeys: ['rule'] },
);

const { schema } = fc.letrec(tie => ({
  schema: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'schema' },
    anything,
    fc.record(
      {
        type: fc.constantFrom('string', 'object', 'array', 'integer', 'nonsense', ''),
        default: anything,
        enum: fc.array(anything, { maxLength: 120 }),
        pattern: fc.constantFrom('^a$', '(', '(a{1000}){1000}', 'x'.repeat(600)),
        maxLength: fc.constantFrom(1, -1, 1.5, 1e300),
        properties: fc.dictionary(text, tie('schema'), { maxKeys: 3 }),
        items: tie('schema'),
        required: fc.array(text, { maxLength: 3 }),
        description: text,
        'x-kubernetes-validations': fc.array(rule, { maxLength: 3 }),
        'x-metadata': anything,
      },
      { requiredKeys: [] },
    ),
  ),
}));

const variable = fc.oneof(
  { weight: 1, arbitrary: anything },
  {
    weight: 5,
    arbitrary: fc.record({
      name: text,
      required: fc.constantFrom(true, false),
      schema: fc.record({ openAPIV3Schema: schema }),
    }),
  },
);

/** The response of a DiscoverVariables handler. */
export const hostileVariables = fc.oneof(
  nearlyRight,
  fc.record({ status: fc.constant('Success'), variables: fc.array(variable, { maxLength: 4 }) }),
  fc.integer({ min: 900, max: 1500 }).map(many => ({
    status: 'Success',
    variables: Array.from({ length: many }, (_, index) => ({
      name: `v${index}`,
      required: false,
      schema: { openAPIV3Schema: { type: 'string' } },
    })),
  })),
);

const handler = fc.oneof(
  { weight: 1, arbitrary: anything },
  {
    weight: 5,
    arbitrary: fc.record({
      name: text,
      requestHook: fc.oneof(
        anything,
        fc.record({
          apiVersion: fc.constantFrom('hooks.runtime.cluster.x-k8s.io/v1alpha1', 'a/b/c', ''),
          hook: fc.constantFrom('DiscoverVariables', 'BeforeClusterCreate', 'Nonsense', ''),
        }),
      ),
      timeoutSeconds: fc.constantFrom(0, 5, 30, 31, -1, 1.5, '10', null),
      failurePolicy: fc.constantFrom('Fail', 'Ignore', 'Nonsense', '', null),
    }),
  },
);

/** The response of a Discovery handler. */
export const hostileHandlers = fc.oneof(
  nearlyRight,
  fc.record({ status: fc.constant('Success'), handlers: fc.array(handler, { maxLength: 4 }) }),
  fc.integer({ min: 400, max: 700 }).map(many => ({
    status: 'Success',
    handlers: Array.from({ length: many }, (_, index) => ({
      name: `h${index}`,
      requestHook: { apiVersion: 'hooks.runtime.cluster.x-k8s.io/v1alpha1', hook: 'DiscoverVariables' },
    })),
  })),
);
