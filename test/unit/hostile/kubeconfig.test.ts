// Kubeconfigs in Secrets that a tenant may write: too large, malformed, and with secrets in every field.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { createSigner } from '../../../shared/certificates/x509/lazy-signer.ts';
import { KubeconfigError, readInlineKubeconfig } from '../../../shared/kubernetes/credentials/kubeconfig.ts';
import { createWorkload } from '../../../shared/kubernetes/rest/workload.ts';

const canary = 'c4n4ry';
const signal = new AbortController().signal;
let output: string[];

/** Records all output of the process. */
beforeEach(() => {
  output = [];
  const print = (...args: readonly unknown[]): true => {
    output.push(args.map(String).join(' '));
    return true;
  };
  vi.spyOn(process, 'emitWarning').mockImplementation(print);
  vi.spyOn(process.stderr, 'write').mockImplementation(print);
  vi.spyOn(process.stdout, 'write').mockImplementation(print);
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    vi.spyOn(console, method).mockImplementation(print);
  }
});

afterEach(() => {
  vi.restoreAllMocks();
});

function aKubeconfig(user: Readonly<Record<string, unknown>> = {}, server = 'https://127.0.0.1:1'): object {
  return {
    'current-context': `${canary}-context`,
    contexts: [{ name: `${canary}-context`, context: { cluster: `${canary}-cluster`, user: `${canary}-user` } }],
    clusters: [{ name: `${canary}-cluster`, cluster: { server: `${server}/${canary}` } }],
    users: [{ name: `${canary}-user`, user: { token: canary, ...user } }],
    extensions: [{ name: canary, extension: { [canary]: canary } }],
  };
}

async function errorOf(text: string): Promise<string | undefined> {
  const error: unknown = await readInlineKubeconfig('in Secret ns/c1-kubeconfig', text).then(
    () => undefined,
    thrown => thrown,
  );
  if (error === undefined) {
    return undefined;
  }
  expect(error).toBeInstanceOf(KubeconfigError);
  // The error with its stack, its fields and its causes, as a log may print it.
  expect(`${String((error as Error).stack)} ${JSON.stringify(error)}`).not.toContain(canary);
  expect((error as Error).cause).toBeUndefined(); // true: checked above
  return (error as Error).message;
}

const yaml = stringify(aKubeconfig());
const json = JSON.stringify(aKubeconfig());

const malformed: readonly { readonly reason: string; readonly text: string; readonly problem: RegExp }[] = [
  { reason: 'no mapping', text: canary, problem: /another type/ },
  { reason: 'an unresolved tag', text: `!${canary} {}`, problem: /current-context: is not set/ },
  { reason: 'an unknown anchor', text: `users: *${canary}`, problem: /neither JSON nor YAML/ },
  { reason: 'a tag that does not fit', text: `users: !!int ${canary}`, problem: /neither JSON nor YAML/ },
  { reason: 'an unclosed quote', text: `users: "${canary}`, problem: /neither JSON nor YAML/ },
  { reason: 'an unclosed brace', text: `{"users": {"${canary}`, problem: /neither JSON nor YAML/ },
  { reason: 'a tab', text: `users:\n\t- ${canary}: |\n`, problem: /neither JSON nor YAML/ },
  { reason: 'control characters', text: `${canary}: \u0000`, problem: /neither JSON nor YAML/ },
  { reason: 'an unknown directive', text: `%${canary}\n---\n{}`, problem: /neither JSON nor YAML/ },
  {
    reason: 'a token of another type',
    text: stringify(aKubeconfig({ token: [canary] })),
    problem: /users.0.user.token/,
  },
  {
    reason: 'an unknown context',
    text: yaml.replace(/current-context: .*/, `current-context: ${canary}x`),
    problem: /names a context/,
  },
  {
    reason: 'an unknown cluster',
    text: yaml.replace(/ {4}cluster: .*-cluster\n/, `    cluster: ${canary}x\n`),
    problem: /contexts\[0\].context.cluster: names a cluster/,
  },
  {
    reason: 'an unknown user',
    text: yaml.replace(/ {6}user: .*-user\n/, `      user: ${canary}x\n`),
    problem: /contexts\[0\].context.user: names a user/,
  },
  { reason: 'a plugin', text: stringify(aKubeconfig({ exec: { command: canary } })), problem: /users\[0\].user.exec/ },
  { reason: 'a file', text: stringify(aKubeconfig({ tokenFile: `/${canary}` })), problem: /users\[0\].user.tokenFile/ },
  {
    reason: 'a token with a line break',
    text: stringify(aKubeconfig({ token: `${canary}\n${canary}` })),
    problem: /users\[0\].user.token/,
  },
  {
    reason: 'a certificate without PEM',
    text: stringify(aKubeconfig({ 'client-certificate-data': btoa(canary) })),
    problem: /no PEM block/,
  },
  { reason: 'a server that is not a URL', text: yaml.replace('https://127.0.0.1:1', canary), problem: /not the URL/ },
];

