// `capi-serverless plan` as a separate process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { startApiServer, writeKubeconfig } from '@capi-serverless/apiserver';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { coreCrds } from '../../shared/api/crds.ts';
import { aCluster } from '../support/builders.ts';
import { installCrd } from '../support/memory-api.ts';
import { raisedLimits } from '../support/time-limits.ts';

async function plan(...args: readonly string[]) {
  const child = spawn(process.execPath, ['cli/bin.js', 'plan', ...args], {
    cwd: projectRoot,
    env: { ...process.env, NODE_OPTIONS: '', ...raisedLimits },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

describe('capi-serverless plan', () => {
  it('plans an example from its file, without any API server', async () => {
    const { code, stdout } = await plan('--files', 'examples/plain-cluster.yaml', 'cluster', 'default/plain');
    expect(code).toBe(0);
    expect(stdout).toContain('1. patch Cluster default/plain (finalizer:add)');
    expect(stdout).toContain('It would make 6 writes in 3 passes.');
  });

  it.each([
    {
      args: ['--files', 'examples/plain-cluster.yaml', 'cluster', 'default/other'],
      problem: 'Cluster default/other does not exist in examples/plain-cluster.yaml',
    },
    { args: ['--files', 'no-such.yaml', 'cluster', 'default/plain'], problem: 'no-such.yaml cannot be read' },
    { args: ['cluster', 'plain', '--kubeconfig', 'k'], problem: '"plain" names no object' },
  ])('ends with code 2 and one line: $problem', async ({ args, problem }) => {
    const { code, stdout, stderr } = await plan(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^capi-serverless: [^\n]*\n$/);
    expect(stderr).toContain(problem);
  });

  it('reads from the given API server, and changes nothing there', async () => {
    const server = await startApiServer({ port: 0 });
    const folder = mkdtempSync(path.join(tmpdir(), 'capi-plan-'));
    try {
      for (const crd of coreCrds) {
        installCrd(server.core, crd);
      }
      const { apiVersion, kind } = aCluster().build();
      server.core.create(server.core.registry.endpointOfKind(apiVersion, kind), 'default', {
        ...aCluster().in('default').intent(),
      });
      const kubeconfig = path.join(folder, 'kubeconfig');
      writeKubeconfig(kubeconfig, server.kubeconfig);
      const before = server.core.resourceVersion();
      const { code, stdout } = await plan('--kubeconfig', kubeconfig, 'cluster', 'default/c1', '--json');
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        object: 'Cluster default/c1',
        source: server.url,
        passes: [{ actions: [{ id: 'finalizer:add' }] }, { pass: 2 }, { pass: 3 }],
      });
      expect(server.core.resourceVersion()).toBe(before);
    } finally {
      await server.stop();
      rmSync(folder, { recursive: true });
    }
  });
});
