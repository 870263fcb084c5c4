import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  makeFunctionsKubeconfig,
  parseFunctionsKubeconfigOptions,
} from '../../../../cli/kubeconfig/functions-kubeconfig.ts';
import { type FaultServer, reply, startFaultServer } from '../../../support/fault-server.ts';

describe('the command line of kubeconfig', () => {
  it('requests a token for 90 days by default', () => {
    expect(parseFunctionsKubeconfigOptions(['--kubeconfig', 'k'])).toEqual({
      kubeconfig: 'k',
      days: 90,
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
    { args: ['--kubeconfig', 'k', '--days', '0'], problem: '--days "0" is not a whole number from 1 to 3650' },
    { args: ['--kubeconfig', 'k', '--days', '4000'], problem: '--days "4000" is not a whole number from 1 to 3650' },
    { args: ['--kubeconfig', 'k', '--days', 'ten'], problem: '--days "ten" is not a whole number from 1 to 3650' },
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

describe('a kubeconfig for functions', () => {
  const expirationTimestamp = '2027-01-01T00:00:00Z';
  let folder: string;
  let file: string;
  let api: FaultServer;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'capi-kubeconfig-'));
    api = await startFaultServer((_request, response) =>
      reply(response, 201, { status: { token: 'a-token', expirationTimestamp } }),
    );
    const cluster = { server: api.url, 'certificate-authority-data': Buffer.from(api.ca).toString('base64') };
    file = path.join(folder, 'config');
    writeFileSync(
      file,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'c', cluster }],
        users: [{ name: 'u', user: { token: 'an-operator' } }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      }),
    );
  });

  afterAll(async () => {
    await api.close();
    rmSync(folder, { recursive: true });
  });

  const make = (server: string | undefined, days = 2) =>
    makeFunctionsKubeconfig({ kubeconfig: file, days, server, account: { namespace: 'a', name: 'b' } });

  it('holds a token of the service account for this number of days, and the authority of the file', async () => {
    const { text } = await make('https://api.example.com:6443');
    const request = api.received.at(-1);
    expect(request?.path).toBe('/api/v1/namespaces/a/serviceaccounts/b/token');
    expect(JSON.parse(request?.body ?? '')).toMatchObject({ spec: { expirationSeconds: 2 * 24 * 3600 } });
    expect(JSON.parse(text)).toMatchObject({
      clusters: [
        {
          cluster: {
            server: 'https://api.example.com:6443',
            'certificate-authority-data': Buffer.from(api.ca).toString('base64'),
          },
        },
      ],
      users: [{ user: { token: 'a-token' } }],
    });
    expect(text).not.toContain('an-operator');
  });

  it.each([
    { server: 'https://api.example.com:6443', isHere: false, reason: 'a name' },
    { server: 'https://10.0.0.1', isHere: false, reason: 'a private address, which a VPC can reach' },
    { server: 'https://localhost:6443', isHere: true, reason: 'the name of this machine' },
    { server: 'https://127.0.0.1:6443', isHere: true, reason: 'a loopback address' },
    { server: 'https://[::1]:6443', isHere: true, reason: 'the loopback address of IPv6' },
    { server: undefined, isHere: true, reason: 'the address of the file, which is on loopback' },
  ])('warns of an address of this machine ($isHere): $reason', async ({ server, isHere }) => {
    const { notes } = await make(server);
    expect(notes[0]).toMatch(
      /^a\/b at https?:\/\/\S+, valid until 2027-01-01T00:00:00\.000Z; run this command again before$/,
    );
    expect(notes.slice(1)).toEqual(isHere ? [expect.stringContaining('functions need --server URL')] : []);
  });

  it.each([
    { days: 90, warnings: [] },
    { days: 91, warnings: [expect.stringMatching(/^Warning: a token for 91 days\. .+ 90 days or less are advised/)] },
  ])('warns of a token for more than 90 days: $days', async ({ days, warnings }) => {
    const { notes } = await make('https://api.example.com:6443', days);
    expect(notes.slice(1)).toEqual(warnings);
    const { spec } = JSON.parse(api.received.at(-1)?.body ?? '');
    expect(spec).toMatchObject({ expirationSeconds: days * 24 * 3600 });
  });
});
