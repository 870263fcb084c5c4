// Random values for the schemas of variables. Few of them are invalid.
import { isJsonObject, type JsonObject, toRecord } from '@capi-serverless/apimachinery';
import type { Random } from '../../simulation/engine/random.ts';

const words = ['web', 'eu-1', 'a', 'large', 'v1', 'example.com', 'Ready', 'x_y', 'b-2', 'node', 'aaaaaaaa'] as const;

/** Texts that YAML, JSON or a template could read as something else. */
const oddWords = [
  ...['true', 'null', '~', '010', '1.5', '1e3', 'on', '', ' a', 'a ', "it's", '"q"', 'a: b', 'a #b', '- a', '{{ .x }}'],
  ...['line\nline', 'tab\there', 'é日本', '\u{1f600}', '%x', '*a', '&a', '!t', '@a', '0x1f', '1_000', '2001-01-01'],
] as const;

const oddChance = 0.1;
const wrongChance = 0.002;
const optionalChance = 0.6;

/** Returns a value that fits the schema, or rarely one that does not. */
export function valueFor(schema: JsonObject, random: Random): unknown {
  const { chance } = random;
  if (chance(wrongChance)) {
    return random.pick<unknown>([7, 'wrong', true, [], { wrong: 1 }, null]);
  }
  const { enum: choices, example, default: usual, type } = schema;
  if (Array.isArray(choices) && choices.length > 0) {
    return choices[random.below(choices.length)];
  }
  const isNarrow = ['pattern', 'format', 'x-kubernetes-validations', 'oneOf'].some(key => key in schema);
  if (example !== undefined && (isNarrow || chance(0.5))) {
    return example;
  }
  if (usual !== undefined && chance(0.1)) {
    return usual;
  }
  switch (type) {
    case 'string':
      return textFor(schema, random);
    case 'integer':
      return integerFor(schema, random);
    case 'number':
      return integerFor(schema, random) + random.pick([0, 0.5, 0.125]);
    case 'boolean':
      return chance(0.5);
    case 'array':
      return listFor(schema, random);
    case 'object':
      return objectFor(schema, random);
    default:
      return random.pick<unknown>([443, 'https', 0]);
  }
}

function limitOf(schema: JsonObject, name: string, otherwise: number): number {
  const limit = schema[name];
  return typeof limit === 'number' ? limit : otherwise;
}

function textFor(schema: JsonObject, { chance, pick }: Random): string {
  const text = chance(oddChance) ? pick(oddWords) : pick(words);
  return text.padEnd(limitOf(schema, 'minLength', 0), 'x').slice(0, limitOf(schema, 'maxLength', 1000));
}

function integerFor(schema: JsonObject, { chance, below }: Random): number {
  const least = limitOf(schema, 'minimum', 0) + (schema['exclusiveMinimum'] === true ? 1 : 0);
  const most = limitOf(schema, 'maximum', least + 100) - (schema['exclusiveMaximum'] === true ? 1 : 0);
  return chance(0.2) ? least : chance(0.1) ? most : least + below(most - least + 1);
}

function listFor(schema: JsonObject, random: Random): readonly unknown[] {
  const least = limitOf(schema, 'minItems', 0);
  const most = limitOf(schema, 'maxItems', least + 3);
  const length = least + random.below(most - least + 1);
  const items = Array.from({ length }, () => valueFor(toRecord(schema['items']), random));
  return schema['uniqueItems'] === true ? [...new Set(items)] : items;
}

function objectFor(schema: JsonObject, random: Random): JsonObject {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const members = Object.entries(toRecord(schema['properties']))
    .filter(([name]) => required.includes(name) || random.chance(optionalChance))
    .map(([name, member]) => [name, valueFor(toRecord(member), random)] as const);
  const { additionalProperties } = schema;
  const others = isJsonObject(additionalProperties)
    ? Array.from(
        { length: random.below(4) },
        () => [random.pick(words), valueFor(additionalProperties, random)] as const,
      )
    : [];
  const unknown =
    schema['x-kubernetes-preserve-unknown-fields'] === true && random.chance(0.5)
      ? [['unknown', random.pick<unknown>([1, 'x', { y: [] }, null])] as const]
      : [];
  return Object.fromEntries([...members, ...others, ...unknown]);
}
