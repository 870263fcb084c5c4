// The outcome of an expression as one line: type, estimated cost, counted cost and value, or the error.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { CostLimitError, createBudget, createMeter, limits } from '../../../../packages/cel/budget.ts';
import { compileText } from '../../../../packages/cel/compile.ts';
import { compileRules } from '../../../../packages/cel/compile-rules.ts';
import { evaluateRules } from '../../../../packages/cel/evaluate-rules.ts';
import { fromJson } from '../../../../packages/cel/from-json.ts';
import { CompileProblem } from '../../../../packages/cel/parse.ts';
import type { StructuralSchema } from '../../../../packages/cel/schema.ts';
import { typesOfSchemas } from '../../../../packages/cel/schema-type.ts';
import { dyn, formatType } from '../../../../packages/cel/type.ts';
import { type CelValue, EvaluationProblem, isKind, itemsOf } from '../../../../packages/cel/value.ts';

const fixtures = path.resolve(import.meta.dirname, '../../../fixtures/cel');
export const expressionsFile = path.join(fixtures, 'expressions.json');
export const schemasFile = path.join(fixtures, 'schemas.json');

/** The outcome of each expression, by function or construct. */
export function readExpressions(): Readonly<Record<string, Readonly<Record<string, string>>>> {
  return JSON.parse(readFileSync(expressionsFile, 'utf8')); // true: record.ts wrote it
}

interface SchemaCase {
  readonly reason: string;
  readonly schema: StructuralSchema;
  readonly resource?: boolean;
  readonly ratchet?: boolean;
  /** The checked changes in order. Each has a separate budget. */
  readonly changes: readonly { readonly value: unknown; readonly oldValue?: unknown }[];
  readonly outcome: unknown;
}

export function readSchemas(): readonly SchemaCase[] {
  return JSON.parse(readFileSync(schemasFile, 'utf8')); // true: record.ts wrote it
}

/** The problems of the rules. Then, per change, its problems and the counted work. */
export function outcomeOfSchema({ schema: of, resource = false, ratchet = false, changes }: SchemaCase): unknown {
  const { rules, problems } = compileRules(of, { path: 'schema', resource });
  const checked = changes.map(change => {
    const budget = createBudget();
    const found = evaluateRules(rules, { ...change, path: 'value', budget, ratchet });
    return { problems: found, spent: limits.object - budget.remaining() };
  });
  return JSON.parse(JSON.stringify({ problems, checked }));
}

/** The schema of `self` in every recorded expression. */
const schema: StructuralSchema = {
  type: 'object',
  required: ['text'],
  properties: {
    text: { type: 'string', maxLength: 20 },
    free: { type: 'string' },
    whole: { type: 'integer' },
    fraction: { type: 'number' },
    flag: { type: 'boolean' },
    list: { type: 'array', maxItems: 5, items: { type: 'integer' } },
    names: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 5 } },
    set: { type: 'array', maxItems: 5, 'x-kubernetes-list-type': 'set', items: { type: 'string', maxLength: 5 } },
    entries: {
      type: 'array',
      maxItems: 5,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['key'],
      items: { type: 'object', required: ['key'], properties: { key: { type: 'string' }, value: { type: 'integer' } } },
    },
    map: { type: 'object', maxProperties: 5, additionalProperties: { type: 'integer' } },
    inner: { type: 'object', properties: { a: { type: 'integer' }, 'b-c': { type: 'string' } } },
    time: { type: 'string', format: 'date-time' },
    day: { type: 'string', format: 'date' },
    span: { type: 'string', format: 'duration' },
    bytes: { type: 'string', format: 'byte' },
    either: { 'x-kubernetes-int-or-string': true },
    choice: { type: 'string', enum: ['one', 'three'] },
  },
};

const value = {
  text: 'héllo',
  free: 'a,b,,c',
  whole: 7,
  fraction: 0.5,
  flag: true,
  list: [3, 1, 2],
  names: ['b', 'a'],
  set: ['x', 'y'],
  entries: [
    { key: 'k', value: 1 },
    { key: 'l', value: 2 },
  ],
  map: { a: 1, b: 2 },
  inner: { a: 1, 'b-c': 'x' },
  time: '2024-02-29T23:30:15.250Z',
  day: '2024-02-29',
  span: '1h30m',
  bytes: 'aGk=',
  either: '25%',
  choice: 'one',
};

const self = { type: typesOfSchemas()(schema)?.type ?? dyn, slot: 0, described: true };

/** Returns the line. `spent` is the counted work. A message is truncated after its first line. */
export function outcomeOf(text: string): string {
  try {
    const { type, cost, run } = compileText(text, {
      variables: new Map([['self', self]]),
      nextSlot: 1,
      charge: () => {},
    });
    const meter = createMeter(createBudget());
    const about = `${formatType(type)} ${cost.min}..${cost.max}`;
    return `${about} ${shown(() => run({ slots: [fromJson(value, self.type)], meter }))} spent ${meter.spent()}`;
  } catch (error) {
    return `refused: ${firstLine(error, CompileProblem)}`;
  }
}

function shown(run: () => CelValue): string {
  try {
    return textOf(run());
  } catch (error) {
    return `fails: ${firstLine(error, EvaluationProblem, CostLimitError)}`;
  }
}

/** Throws all errors again that are not errors of expressions. */
function firstLine(error: unknown, ...expected: readonly (new (...args: never[]) => Error)[]): string {
  if (!(error instanceof Error) || !expected.some(one => error instanceof one)) {
    throw error;
  }
  return error.message.split('\n', 1)[0] ?? '';
}

function textOf(of: CelValue): string {
  if (typeof of === 'string') {
    return JSON.stringify(of);
  }
  if (of instanceof Uint8Array) {
    return `b[${of.join(' ')}]`;
  }
  if (typeof of !== 'object' || of === null) {
    return typeof of === 'bigint'
      ? String(of)
      : Object.is(of, -0)
        ? '-0.0'
        : `${of}${typeof of === 'number' ? 'd' : ''}`;
  }
  if (isKind(of, 'list')) {
    return `[${itemsOf(of).map(textOf).join(', ')}]`;
  }
  if (isKind(of, 'map')) {
    const entries = of.keys().map(key => `${textOf(key)}: ${textOf(of.get(key) ?? null)}`);
    return `{${entries.join(', ')}}`;
  }
  if (isKind(of, 'optional')) {
    return of.value === undefined ? 'none' : `some(${textOf(of.value)})`;
  }
  return JSON.stringify(of, (_, part: unknown) =>
    typeof part === 'bigint' ? String(part) : part instanceof Map ? [...part] : part,
  );
}
