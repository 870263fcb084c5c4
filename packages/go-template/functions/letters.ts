// Case, spaces and words of texts, with Go's rules per character.

import { isAscii } from '../bytes.ts';
import { mapCharacters } from '../text-builder.ts';

const spaces: ReadonlySet<string> = new Set(
  '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000',
);

export function isSpace(character: string): boolean {
  return spaces.has(character);
}

export function isUpper(character: string): boolean {
  return /^\p{Lu}$/u.test(character);
}

export function isLower(character: string): boolean {
  return /^\p{Ll}$/u.test(character);
}

/** Go maps each character to one character. */
function single(character: string, mapped: string): string {
  return mapped.length === 1 || [...mapped].length === 1 ? mapped : character;
}

export function upperOf(character: string): string {
  return single(character, character.toUpperCase());
}

export function lowerOf(character: string): string {
  return character === 'İ' ? 'i' : single(character, character.toLowerCase());
}

export function upper(text: string): string {
  return isAscii(text) ? text.toUpperCase() : mapCharacters(text, upperOf);
}

export function lower(text: string): string {
  return isAscii(text) ? text.toLowerCase() : mapCharacters(text, lowerOf);
}

/**
 * Changes the first letters of words to upper case. Any character except ASCII letters, digits, underscores and spaces
 * separates words.
 */
export function titled(text: string): string {
  let before = ' ';
  return mapCharacters(text, character => {
    const starts = partsWords(before);
    before = character;
    return starts ? upperOf(character) : character;
  });
}

function partsWords(character: string): boolean {
  return character < '\x80' ? !/[A-Za-z0-9_]/.test(character) : isSpace(character);
}

/** Trims white space at both ends. */
export function trimSpace(text: string): string {
  return trimmed(text, isSpace);
}

/** Trims the given characters at both ends. */
export function trimCharacters(text: string, unwanted: string): string {
  const set = new Set(unwanted);
  return trimmed(text, character => set.has(character));
}

/** Trims from both ends to the centre. */
function trimmed(text: string, isUnwanted: (character: string) => boolean): string {
  let start = 0;
  for (const character of text) {
    if (!isUnwanted(character)) {
      break;
    }
    start += character.length;
  }
  let end = text.length;
  while (end > start) {
    const character = lastCharacter(text, end);
    if (!isUnwanted(character)) {
      break;
    }
    end -= character.length;
  }
  return text.slice(start, end);
}

/** Returns the character that ends before this index. */
function lastCharacter(text: string, end: number): string {
  const pair = text.slice(Math.max(0, end - 2), end);
  const [first = '', second] = pair;
  return second ?? first;
}
