// Quotes and unquotes texts in Go's syntax. https://go.dev/ref/spec#String_literals
import { fromBytes, toBytes } from './bytes.ts';
import { mapCharacters } from './text-builder.ts';

const short: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
};
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');

/** Returns true if Go prints the character unescaped. */
export function isPrintable(character: string): boolean {
  return printable.test(character);
}

function escapeCharacter(character: string, delimiter: string, asciiOnly: boolean): string {
  const code = character.codePointAt(0) ?? 0;
  if (character === delimiter) {
    return `\\${character}`;
  }
  if (code >= 0xd800 && code <= 0xdfff) {
    return delimiter === "'" ? '\ufffd' : `\\x${hex(code & 0xff, 2)}`;
  }
  const known = short[character];
  if (known !== undefined) {
    return known;
  }
  if (isPrintable(character) && (code < 0x80 || !asciiOnly)) {
    return character;
  }
  if (code < 0x20 || code === 0x7f) {
    return `\\x${hex(code, 2)}`;
  }
  return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
}

interface QuoteOptions {
  readonly delimiter?: '"' | "'";
  readonly asciiOnly?: boolean;
}

/** Returns the form of `%q`. */
export function goQuote(text: string, { delimiter = '"', asciiOnly = false }: QuoteOptions = {}): string {
  return `${delimiter}${mapCharacters(text, character => escapeCharacter(character, delimiter, asciiOnly))}${delimiter}`;
}

const simple: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};
const escapeSequence = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|([abfnrtv\\"']))/y;

/** Returns the value of a quoted or raw literal, or undefined if it is invalid. */
export function goUnquote(literal: string): string | undefined {
  const delimiter = literal[0];
  if (literal.length < 2 || literal.at(-1) !== delimiter) {
    return undefined;
  }
  const body = literal.slice(1, -1);
  if (delimiter === '`') {
    return body.replaceAll('\r', '');
  }
  return body.includes('\n') ? undefined : unescaped(body, delimiter ?? '"');
}

function unescaped(body: string, delimiter: string): string | undefined {
  const parts: Uint8Array[] = [];
  let at = 0;
  while (at < body.length) {
    const next = body.indexOf('\\', at);
    const end = next < 0 ? body.length : next;
    const plain = body.slice(at, end);
    if (plain.includes(delimiter)) {
      return undefined;
    }
    parts.push(toBytes(plain));
    if (next < 0) {
      break;
    }
    escapeSequence.lastIndex = next;
    const bytes = bytesOfEscape(escapeSequence.exec(body), delimiter);
    if (bytes === undefined) {
      return undefined;
    }
    parts.push(bytes);
    at = escapeSequence.lastIndex;
  }
  return fromBytes(Uint8Array.from(parts.flatMap(part => [...part])));
}

function bytesOfEscape(match: RegExpExecArray | null, delimiter: string): Uint8Array | undefined {
  if (match === null) {
    return undefined;
  }
  const [, byte, short, long, octal, letter] = match;
  if (byte !== undefined || octal !== undefined) {
    const code = byte === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(byte, 16);
    return code > 0xff ? undefined : Uint8Array.of(code);
  }
  if (letter !== undefined) {
    const isOther = (letter === '"' || letter === "'") && letter !== delimiter;
    return isOther ? undefined : toBytes(simple[letter] ?? letter);
  }
  const code = Number.parseInt(short ?? long ?? '', 16);
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  return code > 0x10ffff || isSurrogate ? undefined : toBytes(String.fromCodePoint(code));
}
