// A new provider as its author gets it: written, installed, compiled, tested, checked, run and synthesised.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { writeKubeconfig } from '../../infra/local/apiserver/http/kubeconfig.ts';
import { startApiServer } from '../../infra/local/apiserver/server.ts';
import { createProvider, packPackage } from '../../infra/new-provider/create.ts';
import { describeReal } from '../support/describe-real.ts';
import { installedModules, installPackage } from '../support/installed-package.ts';
import { startLocalRun } from '../support/local-run.ts';
import { startControlPlane } from '../support/real-control-plane.ts';

const run = promisify(execFile);
const node = process.execPath;

let home: string;
let folder: string;
let files: readonly string[];

beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'capi-new-provider-'));
  folder = path.join(home, 'rack-provider');
  files = await createProvider({ name: 'rack', group: 'rack.example.com', folder }, packPackage);
}, 180_000);

afterAll(() => rm(home, { recursive: true, force: true }));

/** What the provider's script of that name runs, without npm. */
async function script(name: string, ...args: readonly string[]): Promise<string> {
  const { scripts } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  }; // of npm's form
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

/** The report of `npm run reconcile`. Rejects with what it says on stderr. */
async function reconcile(...args: readonly string[]): Promise<unknown> {
  const command = ['infra/local/reconcile-main.ts', ...args, '--json'];
  const { stdout } = await run(node, command, { cwd: projectRoot, env: { ...process.env, NODE_OPTIONS: '' } });
  return JSON.parse(stdout);
}

describe('a new provider', () => {
  it('is written with all that it says', async () => {
    const written = (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter(entry => entry.isFile())
      .map(entry => path.relative(folder, path.join(entry.parentPath, entry.name)));
    expect(written.sort()).toEqual([...files].sort());
    const texts = files.filter(file => !file.endsWith('.tgz')).map(file => readFile(path.join(folder, file), 'utf8'));
    expect((await Promise.all(texts)).filter(text => /\{\{|\}\}/.test(text))).toEqual([]);
  });

  it('fulfils the provider contract, strictly', async () => {
    const args = ['infra/local/check-contract-main.ts', '--strict', path.join(folder, 'crds.yaml')];
    const { stdout } = await run(node, args, { cwd: projectRoot });
    expect(stdout).toBe('3 objects checked, 0 errors, 0 warnings\n');
  });

  it('runs at once, before anything is installed, behind a queue of its own', async () => {
    const running = startLocalRun({
      args: ['--provider', folder, '--exit-when-ready', '--timeout', '60', '--json'],
    });
    expect({ code: await running.ended, stderr: running.stderr }).toEqual({ code: 0, stderr: '' });
    const provisioned = running.lines.filter(({ event, phase }) => event === 'cluster' && phase === 'Provisioned');
    expect(new Set(provisioned.map(({ cluster }) => cluster))).toEqual(new Set(['default/rack']));
    expect(running.lines.find(({ event }) => event === 'started')?.['reconcilers']).toContain('rack-cluster');
    expect(running.lines.at(-1)).toMatchObject({
      event: 'summary',
      failedReconciles: 0,
      invocations: { 'rack-cluster': expect.any(Number) },
    });
  }, 180_000);

  it('is woken by hand, beside our reconcilers', async () => {
    const server = await startApiServer();
    try {
      const kubeconfig = path.join(home, 'woken-kubeconfig');
      writeKubeconfig(kubeconfig, server.kubeconfig);
      const examples = files.filter(file => file.startsWith('examples/')).map(file => path.join(folder, file));
      const target = ['--provider', folder, '--kubeconfig', kubeconfig];
      const ready = ['--install-crds', '--exit-when-ready', '--timeout', '60'];
      const running = startLocalRun({ args: [...target, ...ready, ...examples.flatMap(file => ['--apply', file])] });
      expect({ code: await running.ended, stderr: running.stderr }).toEqual({ code: 0, stderr: '' });
      // Its cloud is in the memory of a process, and this is another one: there the network begins to be made again.
      expect(await reconcile('rack-cluster', 'default/rack', ...target)).toMatchObject({
        reconciler: 'rack-cluster',
        object: { kind: 'RackCluster', namespace: 'default', name: 'rack' },
        result: 'requeue_after',
        acknowledged: true,
        errors: [],
        followUps: [{ queue: 'delay', cause: 'timer', attempt: 0 }],
      });
      await expect(reconcile('rack-cluster', 'default/rack', '--kubeconfig', kubeconfig)).rejects.toThrow(
        /There is no reconciler "rack-cluster"; known are cluster, .+; --provider FOLDER brings those of a provider of your own\n$/,
      );
    } finally {
      await server.stop();
    }
  }, 180_000);

  describe('once its packages are there', () => {
    beforeAll(async () => {
      const tarball = files.find(file => file.endsWith('.tgz')) ?? expect.unreachable();
      await installPackage(path.join(folder, tarball), folder);
    });

    it('compiles', async () => {
      expect(await script('typecheck')).toBe('');
    }, 120_000);

    it('passes its tests and the conformance suite', async () => {
      const told = await script('test');
      expect(Number(/^\D*pass (\d+)$/m.exec(told)?.[1])).toBeGreaterThan(20);
      expect(told).toMatch(/^\D*fail 0$/m);
      expect(told).toMatch(/^\D*skipped 0$/m);
    }, 120_000);

    it('passes the suite on a server that it reaches over the network, and again on what that left', async () => {
      const server = await startApiServer();
      const kubeconfig = path.join(home, 'kubeconfig');
      writeKubeconfig(kubeconfig, server.kubeconfig);
      try {
        expect(await script('conformance', '--kubeconfig', kubeconfig)).toMatch(/^\D*fail 0$/m);
        expect(await script('conformance', '--kubeconfig', kubeconfig)).toMatch(/^\D*fail 0$/m);
      } finally {
        await server.stop();
      }
    }, 180_000);

    describeReal('a new provider with kube-apiserver', () => {
      it('passes the suite, too', async () => {
        const plane = await startControlPlane({ controllers: false });
        try {
          const told = await script('conformance', '--kubeconfig', plane.kubeconfigPath('admin'));
          expect(told).toMatch(/^\D*fail 0$/m);
        } finally {
          await plane.stop();
        }
      }, 180_000);
    });

    it('is synthesised into a stack, and its roles are written', async () => {
      await script('synth', '--no-notices');
      const template = JSON.parse(await readFile(path.join(folder, 'cdk.out/RackProvider.template.json'), 'utf8')) as {
        readonly Resources: Readonly<
          Record<string, { readonly Type: string; readonly Properties: { readonly FunctionName?: string } }>
        >;
      }; // CloudFormation
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
    }, 180_000);
  });
});
