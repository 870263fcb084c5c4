// The table of work: every overload of functions and operators of CEL, and the macros.
import { compileRules, createBudget, evaluateRules } from '@capi-serverless/cel';
import { allOverloads } from '../../../packages/cel/functions.ts';
import type { Overload } from '../../../packages/cel/overload.ts';
import { type CelType, formatType } from '../../../packages/cel/type.ts';
import { type InputClass, isText, type TextClass, textClasses, textOf, type UnitCase } from './unit-case.ts';

/** An expression of each type. `self.t` and `self.u` are equal texts, `self.l` and `self.i` lists, `self.m` a map. */
const argumentsOf: Readonly<Record<string, string>> = {
  bool: 'self.n == 1',
  int: 'self.n',
  uint: 'uint(self.n)',
  double: 'double(self.n)',
  string: 'self.t',
  bytes: 'bytes(self.t)',
  dyn: 'self.t',
  'google.protobuf.Duration': "duration('1h')",
  'google.protobuf.Timestamp': "timestamp('2024-01-01T00:00:00Z')",
  'kubernetes.Quantity': "quantity('1.5Gi')",
  'kubernetes.URL': "url('https://h/p?q=1')",
  'kubernetes.Semver': "semver('1.2.3')",
  'kubernetes.NamedFormat': 'format.dns1123Label()',
  'net.IP': "ip('::1')",
  'net.CIDR': "cidr('10.0.0.0/8')",
  'list(dyn)': 'self.l',
  'list(string)': 'self.l',
  'list(int)': 'self.i',
  'list(uint)': 'self.i.map(x, uint(x))',
  'list(double)': 'self.i.map(x, double(x))',
  'list(bool)': "self.l.map(x, x == 'a')",
  'list(bytes)': 'self.l.map(x, bytes(x))',
  'list(google.protobuf.Duration)': "self.i.map(x, duration('1h'))",
  'list(google.protobuf.Timestamp)': "self.i.map(x, timestamp('2024-01-01T00:00:00Z'))",
  'list(list(dyn))': '[self.l, self.l]',
  'map(dyn, dyn)': 'self.m',
  'optional_type(dyn)': 'optional.of(self.t)',
};

/** Arguments whose type says too little. Keys are the name, a dot and the position. */
const special: Readonly<Record<string, string>> = {
  'contains.1': "'zz'",
  'indexOf.1': "'zz'",
  'lastIndexOf.1': "'zz'",
  'split.1': "'a'",
  'replace.1': "'a'",
  'replace.2': "'bb'",
  'join.1': "','",
  'matches.1': "'[a-z]{1,9}$'",
  'find.1': "'z+'",
  'findAll.1': "'a'",
  'format.1': '[self.t, self.l]',
  'format.0': "'%s %s'",
  'range.0': 'self.i.size()',
};

const squares: Readonly<Record<string, string>> = Object.fromEntries(
  ['distinct', 'sets.contains', 'sets.equivalent', 'sets.intersects'].map(name => [
    name,
    'each item is compared with each other item',
  ]),
);

const zone = "'Europe/Berlin'";

function argumentOf(overload: Overload, at: number): string {
  const { name, params, member } = overload;
  const type = formatType(params[at] ?? { kind: 'scalar', name: 'dyn' });
  const isZone = member && at === 1 && /^get/.test(name);
  const known = special[`${name}.${at}`] ?? (isZone ? zone : argumentsOf[type]);
  if (known === undefined) {
    throw new Error(`${name}: no argument of type ${type}`);
  }
  const isCompared = at === 1 && name.startsWith('_') && type === 'string';
  return isCompared ? 'self.u' : known;
}

function callOf(overload: Overload): string {
  const args = overload.params.map((_, at) => `(${argumentOf(overload, at)})`);
  const [first = '', ...others] = args;
  const operator = /^_(.+)_$/.exec(overload.name)?.[1];
  if (operator !== undefined) {
    return `${first} ${operator} ${others.join('')}`;
  }
  if (overload.name === '@in') {
    return `${first} in ${others.join('')}`;
  }
  if (/^[!-]_$/.test(overload.name)) {
    return `${overload.name[0]}${first}`;
  }
  return overload.member ? `${first}.${overload.name}(${others.join(', ')})` : `${overload.name}(${args.join(', ')})`;
}

