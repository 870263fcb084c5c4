import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect } from '../../../local/connect.ts';
import { UsageError } from '../../../local/usage-error.ts';
import { type FaultServer, reply, type Script, startFaultServer } from '../../support/fault-server.ts';

let dir: string;
let server: FaultServer | undefined;

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'capi-connect-'));
});

afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(dir, { recursive: true, force: true });
});

const kubeSystem: Script = (_request, response) =>
  reply(response, 200, { metadata: { name: 'kube-system', uid: 'the-uid' } });

function refusing(code: number, reason: string, message: string): Script {
  return (_request, response) => reply(response, code, { kind: 'Status', status: 'Failure', code, reason, message });
}

async function serve(script: Script): Promise<FaultServer> {
  server = await startFaultServer(script);
  return server;
}

/** Returns a kubeconfig for the server with this user. */
function write(user: unknown, { url, ca }: Pick<FaultServer, 'url' | 'ca'>): string {
  const file = path.join(dir, 'config');
  const cluster = { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  writeFileSync(
    file,
    JSON.stringify({
      'current-context': 'x',
      clusters: [{ name: 'x', cluster }],
      users: [{ name: 'x', user }],
      contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
    }),
  );
  return file;
}

/** Returns an exec plugin that prints this output. */
function printing(output: string): Readonly<Record<string, unknown>> {
  const args = ['-e', `process.stdout.write(${JSON.stringify(output)})`];
  return { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: process.execPath, args } };
}

describe('connecting', () => {
  it('identifies the management cluster by the uid of kube-system, and does not copy a plain kubeconfig', async () => {
    const file = write({ token: 'secret' }, await serve(kubeSystem));
    const connection = await connect(file);
    expect(connection).toMatchObject({ managementCluster: 'the-uid', server: server?.url, kubeconfigPath: file });
    expect(server?.received).toMatchObject([
      { path: '/api/v1/namespaces/kube-system', headers: { authorization: 'Bearer secret' } },
    ]);
    await connection.close();
    expect(readFileSync(file, 'utf8')).toContain('secret');
  });

  it('makes a path absolute, because functions may run elsewhere', async () => {
    const file = write({ token: 'secret' }, await serve(kubeSystem));
    const connection = await connect(path.relative(process.cwd(), file));
    expect(connection.kubeconfigPath).toBe(file);
    await connection.close();
  });

  it('runs an exec plugin and keeps its credentials in a file until the connection is closed', async () => {
    const answer = JSON.stringify({ status: { token: 'of-the-plugin' } });
    const connection = await connect(write(printing(answer), await serve(kubeSystem)));
    expect(server?.received).toMatchObject([{ headers: { authorization: 'Bearer of-the-plugin' } }]);
    const plain = connection.kubeconfigPath;
    expect(JSON.parse(readFileSync(plain, 'utf8'))).toMatchObject({ users: [{ user: { token: 'of-the-plugin' } }] });
    await connection.close();
    expect(() => readFileSync(plain)).toThrow('ENOENT');
  });

  it('runs no plugin of a user that is not the current one', async () => {
    const file = write({ token: 'secret' }, await serve(kubeSystem));
    const config = JSON.parse(readFileSync(file, 'utf8'));
    config.users.push({ name: 'other', user: { exec: { command: '/does/not/exist' } } });
    writeFileSync(file, JSON.stringify(config, undefined, 2));
    const connection = await connect(file);
    expect(connection.kubeconfigPath).toBe(file);
    await connection.close();
  });
});

describe('a connection that cannot be made', () => {
  async function problemOf(file: string): Promise<string> {
    const thrown = await connect(file).then(
      () => 'connected',
      (error: unknown) => error,
    );
    expect(thrown).toBeInstanceOf(UsageError);
    return String(thrown);
  }

  it('names the file that cannot be read', async () => {
    const file = path.join(dir, 'nowhere');
    expect(await problemOf(file)).toContain(`Kubeconfig ${file} cannot be read: ENOENT`);
  });

  it('names the field of the file that is wrong', async () => {
    const file = path.join(dir, 'config');
    writeFileSync(file, 'clusters: none\n');
    expect(await problemOf(file)).toMatch(/clusters: has another type than expected/);
  });

  it('names the plugin that fails', async () => {
    const file = write(printing('no credentials'), { url: 'https://127.0.0.1:9', ca: 'x' });
    expect(await problemOf(file)).toMatch(/answered no ExecCredential/);
  });

  it('names a server that does not answer', async () => {
    const gone = await serve(kubeSystem);
    const file = write({ token: 'secret' }, gone);
    await gone.close();
    server = undefined;
    expect(await problemOf(file)).toMatch(new RegExp(`API server ${gone.url} cannot be reached: .*ECONNREFUSED`));
  });

  it.each([
    { code: 401, reason: 'Unauthorized' },
    { code: 403, reason: 'Forbidden' },
  ])('reports that the server refuses the user: $reason', async ({ code, reason }) => {
    const file = write({ token: 'secret' }, await serve(refusing(code, reason, 'not you')));
    const problem = await problemOf(file);
    expect(problem).toMatch(new RegExp(`API server ${server?.url} refuses this user: .*not you`));
    expect(problem).not.toContain('secret');
  });
});
