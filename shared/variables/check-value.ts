// Validates a value against its schema as API servers validate custom resources, with the same error messages.
// https://github.com/kubernetes/kube-openapi/tree/master/pkg/validation/validate
import { compareText, isJsonObject, type JsonObject, quote, withoutUndefined } from '@capi-serverless/apimachinery';
import { textFormat } from '@capi-serverless/apimachinery/text-formats';
import { missedChoices } from './choices.ts';
import { type JsonType, jsonTypeOf, memberOf, sortedEntries, toComparableText } from './json-type.ts';
import { problemsOfNumber } from './numbers.ts';
import { compilePattern } from './pattern.ts';
import { general, missing, noChoice, tooLong, tooMany, type ValueProblem, violation, wrongType } from './problem.ts';
import type { VariableSchema } from './schema.ts';
import { stepsPerVisit, TooMuchWorkError, type Work } from './work.ts';

/**
 * `matches` is the number of fulfilled keywords. If several schemas fail, the errors of the schema with the most
 * matches are reported.
 */
interface Result {
  readonly problems: readonly ValueProblem[];
  readonly matches: number;
}

const nothing: Result = { problems: [], matches: 0 };

function join(results: readonly Result[]): Result {
  return {
    problems: results.flatMap(({ problems }) => problems),
    matches: results.reduce((sum, { matches }) => sum + matches, 0),
  };
}

function found(problems: readonly ValueProblem[], matches = 0): Result {
  return { problems, matches };
}

const held: Result = { problems: [], matches: 1 };

/** Returns all schema violations, in order. Throws TooMuchWorkError. */
export function checkValue(value: unknown, schema: VariableSchema, work: Work): readonly ValueProblem[] {
  return check({ value, schema, at: '', work, plain: false }).problems;
}

/**
 * Used for defaults. API servers apply formats and `x-kubernetes-int-or-string` to defaults without their special
 * rules.
 */
export function checkDefault(value: unknown, schema: VariableSchema, work: Work): readonly ValueProblem[] {
  return check({ value, schema, at: '', work, plain: true }).problems;
}

interface Subject {
  readonly value: unknown;
  readonly schema: VariableSchema;
  readonly at: string;
  readonly work: Work;
  /** Ignores the special rules of formats and of int-or-string. */
  readonly plain: boolean;
}

/** The allowed types of a value. Empty if any type is allowed. */
function typesOf({ schema, plain }: Subject): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true && !plain) {
    return ['integer', 'string'];
  }
  return schema.type === undefined ? [] : [schema.type];
}

function check(subject: Subject): Result {
  const { value, schema, work } = subject;
  work.spend(stepsPerVisit);
  const type = jsonTypeOf(value);
  const types = typesOf(subject);
  const format = subject.plain ? anyFormat(schema.format) : knownFormat(types, schema.format);
  const ofType = checkType(subject, { type, types, format });
  if (type === 'null') {
    return join([ofType, checkChoices(subject)]);
  }
  const parts = [
    ...(types.length > 0 || format !== undefined ? [ofType] : []),
    checkCombinations(subject),
    ...(typeof value === 'string' ? checkText(value, subject, format) : []),
    ...(typeof value === 'number'
      ? [found(problemsOfNumber(value, { ...subject, types, format: numberFormat(types, schema.format) }), 1)]
      : []),
    ...(Array.isArray(value) ? [checkList(value, subject)] : []),
    checkChoices(subject),
    ...(isJsonObject(value) ? [checkObject(value, subject)] : []),
  ];
  const result = join([...parts, found([], parts.length + 1)]);
  // Problems are copied to the result of each level above.
  work.spend(result.problems.length * stepsPerVisit);
  return result;
}

interface TypeQuestion {
  readonly type: JsonType;
  readonly types: readonly string[];
  readonly format: KnownFormat | undefined;
}

/** The format that messages show for a type. */
const formatsOfTypes: Partial<Record<JsonType, string>> = { integer: 'int64', number: 'float64' };

