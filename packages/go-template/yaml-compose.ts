// Parses YAML to nodes. The work for the first document is counted, and a text with many errors costs no more than a valid
// text.

import { Composer, type Document, type LineCounter, Parser, YAMLParseError } from 'yaml';
import { GoRules } from './yaml-go-rules.ts';
import { createYamlLexer, directiveProblem } from './yaml-lexer.ts';

/** Counts work. Each function may throw to end the parser. */
export interface YamlWork {
  spend(steps: number): void;
  /** Receives the bytes of memory that a text with many tokens takes until it is decoded, before they are allocated. */
  hold?(bytes: number): void;
}

export const yamlLimits = {
  /**
   * The maximum number of characters of the text, and of all its scalars including those behind aliases. API servers
   * store no more.
   */
  length: 1_572_864,
  /** The maximum number of tokens: words, signs and spaces. */
  tokens: 600_000,
  /** The maximum depth of nested lists and maps. */
  depth: 200,
  /** The maximum number of values. Values behind an alias count each time. */
  nodes: 200_000,
} as const;

/** The error if the text is not YAML, or exceeds a limit. The message may quote the text. */
export class YamlError extends Error {}

/** The tokens of a text whose memory is not counted. */
const smallText = 16_384;
/** The memory of a token with the nodes that it becomes, measured with Node 24 and rounded up. */
const bytesPerToken = 1024;

/** A problem that the YAML library reports. */
interface Problem {
  readonly code: string;
  readonly at: number;
  readonly message: string;
}

interface Composed {
  readonly document: Document.Parsed;
  /** Returns the first problem that `isIgnored` does not exclude. Its position is an offset in the text. */
  problem(isIgnored: (problem: Problem) => boolean): Problem | undefined;
}

const charactersPerStep = 64;

/** Returns the number of steps for reading or copying this number of characters. */
export function stepsOf(characters: number): number {
  return 1 + Math.floor(characters / charactersPerStep);
}

/** Scalars keep their text. */
const composing = { version: '1.1', schema: 'failsafe', prettyErrors: false, logLevel: 'silent' } as const;

/** Returns undefined if the text has no document. Throws YamlError beyond a limit, and the errors of `work`. */
export function composeFirst(text: string, work: YamlWork): Composed | undefined {
  const tokens = parseTokens(text, work);
  checkDepth(tokens);
  checkDirectives(tokens, text);
  const problems = new Problems();
  const composer = new Composer({ ...composing, uniqueKeys: false });
  // The function of the library would create an Error with a stack for each of a million problems.
  Object.assign(composer, {
    onError: (source: unknown, code: string, message: string, isWarning?: boolean) =>
      isWarning === true ? undefined : problems.add({ code, at: offsetOf(source), message }),
  });
  const [document] = composer.compose(ofFirstDocument(tokens));
  if (document === undefined) {
    return undefined;
  }
  for (const { code, pos, message } of document.errors) {
    problems.add({ code, at: pos[0], message });
  }
  return { document, problem: isIgnored => problems.first(isIgnored) };
}

/** Throws YamlError for a line that Go takes for a directive. */
function checkDirectives(tokens: readonly Token[], text: string): void {
  const start = tokens.find(({ type }) => type === 'document');
  const isStarted = start?.type === 'document' && start.start.some(({ type }) => type === 'doc-start');
  for (const token of tokens) {
    if (token === start) {
      return;
    }
    if (token.type === 'directive' && !isStarted) {
      throw new YamlError(
        withLine(directiveProblem(token.source) ?? 'did not find expected <document start>', offsetOf(token), text),
      );
    }
    const problem = token.type === 'directive' ? directiveProblem(token.source) : undefined;
    if (problem !== undefined) {
      throw new YamlError(withLine(problem, offsetOf(token), text));
    }
  }
}

function withLine(problem: string, offset: number, text: string): string {
  const line = text.slice(0, offset).split('\n').length;
  return line === 1 ? problem : `line ${line}: ${problem}`;
}

