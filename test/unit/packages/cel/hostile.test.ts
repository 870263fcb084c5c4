// Hostile values and schemas. A function returns a value, or fails with an error that rules report.
import { describe, expect, it } from 'vitest';
import { CostLimitError, createBudget, createMeter } from '../../../../packages/cel/budget.ts';
import { allOverloads } from '../../../../packages/cel/functions.ts';
import { compileRules, evaluateRules } from '../../../../packages/cel/index.ts';
import type { Overload } from '../../../../packages/cel/overload.ts';
import type { CelType } from '../../../../packages/cel/type.ts';
import { type CelValue, EvaluationProblem, none, some, toList, toMap } from '../../../../packages/cel/value.ts';

const texts = [
  '',
  'constructor',
  '1constructor',
  '__proto__',
  'hasOwnProperty',
  '\ud800',
  '/\ud800',
  'http://\udfff/%41',
  'é😀',
  '(a+)+$',
  '[',
  '%',
  '%.9999f%d%s',
  '1e400',
  '-0',
  '9999999999999999999999999999',
  '::ffff:1.2.3.4',
  '1.2.3.4/33',
  '+99:99',
  '0000-00-00T00:00:00Z',
  '1h1',
  ' '.repeat(5000),
  'a'.repeat(5000),
];
const integers = [0n, -1n, 1n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 80n];
const bytes = [new Uint8Array(), new Uint8Array([0xff, 0xfe])];
const doubles = [0, -0, Number.NaN, Number.POSITIVE_INFINITY, 1e308, 5e-324];
const moments = [-(10n ** 30n), 0n, 253_402_300_799_999_999_999n, 10n ** 30n];
const scalars: readonly CelValue[] = [null, true, ...integers, ...doubles, ...texts, ...bytes];
const format = { kind: 'format', name: 'dns1123Label' } as const;
const url = { scheme: '', host: '', hostname: '', port: '', escapedPath: '', query: new Map() };

const byName: Readonly<Record<string, readonly CelValue[]>> = {
  bool: [true, false],
  int: integers,
  uint: [
    { kind: 'uint', value: 0n },
    { kind: 'uint', value: 2n ** 64n - 1n },
  ],
  double: doubles,
  string: texts,
  bytes,
  'google.protobuf.Duration': moments.map(nanoseconds => ({ kind: 'duration', nanoseconds })),
  'google.protobuf.Timestamp': [0n, 253_402_300_799_999_999_999n, -62_135_596_800_000_000_000n].map(nanoseconds => ({
    kind: 'timestamp',
    nanoseconds,
  })),
  'kubernetes.Quantity': [
    { kind: 'quantity', digits: 10n ** 100n, exponent: 100 },
    { kind: 'quantity', digits: -1n, exponent: -200 },
  ],
  'kubernetes.URL': [{ kind: 'url', text: '', parts: url }],
  'kubernetes.Semver': [{ kind: 'semver', major: 0n, minor: 0n, patch: 0n, prerelease: ['a', '0'] }],
  'kubernetes.NamedFormat': [format],
  'net.IP': [{ kind: 'ip', family: 6, bits: 2n ** 128n - 1n }],
  'net.CIDR': [{ kind: 'cidr', prefix: 0, ip: { kind: 'ip', family: 4, bits: 0n } }],
};

function samplesOf(type: CelType): readonly CelValue[] {
  switch (type.kind) {
    case 'scalar':
      return byName[type.name] ?? scalars;
    case 'list':
      return [toList([]), toList(samplesOf(type.of)), toList([toList([none]), some(null)])];
    case 'map':
    case 'object':
      return [toMap([]), toMap([['constructor', 1n]])];
    case 'optional':
      return [none, some(null), some(1n)];
    case 'type':
      return [{ kind: 'type', name: 'int' }];
    case 'param':
      return [...scalars, toList(scalars), none, toMap([])];
  }
}

/** Each value at each position. The other positions have the first value. */
function argumentsOf({ params }: Overload): readonly (readonly CelValue[])[] {
  const samples = params.map(samplesOf);
  const first = samples.map(([value]) => value ?? null);
  const single = samples.flatMap((values, at) => values.map(value => first.with(at, value)));
  const [left = [null], right = [null]] = samples;
  const pairs = params.length === 2 ? left.flatMap(one => right.map(other => [one, other])) : [];
  return params.length === 0 ? [[]] : [...single, ...pairs];
}

describe('functions', () => {
  const overloads = allOverloads().map(overload => ({ overload, name: overload.name, types: overload.params.length }));

  it.each(overloads)('$name with $types arguments fails only with a problem of the expression', ({ overload }) => {
    for (const args of argumentsOf(overload)) {
      try {
        expect(overload.run(args, createMeter(createBudget()))).toBeDefined();
      } catch (error) {
        expect([EvaluationProblem, CostLimitError]).toContain((error as Error).constructor);
      }
    }
  });

  it('return their result type when a value does not have the type of the schema', () => {
    for (const overload of allOverloads()) {
      for (const value of scalars) {
        try {
          overload.run(
            overload.params.map(() => value),
            createMeter(createBudget()),
          );
        } catch (error) {
          expect([EvaluationProblem, CostLimitError]).toContain((error as Error).constructor);
        }
      }
    }
  });
});

describe('schemas of another form', () => {
  it.each([
    { rule: 1 },
    'self > 1',
    null,
    { rule: 'true', message: 1, fieldPath: {}, reason: [], messageExpression: 5, optionalOldSelf: 'x' },
    { rule: 'true', fieldPath: '.constructor' },
    { rule: 'self.constructor == 1' },
    { rule: "self['__proto__'] == 1" },
  ])('a rule %j ends with problems at most', rule => {
    const schema = { type: 'object', additionalProperties: { type: 'integer' }, 'x-kubernetes-validations': [rule] };
    const { rules } = compileRules(JSON.parse(JSON.stringify(schema)), { path: 's' });
    const value = JSON.parse('{"__proto__": 1, "constructor": 2}');
    expect(evaluateRules(rules, { value, path: 'v', budget: createBudget() })).toBeInstanceOf(Array);
  });

  it.each([
    { 'x-kubernetes-validations': 'true' },
    { properties: [], required: {}, enum: 'x', type: 5, items: 7, additionalProperties: [] },
    { properties: { a: null, b: 3, __proto__: { type: 'string' } }, type: 'object' },
    { type: 'array', items: [{ type: 'string' }], maxItems: 'x', 'x-kubernetes-list-map-keys': 'k' },
    { type: 'string', maxLength: '5', enum: [1, null] },
  ])('the schema %j is taken for what can be read of it', parts => {
    const schema = { 'x-kubernetes-validations': [{ rule: 'self == self' }], ...parts };
    expect(compileRules(JSON.parse(JSON.stringify(schema)), { path: 's' }).problems).toBeInstanceOf(Array);
  });
});
