import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFunctionsKubeconfig, parseFunctionsKubeconfigOptions } from '../../../../cli/kubeconfig/kubeconfig.ts';

describe('the command line of kubeconfig', () => {
  it('requests a token for one year by default', () => {
    expect(parseFunctionsKubeconfigOptions(['--kubeconfig', 'k'])).toEqual({
      kubeconfig: 'k',
      days: 365,
      server: undefined,
      account: { namespace: 'capi-serverless', name: 'functions' },
    });
    const all = ['--kubeconfig', 'k', '--days', '30', '--server', 'https://api.example.com:6443', '--account', 'a/b'];
    expect(parseFunctionsKubeconfigOptions(all)).toEqual({
      kubeconfig: 'k',
      days: 30,
      server: 'https://api.example.com:6443',
      account: { namespace: 'a', name: 'b' },
    });
    expect(parseFunctionsKubeconfigOptions(['--help'])).toBe('help');
  });

  it.each([
    { args: [], problem: 'Which API server? Pass --kubeconfig FILE; --help lists the options' },
    { args: ['--kubeconfig', 'k', '--days', '0'], problem: '--days "0" is no whole number from 1 to 3650' },
    { args: ['--kubeconfig', 'k', '--days', '4000'], problem: '--days "4000" is no whole number from 1 to 3650' },
    { args: ['--kubeconfig', 'k', '--days', 'ten'], problem: '--days "ten" is no whole number from 1 to 3650' },
    {
      args: ['--kubeconfig', 'k', '--server', 'http://api.example.com'],
      problem: '--server "http://api.example.com" is not the https address of an API server',
    },
    { args: ['--kubeconfig', 'k', '--account', 'x'], problem: '"x" names no object; write it as NAMESPACE/NAME' },
    { args: ['--kubeconfig', 'k', '--user', 'x'], problem: "Unknown option '--user'" },
  ])('is refused: $problem', ({ args, problem }) => {
    expect(() => parseFunctionsKubeconfigOptions(args)).toThrow(problem);
  });
});

describe('a kubeconfig that cannot be used', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'capi-kubeconfig-'));
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  const make = (kubeconfig: string) =>
    makeFunctionsKubeconfig({ kubeconfig, days: 1, server: undefined, account: { namespace: 'a', name: 'b' } });

  it('is named when it is not there', async () => {
    const missing = path.join(folder, 'missing');
    await expect(make(missing)).rejects.toThrow(`Kubeconfig ${missing} cannot be read: ENOENT`);
  });

  it('is named when it leads nowhere', async () => {
    const file = path.join(folder, 'empty');
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'Config', clusters: [], contexts: [], users: [] }));
    await expect(make(file)).rejects.toThrow(`Kubeconfig ${file}: its current context names no cluster`);
  });
});
