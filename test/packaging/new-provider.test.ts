// The lifecycle of a generated provider: it is created, installed, compiled, tested, checked, run and synthesized.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { startApiServer, writeKubeconfig } from '@capi-serverless/apiserver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { describeReal } from '../support/describe-real.ts';
import { installedModules, installPackage } from '../support/installed-package.ts';
import { errorsOf, startLocalRun } from '../support/local-run.ts';
import { startControlPlane } from '../support/real-control-plane.ts';
import { raisedLimits } from '../support/time-limits.ts';

const run = promisify(execFile);
const node = process.execPath;

let home: string;
let folder: string;
let created: { readonly kind: string; readonly folder: string; readonly files: readonly string[] };

beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'capi-new-provider-'));
  folder = path.join(home, 'rack-provider');
  const args = ['cli/bin.js', 'new-provider', 'rack', '--group', 'rack.example.com', '--folder', folder, '--json'];
  const { stdout } = await run(node, args, { cwd: projectRoot, env: { ...process.env, NODE_OPTIONS: '' } });
  created = JSON.parse(stdout);
});

afterAll(() => rm(home, { recursive: true, force: true }));

it('is reported as JSON, and nothing else is printed', () => {
  expect(created).toMatchObject({ kind: 'RackCluster', folder });
});

/** Returns the command of the provider's script with this name, without npm. */
async function script(name: string, ...args: readonly string[]): Promise<string> {
  const { scripts } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  }; // true: npm's format
  const bin = [path.dirname(node), path.join(installedModules, '.bin'), process.env['PATH']].join(':');
  const env = {
    ...process.env,
    PATH: bin,
    NODE_OPTIONS: '',
    CDK_DISABLE_CLI_TELEMETRY: 'true',
    CDK_DISABLE_VERSION_CHECK: 'true',
  };
  return run('sh', ['-c', `${scripts[name] ?? 'exit 1'} "$@"`, 'sh', ...args], { cwd: folder, env }).then(
    ({ stdout }) => stdout,
    (failed: { readonly stdout: string; readonly stderr: string }) => {
      throw new Error(`${name}: ${failed.stdout}${failed.stderr}`);
    },
  );
}

/** The report of `capi-serverless reconcile`. Rejects with its standard error. */
async function reconcile(...args: readonly string[]): Promise<unknown> {
  const command = ['cli/bin.js', 'reconcile', ...args, '--json'];
  const { stdout } = await run(node, command, {
    cwd: projectRoot,
    env: { ...process.env, NODE_OPTIONS: '', ...raisedLimits },
  });
  return JSON.parse(stdout);
}

