// Texts that the Go library refuses, although they are YAML: tabs where a value may start, and a few signs.
// https://github.com/yaml/go-yaml/blob/v2/scannerc.go

interface GoProblem {
  /** The position in the text. */
  readonly offset: number;
  readonly message: string;
  /** The number of the document, counted from 1. */
  readonly document: number;
}

/** Lexemes that are marks of the lexer, without characters of the text. */
const marks = new Set(['\u0002', '\u0018', '\u001f']);
const scalarMark = '\u001f';

const badStart = 'found character that cannot start any token';
const noContent = 'did not find expected node content';

/** Reads the lexemes of a text in order. */
export class GoRules {
  #offset = 0;
  #lineStart = 0;
  #document = 1;
  #isEmpty = true;
  #flows = 0;
  #next: 'token' | 'plain' | 'block' = 'token';
  #header = '';
  /** Whether a key or an item may start here. */
  #isStart = true;
  #isAfterPlain = false;
  /** The end of the last word, and the end of a colon directly after it. */
  #wordEnd = -1;
  #colonEnd = -1;
  /** The columns of the last value, and of the key or dash of the current block. */
  #valueColumn = 0;
  #blockColumn = -1;

  /** Returns the problem of the lexeme in Go. */
  read(lexeme: string): GoProblem | undefined {
    if (marks.has(lexeme)) {
      this.#next = lexeme !== scalarMark ? 'token' : this.#header === '' ? 'plain' : 'block';
      return undefined;
    }
    const offset = this.#offset;
    const isEarlyEnd = this.#isEmpty && lexeme === '...';
    const document = this.#document;
    this.#count(lexeme);
    const message = isEarlyEnd ? noContent : this.#problem(lexeme, offset - this.#lineStart);
    this.#offset += lexeme.length;
    const lineBreak = lexeme.lastIndexOf('\n');
    this.#lineStart = lineBreak < 0 ? this.#lineStart : offset + lineBreak + 1;
    return message === undefined ? undefined : { offset, message, document };
  }

  #count(lexeme: string): void {
    if (lexeme === '...' || (lexeme === '---' && !this.#isEmpty)) {
      this.#document += 1;
      this.#blockColumn = -1;
    }
    this.#isEmpty &&= /^[\s#%]/.test(lexeme);
  }

  #problem(lexeme: string, column: number): string | undefined {
    const next = this.#next;
    this.#next = 'token';
    switch (next) {
      case 'block':
        return this.#block(lexeme);
      case 'plain':
        this.#isStart = false;
        this.#isAfterPlain = true;
        this.#valueColumn = column;
        this.#wordEnd = this.#offset + lexeme.length;
        return this.#flows > 0 ? flowWordProblem(lexeme) : undefined;
      case 'token':
        return lexeme === '\n' || lexeme === '\r\n'
          ? this.#lineBreak()
          : /^[ \t]/.test(lexeme)
            ? this.#spaces(lexeme, column)
            : lexeme.startsWith('#')
              ? undefined
              : this.#token(lexeme, column);
    }
  }

  #block(lexeme: string): string | undefined {
    const problem = blockProblem(lexeme, this.#header);
    this.#header = '';
    this.#isStart = true;
    return problem;
  }

  #lineBreak(): undefined {
    this.#isStart = true;
  }

  /** A tab separates tokens within a line. A word may continue after a tab that is not below its block. */
  #spaces(lexeme: string, column: number): string | undefined {
    const tab = lexeme.indexOf('\t');
    if (!this.#isStart || tab < 0) {
      return undefined;
    }
    if (this.#isAfterPlain) {
      return column + tab <= this.#blockColumn ? 'found a tab character that violates indentation' : undefined;
    }
    return this.#flows === 0 ? badStart : undefined;
  }

  #token(lexeme: string, column: number): string | undefined {
    this.#colonEnd = lexeme === ':' && this.#wordEnd === this.#offset ? this.#offset + 1 : this.#colonEnd;
    this.#isAfterPlain = false;
    this.#isStart = lexeme === '-' || lexeme === '?';
    if (this.#flows === 0) {
      this.#blockColumn = lexeme === ':' ? this.#valueColumn : this.#isStart ? column : this.#blockColumn;
    }
    switch (lexeme[0]) {
      case '|':
      case '>':
        this.#header = lexeme;
        return undefined;
      case '[':
      case '{':
        this.#flows += 1;
        return this.#flows > 1 && this.#colonEnd === this.#offset ? noContent : undefined;
      case ']':
      case '}':
        this.#flows = Math.max(0, this.#flows - 1);
        return undefined;
      case '"':
        this.#valueColumn = column;
        return quotedProblem(lexeme);
      case "'":
        this.#valueColumn = column;
        return /^'(?:[^']|'')*'$/.test(lexeme) ? undefined : endOfStream;
      default:
        return undefined;
    }
  }
}

const endOfStream = 'found unexpected end of stream';

/** YAML 1.1 has no escape of a slash. */
function quotedProblem(text: string): string | undefined {
  const isClosed = /^"(?:[^"\\]|\\[^/])*"$/s.test(text);
  return isClosed ? undefined : /^"(?:[^"\\]|\\[^/])*\\\//s.test(text) ? 'found unknown escape character' : endOfStream;
}

/** Go ends a word in a flow collection before a question mark. */
function flowWordProblem(word: string): string | undefined {
  return word.startsWith(':') || word.includes('?') ? noContent : undefined;
}

/** The lines of a block are indented with spaces, also those before its first line. */
function blockProblem(text: string, header: string): string | undefined {
  if (/\d/.test(header)) {
    return undefined;
  }
  const first = /^(?: *\r?\n)*( *)/.exec(text)?.[1] ?? '';
  const isTab =
    /^(?: *\r?\n)* *\t/.test(text) || (first !== '' && new RegExp(`^ {0,${first.length - 1}}\\t`, 'm').test(text));
  return isTab ? 'found a tab character where an indentation space is expected' : undefined;
}
