// Mail addresses (RFC 5322) with the rules of Go's net/mail for one address. A name, angle brackets and trailing
// comments are optional. Groups and encoded words are not supported.
import { isAddress } from './addresses.ts';

const visible = '!-~\\u0080-\\u{10ffff}';
const atom = new RegExp(`^(?:(?![()<>\\[\\]:;@\\\\,"])[${visible}])+`, 'u');
const quoted = new RegExp(`^"(?:(?![\\\\"])[${visible} \\t]|\\\\[${visible} \\t])*"`, 'u');
const literal = new RegExp(`^\\[((?:(?![\\[\\]\\\\])[${visible}])*)\\]`, 'u');

/** Returns the text after the part, or undefined if the text does not begin with the part. */
type Rest = string | undefined;

export function isEmail(text: string): boolean {
  const rest = skipAddress(skipSpace(text)) ?? skipNamed(skipSpace(text));
  return rest !== undefined && skipComments(rest) === '';
}

function skipSpace(text: string): string {
  return text.replace(/^[ \t]+/, '');
}

function skip(text: string, pattern: RegExp): Rest {
  const match = pattern.exec(text)?.[0];
  return match === undefined ? undefined : text.slice(match.length);
}

function skipAddress(text: string): Rest {
  const local = text.startsWith('"') ? skipFilledQuote(text) : skipDotAtom(text);
  if (local === undefined || !local.startsWith('@')) {
    return undefined;
  }
  const domain = skipSpace(local.slice(1));
  return domain.startsWith('[') ? skipLiteral(domain) : skipDotAtom(domain);
}

function skipFilledQuote(text: string): Rest {
  return text.startsWith('""') ? undefined : skip(text, quoted);
}

function skipDotAtom(text: string): Rest {
  const word = atom.exec(text)?.[0] ?? '';
  const hasEmptyPart = word.split('.').includes('');
  return hasEmptyPart ? undefined : text.slice(word.length);
}

function skipLiteral(text: string): Rest {
  const match = literal.exec(text);
  return match?.[1] !== undefined && isAddress(match[1]) ? text.slice(match[0].length) : undefined;
}

/** Reads a display name, and then the address in angle brackets. */
function skipNamed(text: string): Rest {
  let rest = text;
  for (let word: Rest = rest; word !== undefined; word = skip(rest, quoted) ?? skip(rest, atom)) {
    rest = skipComments(word) ?? word;
  }
  const address = rest.startsWith('<') ? skipAddress(skipSpace(rest.slice(1))) : undefined;
  return address?.startsWith('>') === true ? address.slice(1) : undefined;
}

/** Skips spaces and comments in parentheses. Comments may be nested. */
function skipComments(text: string): Rest {
  let rest = skipSpace(text);
  while (rest.startsWith('(')) {
    const end = endOfComment(rest);
    if (end === undefined) {
      return undefined;
    }
    rest = skipSpace(rest.slice(end));
  }
  return rest;
}

function endOfComment(text: string): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '\\') {
      at += 1;
    } else if (character === '(') {
      depth += 1;
    } else if (character === ')') {
      depth -= 1;
      if (depth === 0) {
        return at + 1;
      }
    }
  }
  return undefined;
}