function checkType({ at }: Subject, { type, types, format }: TypeQuestion): Result {
  if (type === 'null') {
    return types.length === 0 ? held : found([wrongType(at, types.join(','), 'null')]);
  }
  const fits = types.includes(type) || (type === 'integer' && types.includes('number'));
  const isListOrText = type === 'string' || type === 'array';
  const formatOfType = formatsOfTypes[type] ?? '';
  if (format !== undefined && !isListOrText && !fits && format.name !== formatOfType) {
    return found([wrongType(at, format.name, formatOfType)]);
  }
  // As in API servers, a list is accepted for a string with a format.
  const hasTextFormat = format !== undefined && !types.includes('integer') && !types.includes('number');
  return fits || (hasTextFormat && isListOrText) ? held : found([wrongType(at, types.join(','), type)]);
}

function checkChoices({ value, schema, at, work }: Subject): Result {
  const missed = missedChoices(value, schema.enum, work);
  return missed === undefined ? nothing : found([noChoice(at, value, missed)]);
}

/** The error quotes the text. */
const stepsPerQuoted = 8;

/** Returns one result for length and pattern, and one for a known format. */
function checkText(text: string, subject: Subject, format: KnownFormat | undefined): readonly Result[] {
  subject.work.spend(text.length);
  const ofText = problemOfText(text, subject);
  const first = ofText === undefined ? nothing : found([ofText]);
  if (format?.holds === undefined) {
    return [first];
  }
  if (format.holds(text)) {
    return [first, nothing];
  }
  subject.work.spend(text.length * stepsPerQuoted);
  return [first, found([wrongType(subject.at, format.name, text)])];
}

/** Returns the first violated limit. */
function problemOfText(text: string, { schema, at, work }: Subject): ValueProblem | undefined {
  const length = countCharacters(text);
  const { maxLength, minLength, pattern } = schema;
  if (maxLength !== undefined && length > maxLength) {
    return tooLong(at, maxLength);
  }
  if (minLength !== undefined && length < minLength) {
    return violation(at, text, `should be at least ${minLength} chars long`);
  }
  const missed = pattern === undefined ? undefined : missedPattern(text, pattern, work);
  return missed === undefined ? undefined : violation(at, text, `should match '${missed}'`);
}

/** Returns the pattern that the text does not match, or the reason why the pattern is not valid. */
function missedPattern(text: string, source: string, work: Work): string | undefined {
  const compiled = compilePattern(source, work);
  if (!compiled.ok) {
    return `${source}, but pattern is invalid: ${compiled.error}`;
  }
  work.spend(compiled.value.instructions * text.length);
  switch (compiled.value.test(text)) {
    case 'matches':
      return undefined;
    case 'differs':
      return source;
    case 'too much work':
      throw new TooMuchWorkError();
  }
}

/** Counts code points without creating a list of them. */
function countCharacters(text: string): number {
  const pairs = text.match(/[\ud800-\udbff][\udc00-\udfff]/g);
  return text.length - (pairs?.length ?? 0);
}

function checkList(items: readonly unknown[], subject: Subject): Result {
  const { schema, at, work } = subject;
  const { items: itemSchema, minItems, maxItems } = schema;
  const ofItems =
    itemSchema === undefined
      ? []
      : items.map((value, index) => check({ ...subject, value, schema: itemSchema, at: `${at}[${index}]` }));
  const count = items.length;
  return join([
    ...ofItems,
    found(
      [
        ...(minItems !== undefined && count < minItems
          ? [violation(at, count, `should have at least ${minItems} items`)]
          : []),
        ...(maxItems !== undefined && count > maxItems ? [tooMany(at, { count, max: maxItems }, 'items')] : []),
        ...(schema.uniqueItems === true && hasRepetition(items, work)
          ? [violation(at, '', "shouldn't contain duplicates")]
          : []),
      ],
      1,
    ),
  ]);
}

function hasRepetition(items: readonly unknown[], work: Work): boolean {
  const texts = items.map(item => {
    const text = toComparableText(item);
    work.spend(text.length);
    return text;
  });
  return new Set(texts).size < texts.length;
}

/** The units of the common meter for each sorted name. */
const unitsPerName = 32;

