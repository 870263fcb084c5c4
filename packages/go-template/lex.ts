// Splits the text of a template into tokens. https://pkg.go.dev/text/template#hdr-Text_and_spaces
import { goQuote } from './quote.ts';

export type TokenType =
  | 'error'
  | 'eof'
  | 'text'
  | 'open'
  | 'close'
  | 'space'
  | 'bool'
  | 'char'
  | 'character constant'
  | 'assign'
  | 'declare'
  | 'dot'
  | 'field'
  | 'identifier'
  | 'keyword'
  | '('
  | ')'
  | 'nil'
  | 'number'
  | 'pipe'
  | 'raw string'
  | 'string'
  | 'variable';

export interface Token {
  readonly type: TokenType;
  readonly text: string;
  /** The start offset in code units. */
  readonly at: number;
  readonly line: number;
}

const keywords = new Set(['block', 'break', 'continue', 'define', 'else', 'end', 'if', 'range', 'template', 'with']);
const leadingSpace = /^[ \t\r\n]+/;

/** Returns tokens up to the end of the text, or up to the first error. The error is the last token. */
export function lex(text: string): readonly Token[] {
  return new Lexer(text).run();
}

class LexError extends Error {}

class Lexer {
  readonly #text: string;
  readonly #tokens: Token[] = [];
  #at = 0;
  #line = 1;
  #parentheses = 0;

  constructor(text: string) {
    this.#text = text;
  }

  run(): readonly Token[] {
    try {
      let trim = false;
      while (this.#at < this.#text.length) {
        const open = this.#text.indexOf('{{', this.#at);
        this.#literal(open < 0 ? this.#text.length : open, trim);
        if (open < 0) {
          break;
        }
        trim = this.#action();
      }
      this.#emit('eof', 0);
    } catch (error) {
      if (!(error instanceof LexError)) {
        throw error;
      }
      this.#tokens.push({ type: 'error', text: error.message, at: this.#at, line: this.#line });
    }
    return this.#tokens;
  }

