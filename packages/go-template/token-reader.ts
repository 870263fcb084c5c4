// Reads the tokens of a template in order, and tracks the position for errors.
import { lex, shown, type Token } from './lex.ts';
import { parseLimits } from './limits.ts';

export class ParseError extends Error {}

export class TokenReader {
  readonly #name: string;
  readonly #length: number;
  readonly #tokens: readonly Token[];
  #next = 0;
  #line = 1;
  #depth = 0;

  constructor(text: string, name: string) {
    this.#name = name;
    this.#length = text.length;
    this.#tokens = lex(text);
  }

  fail(problem: string): never {
    throw new ParseError(`template: ${this.#name}:${this.#line}: ${problem}`);
  }

  /** Returns the token `ahead` positions further. At the end, returns the last token. */
  look(ahead = 0): Token {
    const token = this.#tokens[Math.min(this.#next + ahead, this.#tokens.length - 1)];
    return token ?? { type: 'eof', text: '', at: this.#length, line: 1 };
  }

  peek(): Token {
    const token = this.look();
    this.#line = token.line;
    return token;
  }

  take(): Token {
    const token = this.peek();
    this.#next += 1;
    return token;
  }

  /** The next read returns the last token again. */
  putBack(): void {
    this.#next -= 1;
  }

  /** Skips this number of tokens. */
  skip(count: number): void {
    this.#next += count;
  }

  skipSpace(): void {
    if (this.look().type === 'space') {
      this.#next += 1;
    }
  }

  takePastSpace(): Token {
    this.skipSpace();
    return this.take();
  }

  peekPastSpace(): Token {
    this.skipSpace();
    return this.peek();
  }

  unexpected(token: Token, context: string): never {
    return this.fail(token.type === 'error' ? token.text : `unexpected ${shown(token)} in ${context}`);
  }

  expectClose(context: string): void {
    const token = this.takePastSpace();
    if (token.type !== 'close') {
      this.unexpected(token, context);
    }
  }

  /** Counts nested blocks and parentheses. */
  nested<T>(parse: () => T): T {
    this.#depth += 1;
    if (this.#depth > parseLimits.depth) {
      this.fail(`limit exceeded: more than ${parseLimits.depth} blocks or parentheses inside each other`);
    }
    const parsed = parse();
    this.#depth -= 1;
    return parsed;
  }
}