function checkObject(object: JsonObject, subject: Subject): Result {
  const { schema, at, work } = subject;
  const { properties, additionalProperties, minProperties, maxProperties, required = [] } = schema;
  const names = Object.keys(object).toSorted(compareText);
  const count = names.length;
  work.meter?.charge(count * unitsPerName);
  const additional =
    additionalProperties === undefined
      ? []
      : names
          .filter(name => memberOf(properties, name) === undefined)
          .map(name => check({ ...subject, value: object[name], schema: additionalProperties, at: `${at}.${name}` }));
  const described = sortedEntries(properties)
    .filter(([name]) => Object.hasOwn(object, name))
    .map(([name, below]) =>
      check({ ...subject, value: object[name], schema: below, at: at === '' ? name : `${at}.${name}` }),
    );
  work.spend(required.length + count);
  return join([
    found([
      ...(minProperties !== undefined && count < minProperties
        ? [violation(at, count, `should have at least ${minProperties} properties`)]
        : []),
      ...(maxProperties !== undefined && count > maxProperties
        ? [tooMany(at, { count, max: maxProperties }, 'properties')]
        : []),
    ]),
    ...additional,
    ...described,
    found(required.filter(name => !Object.hasOwn(object, name)).map(name => missing(`${at}.${name}`))),
  ]);
}

function checkCombinations(subject: Subject): Result {
  const { anyOf = [], oneOf = [], allOf = [], not } = subject.schema;
  const against = (schema: VariableSchema): Result => check({ ...subject, schema });
  const name = quote(subject.at);
  return join([
    ...(anyOf.length === 0 ? [] : [checkAnyOf(anyOf, against, name)]),
    ...(oneOf.length === 0 ? [] : [checkOneOf(oneOf.map(against), name)]),
    ...(allOf.length === 0 ? [] : [checkAllOf(allOf.map(against), name)]),
    ...(not !== undefined && against(not).problems.length === 0
      ? [found([general(`${name} must not validate the schema (not)`)])]
      : []),
    held,
  ]);
}

const isValid = ({ problems }: Result): boolean => problems.length === 0;

/** Returns the first of the results with the most matches. */
function bestOf(results: readonly Result[]): Result {
  return results.reduce((best, each) => (each.matches > best.matches ? each : best));
}

function checkAnyOf(
  branches: readonly VariableSchema[],
  against: (schema: VariableSchema) => Result,
  name: string,
): Result {
  const failed: Result[] = [];
  for (const branch of branches) {
    const result = against(branch);
    if (isValid(result)) {
      return result;
    }
    failed.push(result);
  }
  return join([found([general(`${name} must validate at least one schema (anyOf)`)]), bestOf(failed)]);
}

function checkOneOf(results: readonly Result[], name: string): Result {
  const [first, ...others] = results.filter(isValid);
  if (first === undefined) {
    const message = `${name} must validate one and only one schema (oneOf). Found none valid`;
    return join([found([general(message)]), bestOf(results)]);
  }
  const message = `${name} must validate one and only one schema (oneOf). Found ${others.length + 1} valid alternatives`;
  return others.length === 0 ? first : found([general(message)]);
}

function checkAllOf(results: readonly Result[], name: string): Result {
  const valid = results.filter(isValid).length;
  if (valid === results.length) {
    return join(results);
  }
  const none = valid === 0 ? '. None validated' : '';
  return join([...results, found([general(`${name} must validate all the schemas (allOf)${none}`)])]);
}

type Check = (text: string) => boolean;

/** `name` is the format as written in the schema. Formats of numbers have no `holds`. */
interface KnownFormat {
  readonly name: string;
  readonly holds?: Check;
}

const numberFormats: Readonly<Record<string, readonly string[]>> = {
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
};

/** Returns the format if it applies to these types. Hyphens in its name are ignored. */
function knownFormat(types: readonly string[], format: string | undefined): KnownFormat | undefined {
  const [type = 'string', second] = types;
  if (second !== undefined || type === 'string') {
    const known = anyFormat(format);
    return known?.holds === undefined ? undefined : known;
  }
  const name = numberFormat(types, format);
  return name === undefined ? undefined : { name };
}

/** Returns the format for any type, known or unknown. */
function anyFormat(format: string | undefined): KnownFormat | undefined {
  if (format === undefined) {
    return undefined;
  }
  const holds = textFormat(format);
  return { name: format, ...withoutUndefined({ holds }) };
}

/** Returns the format if it is a number format of this single type. */
function numberFormat(types: readonly string[], format: string | undefined): string | undefined {
  const [type = '', second] = types;
  return second === undefined && format !== undefined && numberFormats[type]?.includes(format) === true
    ? format
    : undefined;
}