describe('a kubeconfig in a Secret', () => {
  it.each(malformed)(
    'is refused without a word of its text, and nothing is printed: $reason',
    async ({ text, problem }) => {
      expect(await errorOf(text)).toMatch(problem);
      expect(output).toEqual([]);
    },
  );

  it.each([
    { form: 'YAML', text: yaml },
    { form: 'JSON', text: json },
  ])('is refused without a word of its text wherever its $form is cut off or broken', async ({ text }) => {
    const broken = ['', '{', '"', '\n\t', ': [', '\n!!binary ', '\n&a *b', '\u0001'];
    for (let at = 0; at < text.length; at += 7) {
      const insert = broken[at % broken.length] ?? '';
      await errorOf(text.slice(0, at) + insert);
      await errorOf(text.slice(0, at) + insert + text.slice(at));
    }
    expect(output).toEqual([]);
  });

  it('is not printed either where it is valid, with equal keys and unknown tags as kubectl takes them', async () => {
    const text = `${yaml}x: !${canary} y\nx: !${canary} z\n`;
    expect(await errorOf(text)).toBeUndefined();
    expect(output).toEqual([]);
  });

  it('shows only the address of the server if it does not answer', async () => {
    const target = { cluster: 'uid', origin: 'in Secret ns/c1-kubeconfig', version: '1' };
    const workload = createWorkload({ userAgent: 'test', addresses: 'any' });
    const probe = await workload.probe({ ...target, kubeconfig: yaml }, signal);
    expect(probe).toMatchObject({
      ok: false,
      error: expect.stringMatching(/^GET https:\/\/127.0.0.1:1\/: .*ECONNREFUSED/),
    });
    expect(JSON.stringify(probe)).not.toContain(canary);
  });
});

describe('a kubeconfig of more than 64 KiB', () => {
  it.each([
    { reason: '98 KB of keys', text: Array.from({ length: 12_250 }, (_, at) => `k${at}: v`).join('\n') },
    { reason: '900 KB', text: `a: ${'b'.repeat(900_000)}` },
    { reason: '33,000 characters of two bytes', text: 'ä'.repeat(33_000) },
  ])('is refused before it is parsed: $reason', async ({ text }) => {
    expect(await errorOf(text)).toBe(
      'Kubeconfig in Secret ns/c1-kubeconfig: has more than 64 KiB; leave one cluster, one user and one context in it',
    );
    expect(await createSigner().inspect(text)).toBeUndefined();
  });

  it('is one byte above the largest', async () => {
    const padded = (bytes: number): string => yaml + ' '.repeat(bytes - Buffer.byteLength(yaml));
    expect(await errorOf(padded(64 * 1024))).toBeUndefined();
    expect(await errorOf(padded(64 * 1024 + 1))).toMatch(/more than 64 KiB/);
  });
});
