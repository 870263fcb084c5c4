import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTokens } from '../../../../shared/lambda/tokens.ts';

const [first, second, third] = ['first-token-of-the-file', 'second-token-of-the-file', 'third-token-of-the-file'];

describe('tokens of the environment', () => {
  const fromEnvironment = (tokens: readonly string[] | undefined) =>
    createTokens('CAPI_AUDIT_TOKENS', { file: undefined, secret: undefined, tokens }).current();

  it('are the values of the variable', async () => {
    expect(await fromEnvironment([first, second])).toEqual([first, second]);
  });

  it.each([
    { tokens: undefined, says: 'set CAPI_AUDIT_TOKENS_FILE, CAPI_AUDIT_TOKENS_SECRET or CAPI_AUDIT_TOKENS' },
    { tokens: [], says: 'holds 0 tokens, not one or two' },
    { tokens: [first, second, third], says: 'holds 3 tokens, not one or two' },
    { tokens: ['short'], says: 'shorter than 20 characters' },
    { tokens: [`${first} with spaces`], says: 'no bearer token' },
  ])('are rejected without being quoted: $says', async ({ tokens, says }) => {
    const error = await fromEnvironment(tokens).catch(thrown => String(thrown));
    expect(error).toContain(says);
    expect(error).not.toContain(first);
  });
});

describe('tokens of a file', () => {
  let folder: string;
  let file: string;
  let now = 0;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'capi-tokens-'));
    file = path.join(folder, 'tokens');
    vi.spyOn(performance, 'now').mockImplementation(() => now);
  });

  afterEach(() => {
    vi.restoreAllMocks();
    rmSync(folder, { recursive: true });
  });

  it('take precedence over those of the environment, one per line', async () => {
    writeFileSync(file, `${first}\n  ${second} \n\n`);
    expect(await createTokens('CAPI_AUDIT_TOKENS', { file, secret: undefined, tokens: [third] }).current()).toEqual([
      first,
      second,
    ]);
  });

  it('are reloaded when the file changes, at most once a second', async () => {
    writeFileSync(file, first);
    const tokens = createTokens('CAPI_AUDIT_TOKENS', { file, secret: undefined, tokens: undefined });
    expect(await tokens.current()).toEqual([first]);
    writeFileSync(file, second);
    expect(await tokens.current()).toEqual([first]);
    now += 1_000;
    expect(await tokens.current()).toEqual([second]);
  });

  it('are kept while the file is unusable', async () => {
    writeFileSync(file, first);
    const tokens = createTokens('CAPI_AUDIT_TOKENS', { file, secret: undefined, tokens: undefined });
    await tokens.current();
    for (const broken of ['', 'short']) {
      writeFileSync(file, broken);
      now += 1_000;
      expect(await tokens.current()).toEqual([first]);
    }
    rmSync(file);
    now += 1_000;
    expect(await tokens.current()).toEqual([first]);
  });

  it('must exist at the start', async () => {
    const tokens = createTokens('CAPI_AUDIT_TOKENS', { file, secret: undefined, tokens: undefined });
    await expect(tokens.current()).rejects.toThrow(/^CAPI_AUDIT_TOKENS_FILE cannot be read: ENOENT/);
    writeFileSync(file, first);
    expect(await tokens.current()).toEqual([first]);
  });
});

describe('tokens of a secret', () => {
  const secret = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:tokens-AbCdEf';
  let now = 0;
  let value: string | Error;
  let reads: string[];

  beforeEach(() => {
    reads = [];
    vi.spyOn(performance, 'now').mockImplementation(() => now);
  });

  afterEach(() => vi.restoreAllMocks());

  const ofSecret = () =>
    createTokens('CAPI_AUDIT_TOKENS', { file: undefined, secret, tokens: undefined }, async arn => {
      reads.push(arn);
      if (value instanceof Error) {
        throw value;
      }
      return value;
    });

  it('are one per line, read at most once a minute', async () => {
    value = `${first}\n${second}\n`;
    const tokens = ofSecret();
    expect(await tokens.current()).toEqual([first, second]);
    value = third;
    now += 59_999;
    expect(await tokens.current()).toEqual([first, second]);
    now += 1;
    expect(await tokens.current()).toEqual([third]);
    expect(reads).toEqual([secret, secret]);
  });

  it('stay valid while Secrets Manager does not answer', async () => {
    value = first;
    const tokens = ofSecret();
    await tokens.current();
    value = new Error('throttled');
    now += 60_000;
    expect(await tokens.current()).toEqual([first]);
  });

  it('are rejected with the name of the secret if it holds none', async () => {
    value = '';
    await expect(ofSecret().current()).rejects.toThrow(`CAPI_AUDIT_TOKENS_SECRET ${secret} holds 0 tokens`);
  });
});