  #emit(type: TokenType, length: number): void {
    const text = this.#text.slice(this.#at, this.#at + length);
    this.#tokens.push({ type, text, at: this.#at, line: this.#line });
    this.#skip(length);
  }

  #skip(length: number): void {
    for (let at = this.#at; at < this.#at + length; at += 1) {
      this.#line += this.#text[at] === '\n' ? 1 : 0;
    }
    this.#at += length;
  }

  /** Returns the text before an action. Trim markers on both sides remove spaces. */
  #literal(end: number, trimStart: boolean): void {
    let text = this.#text.slice(this.#at, end);
    const leading = trimStart ? (leadingSpace.exec(text)?.[0].length ?? 0) : 0;
    this.#skip(leading);
    text = text.slice(leading);
    const trailing = end < this.#text.length && this.#isTrimOpen(end + 2) ? lengthOfTrailingSpace(text) : 0;
    if (text.length > trailing) {
      this.#emit('text', text.length - trailing);
    }
    this.#skip(trailing);
  }

  #isTrimOpen(at: number): boolean {
    return this.#text[at] === '-' && isSpace(this.#text[at + 1]);
  }

  /** Returns the length of the closing delimiter at this position, and whether it trims. */
  #closing(): { readonly length: number; readonly trim: boolean } | undefined {
    if (isSpace(this.#text[this.#at]) && this.#text.startsWith('-}}', this.#at + 1)) {
      return { length: 4, trim: true };
    }
    return this.#text.startsWith('}}', this.#at) ? { length: 2, trim: false } : undefined;
  }

  /** True if the text after the action is trimmed. */
  #action(): boolean {
    const marker = this.#isTrimOpen(this.#at + 2) ? 2 : 0;
    if (this.#text.startsWith('/*', this.#at + 2 + marker)) {
      this.#skip(2 + marker);
      return this.#comment();
    }
    this.#emit('open', 2);
    this.#skip(marker);
    this.#parentheses = 0;
    for (;;) {
      const closing = this.#closing();
      if (closing !== undefined) {
        return this.#close(closing);
      }
      this.#inside();
    }
  }

  #close({ length, trim }: { readonly length: number; readonly trim: boolean }): boolean {
    if (this.#parentheses > 0) {
      throw new LexError('unclosed left paren');
    }
    this.#skip(length - 2);
    this.#emit('close', 2);
    return trim;
  }

  #comment(): boolean {
    const end = this.#text.indexOf('*/', this.#at + 2);
    if (end < 0) {
      throw new LexError('unclosed comment');
    }
    this.#skip(end + 2 - this.#at);
    const closing = this.#closing();
    if (closing === undefined) {
      throw new LexError('comment ends before closing delimiter');
    }
    this.#skip(closing.length);
    return closing.trim;
  }

  #inside(): void {
    const character = this.#characterAt(this.#at);
    if (character === '') {
      throw new LexError('unclosed action');
    }
    if (isSpace(character)) {
      this.#spaces();
      return;
    }
    if (character === '"' || character === "'") {
      this.#quoted(character);
      return;
    }
    if (character === '`') {
      this.#raw();
      return;
    }
    if (character === '.' && !/[0-9]/.test(this.#text[this.#at + 1] ?? 'x')) {
      this.#word('field', 1);
      return;
    }
    if (/[-+.0-9]/.test(character)) {
      this.#number();
      return;
    }
    if (character === '$') {
      this.#word('variable', 1);
      return;
    }
    if (isAlphanumeric(character)) {
      this.#word('identifier', 0);
      return;
    }
    this.#symbol(character);
  }

  #characterAt(at: number): string {
    const code = this.#text.codePointAt(at);
    return code === undefined ? '' : String.fromCodePoint(code);
  }

  #spaces(): void {
    let end = this.#at;
    while (isSpace(this.#text[end])) {
      end += 1;
    }
    // The last space may belong to a closing delimiter with a trim marker.
    const keep = this.#text.startsWith('-}}', end) ? end - 1 : end;
    if (keep > this.#at) {
      this.#emit('space', keep - this.#at);
    }
  }

  #quoted(delimiter: string): void {
    for (let end = this.#at + 1; end < this.#text.length; end += 1) {
      const character = this.#text[end];
      if (character === '\n') {
        break;
      }
      if (character === '\\' && this.#text[end + 1] !== '\n') {
        end += 1;
      } else if (character === delimiter) {
        this.#emit(delimiter === '"' ? 'string' : 'character constant', end + 1 - this.#at);
        return;
      }
    }
    throw new LexError(delimiter === '"' ? 'unterminated quoted string' : 'unterminated character constant');
  }

  #raw(): void {
    const end = this.#text.indexOf('`', this.#at + 1);
    if (end < 0) {
      throw new LexError('unterminated raw quoted string');
    }
    this.#emit('raw string', end + 1 - this.#at);
  }

  #endOfWord(from: number): number {
    let end = from;
    for (let next = this.#characterAt(end); isAlphanumeric(next); next = this.#characterAt(end)) {
      end += next.length;
    }
    return end;
  }

  #word(type: 'field' | 'variable' | 'identifier', from: number): void {
    const end = this.#endOfWord(this.#at + from);
    if (!this.#endsHere(end)) {
      throw new LexError(`bad character ${unicodeName(this.#characterAt(end))}`);
    }
    const text = this.#text.slice(this.#at, end);
    this.#emit(type === 'identifier' ? typeOfWord(text) : text === '.' ? 'dot' : type, end - this.#at);
  }

  /** Returns true if a word, field or variable may end before this character. */
  #endsHere(at: number): boolean {
    const next = this.#characterAt(at);
    return next === '' || isSpace(next) || /[.,|:()=]/.test(next) || this.#text.startsWith('}}', at);
  }

  #number(): void {
    const pattern = /[+-]?(?:0[xX][0-9a-fA-F_]*|0[oO][0-7_]*|0[bB][01_]*|[0-9_]*)/y;
    pattern.lastIndex = this.#at;
    const whole = pattern.exec(this.#text)?.[0] ?? '';
    const isHex = /0[xX]/.test(whole);
    const rest = isHex ? /(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]*)?i?/y : /(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]*)?i?/y;
    rest.lastIndex = this.#at + whole.length;
    const end = this.#at + whole.length + (rest.exec(this.#text)?.[0].length ?? 0);
    const next = this.#characterAt(end);
    if (isAlphanumeric(next)) {
      throw new LexError(`bad number syntax: ${goQuote(this.#text.slice(this.#at, end + next.length))}`);
    }
    this.#emit('number', end - this.#at);
  }

  #symbol(character: string): void {
    if (character === ':') {
      if (this.#text[this.#at + 1] !== '=') {
        throw new LexError('expected :=');
      }
      this.#emit('declare', 2);
      return;
    }
    if (character === '(' || character === ')') {
      this.#parentheses += character === '(' ? 1 : -1;
      if (this.#parentheses < 0) {
        throw new LexError('unexpected right paren');
      }
      this.#emit(character, 1);
      return;
    }
    if (character === '=' || character === '|') {
      this.#emit(character === '=' ? 'assign' : 'pipe', 1);
      return;
    }
    if (!/^[\x20-\x7e]$/.test(character)) {
      throw new LexError(`unrecognized character in action: ${unicodeName(character)}`);
    }
    this.#emit('char', 1);
  }
}

function lengthOfTrailingSpace(text: string): number {
  let end = text.length;
  while (end > 0 && isSpace(text[end - 1])) {
    end -= 1;
  }
  return text.length - end;
}

function typeOfWord(text: string): TokenType {
  if (keywords.has(text)) {
    return 'keyword';
  }
  return text === 'nil' ? 'nil' : text === 'true' || text === 'false' ? 'bool' : 'identifier';
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\r' || character === '\n';
}

function isAlphanumeric(character: string): boolean {
  return /^[_\p{L}\p{Nd}]$/u.test(character);
}

function unicodeName(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')} '${character}'`;
}

/** Returns the form of a token in errors. */
export function shown({ type, text }: Token): string {
  if (type === 'eof') {
    return 'EOF';
  }
  if (type === 'error') {
    return text;
  }
  if (type === 'keyword' || type === 'nil' || type === 'dot') {
    return `<${text}>`;
  }
  const characters = [...text];
  return characters.length > 10 ? `${goQuote(characters.slice(0, 10).join(''))}...` : goQuote(text);
}