/** Returns every document of a file, with its problems. `lines` gets the line breaks. */
export function composeAll(text: string, lines: LineCounter): readonly Document.Parsed[] {
  const parser = new Parser(lines.addNewLine);
  const rules = new GoRules();
  lines.addNewLine(0);
  const lexemes = [...createYamlLexer().lex(text)];
  const tokens = lexemes.flatMap(lexeme => [...parser.next(lexeme)]);
  const documents = [...new Composer(composing).compose([...tokens, ...parser.end()])];
  for (const { offset, message } of lexemes.flatMap(lexeme => rules.read(lexeme) ?? [])) {
    const error = new YAMLParseError([offset, offset + 1], 'UNEXPECTED_TOKEN', message);
    documents.findLast(({ range }) => range[0] <= offset)?.errors.push(error);
  }
  return documents;
}

/** Go reads one document, so problems of the next ones are not looked for. Directives are part of the next document. */
function ofFirstDocument(tokens: readonly Token[]): readonly Token[] {
  const first = tokens.findIndex(({ type }) => type === 'document');
  const next = tokens.findIndex(({ type }, at) => at > first && (type === 'document' || type === 'directive'));
  return first < 0 || next < 0 ? tokens : tokens.slice(0, next);
}

type Token = ReturnType<Parser['next']> extends Iterable<infer Each> ? Each : never;

function parseTokens(text: string, work: YamlWork): readonly Token[] {
  const parser = new Parser();
  const rules = new GoRules();
  const tokens: Token[] = [];
  let count = 0;
  for (const lexeme of createYamlLexer().lex(text)) {
    count += 1;
    if (count > yamlLimits.tokens) {
      throw new YamlError(`limit exceeded: more than ${yamlLimits.tokens} words, signs and spaces`);
    }
    work.spend(stepsOf(lexeme.length));
    if (count > smallText) {
      work.hold?.(bytesPerToken);
    }
    const problem = rules.read(lexeme);
    if (problem?.document === 1) {
      throw new YamlError(withLine(problem.message, problem.offset, text));
    }
    for (const token of parser.next(lexeme)) {
      tokens.push(token);
    }
  }
  for (const token of parser.end()) {
    tokens.push(token);
  }
  return tokens;
}

/** Keeps the first problem with each code, and the problem nearest to the start of the text. */
class Problems {
  readonly #kept = new Map<string, Problem>();

  add(problem: Problem): void {
    const known = this.#kept.get(problem.code);
    if (known === undefined || problem.at < known.at) {
      this.#kept.set(problem.code, problem);
    }
  }

  first(isIgnored: (problem: Problem) => boolean): Problem | undefined {
    return [...this.#kept.values()].filter(problem => !isIgnored(problem)).sort((a, b) => a.at - b.at)[0];
  }
}

/** The library reports a position as an offset, a range, or a token. */
function offsetOf(source: unknown): number {
  const start: unknown = Array.isArray(source) ? source[0] : source;
  if (typeof start === 'object' && start !== null && 'offset' in start) {
    return Number(start.offset);
  }
  return Number(start);
}

/** The check is not recursive, because composing deeply nested text would overflow the stack. */
function checkDepth(tokens: readonly object[]): void {
  let level = tokens;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > yamlLimits.depth * tokensPerLevel) {
      throw new YamlError(`limit exceeded: more than ${yamlLimits.depth} lists and maps inside each other`);
    }
    level = level.flatMap(childrenOf);
  }
}

/** A list or map is a token whose items contain tokens. */
const tokensPerLevel = 2;

function childrenOf(token: object): readonly object[] {
  const { value, items, key } = token as { readonly value?: unknown; readonly items?: unknown; readonly key?: unknown }; // true: any member may be missing
  return [value, key, ...(Array.isArray(items) ? items : [])].filter(
    (child): child is object => typeof child === 'object' && child !== null,
  );
}