function signatureOf({ name, params, member }: Overload): string {
  const [first, ...others] = params.map((type: CelType) => formatType(type));
  return member ? `${first}.${name}(${others.join(', ')})` : `${name}(${[first, ...others].join(', ')})`;
}

/** Macros, and operators without an overload. `PARTS(x, y)` repeats x, joined by y. */
const macros: Readonly<Record<string, string>> = {
  all: "self.l.all(x, x != 'a')",
  exists: "self.l.exists(x, x == 'zz')",
  exists_one: "self.l.exists_one(x, x == 'zz')",
  map: 'self.l.map(x, x)',
  filter: "self.l.filter(x, x != 'zz')",
  has: 'has(self.t)',
  optMap: 'optional.of(self.t).optMap(x, x)',
  optFlatMap: 'optional.of(self.t).optFlatMap(x, optional.of(x))',
  '_&&_': 'PARTS(true, && )',
  '_||_': 'PARTS(false, || )',
  '[]': 'size([PARTS(1,, )])',
  '{}': 'size({NUMBERED})',
  '_[_]': 'self.l[0]',
  '_?_:_': 'self.n == 1 ? self.t : self.u',
};

const properties = {
  t: { type: 'string', maxLength: 100_000 },
  u: { type: 'string', maxLength: 100_000 },
  l: { type: 'array', items: { type: 'string' } },
  i: { type: 'array', items: { type: 'integer' } },
  m: { type: 'object', additionalProperties: { type: 'string' } },
  n: { type: 'integer' },
};

function ruleValue(input: InputClass, size: number): Readonly<Record<string, unknown>> {
  const text = isText(input) ? textOf(input, size) : 'x';
  const items = Array.from({ length: input === 'wide' ? Math.ceil(size / 8) : 1 }, (_, at) => `k${at}`);
  const numbers = items.map((_, at) => at);
  const m = Object.fromEntries(items.map(item => [item, item]));
  // A copy with another identity, so that a comparison reads it.
  return { t: text, u: `${text} `.slice(0, -1), l: items, i: numbers, m, n: 1 };
}

const mostParts = 900;

function toCase(of: string, call: string, input: InputClass): UnitCase {
  const square = squares[of.replace(/\(.*$/, '').replace(/^.*\)\./, '')];
  return {
    of,
    shown: call,
    input,
    ...(square === undefined ? {} : { square }),
    prepare(size) {
      const count = Math.min(mostParts, Math.ceil(size / 8));
      const called = call
        .replace(/PARTS\((\w+), ?(.*?) \)/, (_, part: string, joint: string) =>
          Array(count).fill(part).join(` ${joint} `),
        )
        .replace('NUMBERED', Array.from({ length: count }, (_, at) => `${at}: 1`).join(', '));
      const rules = [{ rule: `dyn(${called}) != dyn(null) || true` }];
      const schema = { type: 'object', properties, 'x-kubernetes-validations': rules };
      const compiled = compileRules(schema, { path: 'schema' });
      const [problem] = compiled.problems.filter(({ detail }) => !/cost/.test(detail));
      if (problem !== undefined) {
        throw new Error(`${called.slice(0, 200)}: ${problem.detail}`);
      }
      const value = ruleValue(input, size);
      return meter => {
        const budget = createBudget(1e12, meter);
        return evaluateRules(compiled.rules, { value, path: 'value', budget })[0]?.detail;
      };
    },
  };
}

function classesOf(call: string): readonly InputClass[] {
  if (/PARTS|NUMBERED/.test(call)) {
    return ['parts'];
  }
  const onValues = /self\.[lim]\b/.test(call);
  const onTexts = /self\.[tu]\b/.test(call);
  const texts: readonly TextClass[] = onTexts || !onValues ? textClasses : [];
  return [...texts, ...(onValues ? (['wide'] as const) : [])];
}

export const ruleCases: readonly UnitCase[] = [
  ...allOverloads().map(overload => [signatureOf(overload), callOf(overload)] as const),
  ...Object.entries(macros),
].flatMap(([of, call]) => classesOf(call).map(input => toCase(of, call, input)));

/** The signatures of the engine. */
export const ruleSignatures = (): readonly string[] => allOverloads().map(signatureOf);
