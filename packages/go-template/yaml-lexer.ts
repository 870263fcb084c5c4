// Differences of the Go library from YAML 1.2 that concern words and lines.
// https://github.com/yaml/libyaml/blob/master/src/scanner.c
import { Lexer } from 'yaml';

/** The members of the library's class whose behaviour changes. It declares them as private. */
interface Scanning {
  indentNext: number;
  parseFlowCollection(): Generator<string, unknown>;
  parseQuotedScalar(): Generator<string, unknown>;
}

/** Returns a lexer in which flow collections and quoted texts may continue at any column. */
export function createYamlLexer(): Lexer {
  const lexer = new Lexer();
  const scanning = lexer as unknown as Scanning; // true: a test parses such texts
  for (const method of ['parseFlowCollection', 'parseQuotedScalar'] as const) {
    const original = scanning[method].bind(lexer);
    scanning[method] = function* () {
      const { indentNext } = scanning;
      scanning.indentNext = 0;
      const next = yield* original();
      scanning.indentNext = indentNext;
      return next;
    };
  }
  return lexer;
}

/** Returns the problem of a line that begins with "%" before a document, or `undefined`. */
export function directiveProblem(line: string): string | undefined {
  const [, name = '', rest = ''] = /^%([\w-]*)(.*)/s.exec(line) ?? [];
  if (name === '') {
    return 'could not find expected directive name';
  }
  if (rest !== '' && !/^\s/.test(rest)) {
    return 'found unexpected non-alphabetical character';
  }
  if (name === 'TAG') {
    return undefined;
  }
  if (name !== 'YAML') {
    return 'found unknown directive name';
  }
  return /^\s+1\.1\s*(?:#.*)?$/s.test(rest) ? undefined : 'found incompatible YAML document';
}
