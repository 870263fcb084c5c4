// Converts JSON to values of the schema's types, lazily on access.
import { parseDuration, parseTimestamp } from './time.ts';
import { type CelType, dyn, type ListIdentity, type ObjectField } from './type.ts';
import { atomic, type CelValue, EvaluationProblem, type ListValue, type MapValue } from './value.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** Throws EvaluationProblem if the JSON does not have the type. */
export function fromJson(json: unknown, type: CelType): CelValue {
  if (json === null) {
    return null;
  }
  if (Array.isArray(json)) {
    return type.kind === 'list' ? jsonList(json, type.of, type.identity ?? atomic) : jsonList(json, dyn, atomic);
  }
  if (typeof json === 'object') {
    // True: the value is JSON, and neither null nor a list.
    const object = json as JsonObject;
    return type.kind === 'object' ? jsonObject(object, type.fields()) : jsonMap(object, type);
  }
  return fromScalar(json, type);
}

function fromScalar(json: unknown, type: CelType): CelValue {
  switch (typeof json) {
    case 'string':
      return type.kind === 'scalar' ? fromText(json, type.name) : json;
    case 'number':
      return type.kind === 'scalar' && type.name === 'double' ? json : Number.isInteger(json) ? BigInt(json) : json;
    case 'boolean':
    case 'bigint':
      return json;
    default:
      throw new EvaluationProblem(`unsupported value of type ${typeof json}`);
  }
}

function fromText(text: string, type: string): CelValue {
  switch (type) {
    case 'bytes':
      return bytesOf(text);
    case 'google.protobuf.Duration':
      return parsed(parseDuration(text), 'duration', text);
    case 'google.protobuf.Timestamp':
      return parsed(parseTimestamp(text.length === 'YYYY-MM-DD'.length ? `${text}T00:00:00Z` : text), 'date', text);
    default:
      return text;
  }
}

function parsed(value: CelValue | undefined, what: string, text: string): CelValue {
  if (value === undefined) {
    throw new EvaluationProblem(`Invalid ${what} ${JSON.stringify(text)}`);
  }
  return value;
}

function bytesOf(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), char => char.charCodeAt(0));
  } catch {
    throw new EvaluationProblem('Invalid base64');
  }
}

function jsonList(items: readonly unknown[], of: CelType, identity: ListIdentity): ListValue {
  const known: (CelValue | undefined)[] = [];
  return {
    kind: 'list',
    size: items.length,
    identity,
    at(index) {
      if (!Number.isInteger(index) || index < 0 || index >= items.length) {
        return undefined;
      }
      known[index] ??= fromJson(items[index], of);
      return known[index];
    },
  };
}

function jsonMap(object: JsonObject, type: CelType): MapValue {
  const of = type.kind === 'map' ? type.of : dyn;
  const present = (): readonly string[] => Object.keys(object).filter(key => object[key] !== undefined);
  return mapOfMembers(present, key => (Object.hasOwn(object, key) ? optional(object[key], of) : undefined));
}

/** Contains only members that the schema declares, with their names in expressions. */
function jsonObject(object: JsonObject, fields: ReadonlyMap<string, ObjectField>): MapValue {
  const present = (): readonly string[] =>
    [...fields].filter(([, { name }]) => Object.hasOwn(object, name) && object[name] !== undefined).map(([key]) => key);
  return mapOfMembers(present, key => {
    const field = fields.get(key);
    return field !== undefined && Object.hasOwn(object, field.name)
      ? optional(object[field.name], field.type)
      : undefined;
  });
}

/** Caches converted members, because loops read the same members in every iteration. */
function mapOfMembers(present: () => readonly string[], read: (key: string) => CelValue | undefined): MapValue {
  const known = new Map<string, CelValue | undefined>();
  let keys: readonly string[] | undefined;
  const allKeys = (): readonly string[] => {
    keys ??= present();
    return keys;
  };
  return {
    kind: 'map',
    get size() {
      return allKeys().length;
    },
    get(key) {
      if (typeof key !== 'string') {
        return undefined;
      }
      if (!known.has(key)) {
        known.set(key, read(key));
      }
      return known.get(key);
    },
    keys: allKeys,
  };
}

function optional(json: unknown, type: CelType): CelValue | undefined {
  return json === undefined ? undefined : fromJson(json, type);
}
