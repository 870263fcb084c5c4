// Errors at the start of a local run: one line of text, and an exit code for scripts.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHelp } from '../../cli/start/options.ts';
import { projectRoot } from '../../infra/bundles/bundle.ts';
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
  const child = spawn(process.execPath, ['cli/bin.js', 'start', ...args], {
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

const steps = /^(?:\d\d:\d\d:\d\d {2}[A-Z][^\n]+\n)*/;

/** The error in the last line, after the lines of earlier steps. */
async function reasonOf(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string> {
  const { code, stdout, stderr: output } = await run(args, env);
  const stderr = output.replace(steps, '');
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^capi-serverless: [^\n]+[^.\n]\n$/);
  expect(stderr).not.toContain('canary');
  return stderr.slice('capi-serverless: '.length, -1);
}

it('prints its options with --help, and starts nothing', async () => {
  expect(await run(['--help'])).toEqual({ code: 0, stdout: startHelp, stderr: '' });
});

it('prints only the reason with --json', async () => {
  const { code, stdout, stderr } = await run(['--json', '--kubeconfig', 'nowhere']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^capi-serverless: [^\n]+\n$/);
});

describe('a local run that cannot start reports:', () => {
  it('an unknown option', async () => {
    expect(await reasonOf(['--kubeconfg', 'x'])).toBe("Unknown option '--kubeconfg'; --help lists the options");
  });

  it('a port in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo; // true: it listens on a port
    const reason = await reasonOf(['--port', String(port)]);
    taken.close();
    expect(reason).toContain(`Port ${port} cannot be used: listen EADDRINUSE`);
    expect(reason).toContain('choose another --port');
  });

  it('a broken data file, without quoting it', async () => {
    const file = write('data.json', '{"v":1,"canary');
    expect(await reasonOf(['--data', file])).toBe(
      `Data file ${file} cannot be used: it is not JSON; name another file, or remove it to start empty`,
    );
  });

  it('a missing kubeconfig', async () => {
    const file = path.join(folder, 'nowhere');
    expect(await reasonOf(['--kubeconfig', file])).toContain(`Kubeconfig ${file} cannot be read: ENOENT`);
  });

  it('an invalid kubeconfig', async () => {
    const file = write('kubeconfig-odd', 'token: canary\n  oh: no');
    expect(await reasonOf(['--kubeconfig', file])).toContain(`Kubeconfig ${file}: is neither JSON nor YAML`);
  });

  it('a missing manifest', async () => {
    const file = path.join(folder, 'nowhere.yaml');
    const reason = await reasonOf(['--kubeconfig', 'unread', '--apply', file]);
    expect(reason).toContain(`Manifest ${file} cannot be read: ENOENT`);
  });

  it('an invalid manifest, and where', async () => {
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

  it('lacks definitions or has outdated ones: each is reported on the same line', async () => {
    const reason = await reasonOf(['--kubeconfig', write('kubeconfig-odd-server', aKubeconfig(server.url, server.ca))]);
    expect(reason).toContain(
      'CustomResourceDefinition clusters.cluster.x-k8s.io could not be read: ' +
        'CustomResourceDefinition clusters.cluster.x-k8s.io: spec.versions: expected array; upgrade',
    );
    expect(reason).toContain('CustomResourceDefinition machines.cluster.x-k8s.io is not installed; run again with');
  });
});

describe('the executable on a Node version other than 24', () => {
  /** Simulates Node version 20. */
  const asOldNode = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } })`;

  function runBin(bin: string, args: readonly string[]) {
    const env = { ...process.env, NODE_OPTIONS: '' };
    return spawnSync(process.execPath, ['--import', asOldNode, bin, ...args], {
      cwd: projectRoot,
      env,
      encoding: 'utf8',
    });
  }

  it('restarts on the Node that npm ci installs, and ends with its exit code', () => {
    expect(runBin('cli/bin.js', ['cost', '--json'])).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringMatching(/^\{/),
    });
  });

  it('reports the missing Node version in one line', () => {
    const cli = path.join(folder, 'checkout/cli');
    for (const file of ['bin.js', 'bundled.js', 'installed-node.js', 'package.json']) {
      cpSync(path.join(projectRoot, 'cli', file), path.join(cli, file));
    }
    const { status, stdout, stderr } = runBin(path.join(cli, 'bin.js'), ['cost']);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^capi-serverless: needs Node 24 or later and runs on 20\.19\.0; [^\n]+\n$/);
  });
});

it('is found under its name and as a plugin of kubectl once npm ci has run', () => {
  for (const name of ['capi-serverless', 'kubectl-capi_serverless']) {
    const { status, stdout } = spawnSync(path.join(projectRoot, 'node_modules/.bin', name), ['help'], {
      encoding: 'utf8',
    });
    expect({ status, firstLine: stdout.split('\n')[0] }).toEqual({
      status: 0,
      firstLine: 'Usage: capi-serverless COMMAND [options]',
    });
  }
});
