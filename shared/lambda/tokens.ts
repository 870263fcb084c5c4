// Where the bearer tokens that a function accepts come from.
import { readFile } from 'node:fs/promises';
import { type Config, ConfigError } from '../config/env.ts';
import { toError } from '../kernel/errors.ts';

/** A port: a file or the environment today, a store of secrets where there is one. */
export interface Tokens {
  /** One, or two while they are exchanged. Rejects with ConfigError that says what to do when there are none. */
  current(): Promise<readonly string[]>;
}

/** https://www.rfc-editor.org/rfc/rfc6750#section-2.1 */
const legalToken = /^[\w.~+/-]+=*$/;
/** Shorter ones could be tried out. */
const shortestToken = 20;
const mostTokens = 2;

/** A file is looked at no more often than this, so that a flood of requests does not read it each time. */
const checkEveryMs = 1_000;

/** The file wins. Errors name where the tokens come from and never a token. */
export function createTokens({ file, tokens }: Config['auditTokens']): Tokens {
  if (file !== undefined) {
    return new FileTokens(file);
  }
  return {
    current: async () => {
      if (tokens === undefined) {
        throw new ConfigError('No bearer token is set: set CAPI_AUDIT_TOKENS_FILE or CAPI_AUDIT_TOKENS');
      }
      return checked(tokens, 'CAPI_AUDIT_TOKENS');
    },
  };
}

class FileTokens implements Tokens {
  readonly #file: string;
  #kept: readonly string[] | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(file: string) {
    this.#file = file;
  }

  async current(): Promise<readonly string[]> {
    if (this.#kept !== undefined && performance.now() - this.#readAt < checkEveryMs) {
      return this.#kept;
    }
    this.#kept = await this.#read().catch(error => {
      // Half written or gone for a moment: the tokens of the last look serve until the next one.
      if (this.#kept === undefined) {
        throw error;
      }
      return this.#kept;
    });
    this.#readAt = performance.now();
    return this.#kept;
  }

  async #read(): Promise<readonly string[]> {
    const text = await readFile(this.#file, 'utf8').catch(thrown => {
      throw new ConfigError(`CAPI_AUDIT_TOKENS_FILE cannot be read: ${toError(thrown).message}`, { cause: thrown });
    });
    return checked(
      text
        .split('\n')
        .map(line => line.trim())
        .filter(Boolean),
      `CAPI_AUDIT_TOKENS_FILE ${this.#file}`,
    );
  }
}

function checked(tokens: readonly string[], source: string): readonly string[] {
  if (tokens.length === 0 || tokens.length > mostTokens) {
    throw new ConfigError(`${source} holds ${tokens.length} tokens, not one or two`);
  }
  if (tokens.some(token => token.length < shortestToken || !legalToken.test(token))) {
    throw new ConfigError(
      `${source} holds a token that is shorter than ${shortestToken} characters or no bearer token`,
    );
  }
  return tokens;
}