describe('a new provider', () => {
  it('is written with all placeholders filled in', async () => {
    const written = (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter(entry => entry.isFile())
      .map(entry => path.relative(folder, path.join(entry.parentPath, entry.name)));
    expect(written.sort()).toEqual([...created.files].sort());
    const texts = created.files
      .filter(file => !file.endsWith('.tgz'))
      .map(file => readFile(path.join(folder, file), 'utf8'));
    expect((await Promise.all(texts)).filter(text => /\{\{|\}\}/.test(text))).toEqual([]);
  });

  it('fulfils the provider contract in strict mode', async () => {
    const args = ['cli/bin.js', 'check-contract', '--strict', path.join(folder, 'crds.yaml')];
    const { stdout } = await run(node, args, { cwd: projectRoot });
    expect(stdout).toBe('3 objects checked, 0 errors, 0 warnings\n');
  });

  it('runs before anything is installed, with a separate queue', async () => {
    const running = startLocalRun({
      args: ['--provider', folder, '--exit-when-ready', '--timeout', '500', '--json'],
    });
    expect({ code: await running.ended, stderr: running.stderr }).toEqual({ code: 0, stderr: '' });
    const provisioned = running.lines.filter(({ event, phase }) => event === 'cluster' && phase === 'Provisioned');
    expect(new Set(provisioned.map(({ cluster }) => cluster))).toEqual(new Set(['default/rack']));
    expect(running.lines.find(({ event }) => event === 'started')?.['reconcilers']).toContain('rack-cluster');
    expect(running.lines.at(-1), errorsOf(running)).toMatchObject({
      event: 'summary',
      failedReconciles: 0,
      invocations: { 'rack-cluster': expect.any(Number) },
    });
  });

  it('can be reconciled manually, in addition to our reconcilers', async () => {
    const server = await startApiServer();
    try {
      const kubeconfig = path.join(home, 'reconcile-kubeconfig');
      writeKubeconfig(kubeconfig, server.kubeconfig);
      const examples = created.files.filter(file => file.startsWith('examples/')).map(file => path.join(folder, file));
      const target = ['--provider', folder, '--kubeconfig', kubeconfig];
      const ready = ['--install-crds', '--exit-when-ready', '--timeout', '500', '--json'];
      const running = startLocalRun({ args: [...target, ...ready, ...examples.flatMap(file => ['--apply', file])] });
      expect({ code: await running.ended, stderr: running.stderr }).toEqual({ code: 0, stderr: '' });
      // The cloud of the provider is in the memory of a process. This is another process, so it creates the network
      // again.
      expect(await reconcile('rack-cluster', 'default/rack', ...target)).toMatchObject({
        reconciler: 'rack-cluster',
        object: { kind: 'RackCluster', namespace: 'default', name: 'rack' },
        result: 'requeue_after',
        acknowledged: true,
        errors: [],
        followUps: [{ queue: 'delay', cause: 'timer', attempt: 0 }],
      });
      await expect(reconcile('rack-cluster', 'default/rack', '--kubeconfig', kubeconfig)).rejects.toThrow(
        /There is no reconciler "rack-cluster"; known are cluster, .+; --provider FOLDER adds those of your own provider\n$/,
      );
    } finally {
      await server.stop();
    }
  });

  describe('once its packages are installed', () => {
    beforeAll(async () => {
      const tarball = created.files.find(file => file.endsWith('.tgz')) ?? expect.unreachable();
      await installPackage(path.join(folder, tarball), folder);
    });

    it('compiles', async () => {
      expect(await script('typecheck')).toBe('');
    });

    it('passes its tests and the conformance suite', async () => {
      const reported = await script('test');
      expect(Number(/^\D*pass (\d+)$/m.exec(reported)?.[1])).toBeGreaterThan(20);
      expect(reported).toMatch(/^\D*fail 0$/m);
      expect(reported).toMatch(/^\D*skipped 0$/m);
    });

    it('passes the suite on a remote server, and again on the objects that the first run left there', async () => {
      const server = await startApiServer();
      const kubeconfig = path.join(home, 'kubeconfig');
      writeKubeconfig(kubeconfig, server.kubeconfig);
      try {
        expect(await script('conformance', '--kubeconfig', kubeconfig)).toMatch(/^\D*fail 0$/m);
        expect(await script('conformance', '--kubeconfig', kubeconfig)).toMatch(/^\D*fail 0$/m);
      } finally {
        await server.stop();
      }
    });

    describeReal('a new provider with kube-apiserver', () => {
      it('passes the suite', async () => {
        const plane = await startControlPlane({ controllers: false });
        try {
          const reported = await script('conformance', '--kubeconfig', plane.kubeconfigPath('admin'));
          expect(reported).toMatch(/^\D*fail 0$/m);
        } finally {
          await plane.stop();
        }
      });
    });

    it('is synthesised into a stack, with its roles', async () => {
      await script('synth', '--no-notices');
      const template = JSON.parse(await readFile(path.join(folder, 'cdk.out/RackProvider.template.json'), 'utf8')) as {
        readonly Resources: Readonly<
          Record<string, { readonly Type: string; readonly Properties: { readonly FunctionName?: string } }>
        >;
      }; // true: a CloudFormation template
      const functions = Object.values(template.Resources).flatMap(({ Type, Properties }) =>
        Type === 'AWS::Lambda::Function' ? [Properties.FunctionName] : [],
      );
      expect(functions.sort()).toEqual([
        'rack-provider-rack-cluster',
        'rack-provider-resync',
        'rack-provider-timer',
        'rack-provider-windowed-forwarder',
      ]);
      expect(await readFile(path.join(folder, 'dist/rbac.yaml'), 'utf8')).toContain('- rackclusters/status');
    });
  });
});
