// Reads JSON answers as bytes: counts their values and drops fields that are not used, before anything is parsed. Pure.

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openingBracket = 0x5b;
const backslash = 0x5c;
const closingBracket = 0x5d;
const openingBrace = 0x7b;
const closingBrace = 0x7d;
const highestSpace = 0x20;

/**
 * Returns the number of values of the JSON. Stops counting above `most`. Containers and commas are counted, so a
 * container in a list counts twice.
 */
export function countValues(json: Uint8Array, most: number): number {
  let values = 0;
  for (let at = 0; at < json.length && values <= most; at += 1) {
    const byte = json[at];
    if (byte === quote) {
      at = endOfText(json, at);
    } else if (byte === comma || byte === openingBrace || byte === openingBracket) {
      values += 1;
    }
  }
  return values;
}

/** The fields to keep of an object, and of each object of a list. `true` keeps a value whole. */
export type KeptFields = ReadonlyMap<string, KeptFields | true>;

/** The fields of an object that every read keeps. */
export const objectFields = ['apiVersion', 'kind', 'metadata'];

/** Converts dotted paths to the fields that they name. */
export function toKeptFields(paths: readonly string[]): KeptFields {
  const byName = Map.groupBy(paths, path => path.split('.', 1).join());
  return new Map(
    [...byName].map(([name, own]) => [
      name,
      own.includes(name) || toKeptFields(own.map(path => path.slice(name.length + 1))),
    ]),
  );
}

/**
 * Returns the JSON with these fields only. A value of another type than an object or a list of objects is kept. A text
 * that is not JSON results in a text that is not JSON, if the fields to keep are concerned.
 */
export function keepFields(json: Buffer, fields: KeptFields): Buffer {
  const writer = new Writer(json);
  writer.value(skipSpace(json, 0), fields);
  return writer.bytes();
}

/**
 * Copies the kept ranges into one buffer, so that many small ranges take no more memory than the JSON. Of the commas
 * between two kept values, one is kept. So the result is not longer than the JSON, even if that is not valid.
 */
class Writer {
  readonly #json: Buffer;
  readonly #kept: Buffer;
  #length = 0;
  #hasComma = false;

  constructor(json: Buffer) {
    this.#json = json;
    this.#kept = Buffer.allocUnsafe(json.length);
  }

  bytes(): Buffer {
    return this.#kept.subarray(0, this.#length);
  }

  /** Copies the value at this position and returns the position after it. */
  value(at: number, fields: KeptFields | true): number {
    const opening = this.#json[at];
    if (fields === true || (opening !== openingBrace && opening !== openingBracket)) {
      return this.#copy(at, endOfValue(this.#json, at));
    }
    return opening === openingBrace ? this.#object(at, fields) : this.#list(at, fields);
  }

  #object(from: number, fields: KeptFields): number {
    this.#copy(from, from + 1);
    let isFirst = true;
    let at = skipSpace(this.#json, from + 1);
    while (this.#json[at] === quote) {
      const afterName = endOfText(this.#json, at) + 1;
      const kept = fields.get(this.#json.toString('latin1', at + 1, Math.min(afterName - 1, at + longestName)));
      const valueAt = afterColon(this.#json, afterName);
      if (kept === undefined) {
        at = endOfValue(this.#json, valueAt);
      } else {
        this.#separate(isFirst);
        isFirst = false;
        this.#copy(at, valueAt);
        at = this.value(valueAt, kept);
        this.#hasComma = false;
      }
      at = this.#afterComma(at);
    }
    return this.#copy(at, at + 1);
  }

  #list(from: number, fields: KeptFields): number {
    this.#copy(from, from + 1);
    let at = skipSpace(this.#json, from + 1);
    for (let isFirst = true; at < this.#json.length && this.#json[at] !== closingBracket; isFirst = false) {
      this.#separate(isFirst);
      // A list inside a list is kept whole, so that the depth of calls is that of the fields.
      const end = this.value(at, this.#json[at] === openingBracket ? true : fields);
      this.#hasComma = false;
      at = end > at ? this.#afterComma(end) : this.#json.length;
    }
    return this.#copy(at, at + 1);
  }

  #separate(isFirst: boolean): void {
    if (!isFirst && this.#hasComma) {
      this.#kept[this.#length] = comma;
      this.#length += 1;
    }
  }

  #afterComma(from: number): number {
    const at = skipSpace(this.#json, from);
    if (this.#json[at] !== comma) {
      return at;
    }
    this.#hasComma = true;
    return skipSpace(this.#json, at + 1);
  }

  /** Copies nothing behind the end of a text that is not JSON. */
  #copy(from: number, end: number): number {
    if (from < this.#json.length) {
      this.#length += this.#json.copy(this.#kept, this.#length, from, end);
    }
    return end;
  }
}

/** A longer name of a member is not that of a field to keep. */
const longestName = 64;

/** Returns the position after the value. */
function endOfValue(json: Uint8Array, from: number): number {
  let depth = 0;
  for (let at = from; at < json.length; at += 1) {
    switch (json[at]) {
      case quote:
        at = endOfText(json, at);
        break;
      case openingBrace:
      case openingBracket:
        depth += 1;
        break;
      case closingBrace:
      case closingBracket:
        depth -= 1;
        if (depth < 0) {
          return at;
        }
        break;
      case comma:
        if (depth === 0) {
          return at;
        }
        continue;
      default:
        continue;
    }
    if (depth === 0) {
      return at + 1;
    }
  }
  return json.length;
}

/** Returns the position of the closing quote, or the end. */
function endOfText(json: Uint8Array, from: number): number {
  let at = from + 1;
  while (at < json.length && json[at] !== quote) {
    at += json[at] === backslash ? 2 : 1;
  }
  return Math.min(at, json.length);
}

function afterColon(json: Uint8Array, from: number): number {
  const at = skipSpace(json, from);
  return skipSpace(json, json[at] === colon ? at + 1 : at);
}

function skipSpace(json: Uint8Array, from: number): number {
  let at = from;
  while (at < json.length && (json[at] ?? 0) <= highestSpace) {
    at += 1;
  }
  return at;
}
