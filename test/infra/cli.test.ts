// What a user sees when a local run cannot start: one line, and an exit code that scripts can rely on.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { help } from '../../infra/local/options.ts';
import { type FaultServer, reply, startFaultServer } from '../support/fault-server.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'capi-cli-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const child = spawn(process.execPath, ['infra/local/main.ts', ...args], {
    cwd: projectRoot,
    env: { ...process.env, KUBECONFIG: '', NODE_OPTIONS: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

function write(name: string, content: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
}

function aKubeconfig(server: string, ca?: string): string {
  return JSON.stringify({
    'current-context': 'x',
    clusters: [
      {
        name: 'x',
        cluster: { server, ...(ca && { 'certificate-authority-data': Buffer.from(ca).toString('base64') }) },
      },
    ],
    users: [{ name: 'x', user: { token: 'canary' } }],
    contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
  });
}

/** The reason that the one line gives. */
async function reasonOf(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string> {
  const { code, stdout, stderr } = await run(args, env);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^capi-serverless: [^\n]+[^.\n]\n$/);
  expect(stderr).not.toContain('canary');
  return stderr.slice('capi-serverless: '.length, -1);
}

it('--help tells the options and starts nothing', async () => {
  expect(await run(['--help'])).toEqual({ code: 0, stdout: help, stderr: '' });
});

describe('a local run that cannot start says why:', () => {
  it('an option that does not exist', async () => {
    expect(await reasonOf(['--kubeconfg', 'x'])).toBe("Unknown option '--kubeconfg'; --help lists the options");
  });

  it('a port in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo; // it listens on a port
    const reason = await reasonOf(['--port', String(port)]);
    taken.close();
    expect(reason).toContain(`Port ${port} cannot be used: listen EADDRINUSE`);
    expect(reason).toContain('choose another --port');
  });

  it('a data file that is broken, without quoting it', async () => {
    const file = write('data.json', '{"v":1,"canary');
    expect(await reasonOf(['--data', file])).toBe(
      `Data file ${file} cannot be used: it is not JSON; name another file, or remove it to start empty`,
    );
  });

  it('a kubeconfig that is not there', async () => {
    const file = path.join(folder, 'nowhere');
    expect(await reasonOf(['--kubeconfig', file])).toContain(`Kubeconfig ${file} cannot be read: ENOENT`);
  });

  it('a kubeconfig that is none', async () => {
    const file = write('kubeconfig-odd', 'token: canary\n  oh: no');
    expect(await reasonOf(['--kubeconfig', file])).toContain(`Kubeconfig ${file}: is neither JSON nor YAML`);
  });

  it('a manifest that is not there', async () => {
    const file = path.join(folder, 'nowhere.yaml');
    const reason = await reasonOf(['--kubeconfig', 'unread', '--apply', file]);
    expect(reason).toContain(`Manifest ${file} cannot be read: ENOENT`);
  });

  it('a manifest that is none, and where', async () => {
    const file = write('odd.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  labels: {}\n');
    expect(await reasonOf(['--kubeconfig', 'unread', '--apply', file])).toBe(
      `${file}: document 1, line 3: metadata.name is missing; give the object a name`,
    );
  });

  it('a server that does not answer', async () => {
    const file = write('kubeconfig-gone', aKubeconfig('https://127.0.0.1:9'));
    const reason = await reasonOf(['--kubeconfig', file]);
    expect(reason).toMatch(/^API server https:\/\/127\.0\.0\.1:9 cannot be reached: .*ECONNREFUSED/);
  });
});

describe('a server that answers, but', () => {
  let server: FaultServer;

  beforeAll(async () => {
    server = await startFaultServer((request, response) => {
      if (request.path.endsWith('/kube-system')) {
        reply(response, 200, { metadata: { name: 'kube-system', uid: 'the-uid' } });
      } else if (request.path.endsWith('/clusters.cluster.x-k8s.io')) {
        reply(response, 200, { metadata: { name: 'clusters.cluster.x-k8s.io' }, spec: { versions: 'none', more: 1 } });
      } else {
        const details = { name: request.path.split('/').at(-1) };
        reply(response, 404, { kind: 'Status', code: 404, reason: 'NotFound', message: 'not found', details });
      }
    });
  });

  afterAll(() => server.close());

  it('lacks definitions or has odd ones, is told about each on the same line', async () => {
    const reason = await reasonOf(['--kubeconfig', write('kubeconfig-odd-server', aKubeconfig(server.url, server.ca))]);
    expect(reason).toContain(
      'CustomResourceDefinition clusters.cluster.x-k8s.io could not be read: ' +
        'CustomResourceDefinition clusters.cluster.x-k8s.io: spec.versions: expected array; upgrade',
    );
    expect(reason).toContain('CustomResourceDefinition machines.cluster.x-k8s.io is not installed; run again with');
  });
});
