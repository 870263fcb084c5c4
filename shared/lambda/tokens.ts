// The tokens that a function accepts from its senders, from a file, Secrets Manager or the environment.
import { readFile } from 'node:fs/promises';
import { toError } from '@capi-serverless/reconciler';
import { ConfigError, type TokenSource } from '../config/env.ts';

/** The port to the tokens: a file, Secrets Manager or the environment. */
export interface Tokens {
  /**
   * Returns one token, or two during a rotation. Without a token, rejects with a ConfigError that names the setting.
   */
  current(): Promise<readonly string[]>;
}

/** https://www.rfc-editor.org/rfc/rfc6750#section-2.1 */
const legalToken = /^[\w.~+/-]+=*$/;
/** The minimum length of a token. Shorter tokens could be guessed. */
const shortestToken = 20;
const mostTokens = 2;

/** The minimum time between two reads of the file, so that many requests do not read it each time. */
const readFileEveryMs = 1_000;
/** The minimum time between two reads of the secret, because each read is a billed request. */
const readSecretEveryMs = 60_000;

type SecretSource = (arn: string) => Promise<string>;

/**
 * `setting` is the name of the variable with the tokens. The file has precedence over the secret. Errors contain the source
 * and never a token.
 */
export function createTokens(
  setting: string,
  { file, secret, tokens }: TokenSource,
  readSecret: SecretSource = readFromStore,
): Tokens {
  if (file !== undefined) {
    const source = `${setting}_FILE ${file}`;
    const read = () => readTokenFile(file, setting);
    return new CachedTokens(readFileEveryMs, async () => checkTokens(toTokenLines(await read()), source));
  }
  if (secret !== undefined) {
    const source = `${setting}_SECRET ${secret}`;
    return new CachedTokens(readSecretEveryMs, async () => checkTokens(toTokenLines(await readSecret(secret)), source));
  }
  return {
    current: async () => {
      if (tokens === undefined) {
        throw new ConfigError(`No token is set: set ${setting}_FILE, ${setting}_SECRET or ${setting}`);
      }
      return checkTokens(tokens, setting);
    },
  };
}

/** The module is loaded only if a secret is configured. */
async function readFromStore(arn: string): Promise<string> {
  return (await import('../aws/secrets.ts')).createSecretReader()(arn);
}

function readTokenFile(file: string, setting: string): Promise<string> {
  return readFile(file, 'utf8').catch(thrown => {
    throw new ConfigError(`${setting}_FILE cannot be read: ${toError(thrown).message}`, { cause: thrown });
  });
}

/** Returns one token per line. */
export function toTokenLines(text: string): readonly string[] {
  return text
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean);
}

class CachedTokens implements Tokens {
  readonly #everyMs: number;
  readonly #read: () => Promise<readonly string[]>;
  #kept: readonly string[] | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(everyMs: number, read: () => Promise<readonly string[]>) {
    this.#everyMs = everyMs;
    this.#read = read;
  }

  async current(): Promise<readonly string[]> {
    if (this.#kept !== undefined && performance.now() - this.#readAt < this.#everyMs) {
      return this.#kept;
    }
    this.#kept = await this.#read().catch(error => {
      // The file may be temporarily missing or incomplete. The previous tokens are used until the next read.
      if (this.#kept === undefined) {
        throw error;
      }
      return this.#kept;
    });
    this.#readAt = performance.now();
    return this.#kept;
  }
}

/** Throws ConfigError unless there are one or two tokens of sufficient length. */
export function checkTokens(tokens: readonly string[], source: string): readonly string[] {
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
