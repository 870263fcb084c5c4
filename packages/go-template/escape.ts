// The functions html, js and urlquery. https://pkg.go.dev/text/template#HTMLEscaper
import { toBytes } from './bytes.ts';
import { isPrintable } from './quote.ts';
import { mapBytes, mapCharacters } from './text-builder.ts';

const htmlEscapes: Readonly<Record<string, string>> = {
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '\0': '\ufffd',
};

export function escapeHtml(text: string): string {
  return text.replaceAll(/["'&<>\0]/g, character => htmlEscapes[character] ?? character);
}

const jsEscapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '"': '\\"',
  '<': '\\u003C',
  '>': '\\u003E',
  '&': '\\u0026',
  '=': '\\u003D',
};

export function escapeJs(text: string): string {
  return mapCharacters(text, character => {
    const code = character.codePointAt(0) ?? 0;
    const isPlain = code >= 0x20 && (code < 0x7f || (code > 0x7f && isPrintable(character)));
    const unicode = `\\u${code.toString(16).toUpperCase().padStart(4, '0')}`;
    return jsEscapes[character] ?? (isPlain ? character : unicode);
  });
}

/** Query escaping. A space becomes a plus. */
export function escapeQuery(text: string): string {
  return mapBytes(toBytes(text), byte => {
    const character = String.fromCharCode(byte);
    const isPlain = /[A-Za-z0-9\-_.~]/.test(character);
    return isPlain ? character : byte === 0x20 ? '+' : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  });
}
