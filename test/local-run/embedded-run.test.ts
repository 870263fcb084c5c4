// The local run with its embedded API server, as a separate process. Only npm packages are installed.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ObjectRef } from '@capi-serverless/apimachinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handlers } from '../../examples/extension/handlers.ts';
import type { Summary } from '../../local/counters.ts';
import { embeddedKubeconfigPath } from '../../local/embedded.ts';
import { isFull } from '../support/extent.ts';
import { playLife } from '../support/life.ts';
import { errorsOf, type LocalRun, startLocalRun } from '../support/local-run.ts';
import { clusterRef } from '../support/static-provider.ts';
import { connectWorldClient, phaseOf, type WorldClient } from '../support/world-client.ts';

describe('the local run on its own API server', () => {
  describe('with a data file', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'capi-data-'));
    const data = path.join(folder, 'data.json');
    const args = ['--data', data, '--exit-when-ready', '--timeout', '500', '--json'];
    const clusters = new Set(['default/legacy', 'default/managed', 'default/plain', 'default/workers']);

    afterAll(() => rmSync(folder, { recursive: true }));

    it('installs the CRDs, applies the examples and ends with exit code 0 once all are Provisioned', async () => {
      const run = startLocalRun({ args });
      expect(await run.ended).toBe(0);
      expect(run.lines.at(-1)).toMatchObject({ event: 'summary' });
      expect(errorsOf(run)).toBe('');
      const provisioned = run.lines.filter(({ event, phase }) => event === 'cluster' && phase === 'Provisioned');
      expect(new Set(provisioned.map(({ cluster }) => cluster))).toEqual(clusters);
      expect(statSync(data).mode & 0o777).toBe(0o600);
    });

    it('continues from the state of that run, also with one queue and one function for all reconcilers', async () => {
      const run = startLocalRun({ args: [...args, '--layout', 'compact'] });
      expect(await run.ended).toBe(0);
      expect(run.lines.filter(({ event }) => event === 'note')).toEqual([]);
      const seen = run.lines.filter(({ event, provisioned }) => event === 'cluster' && provisioned === true);
      expect(new Set(seen.map(({ cluster }) => cluster))).toEqual(clusters);
    });
  });

  it.runIf(isFull)('runs the example extension server, and ends once its handlers are discovered', async () => {
    const args = ['--with-extension', '--no-examples', '--exit-when-ready', '--timeout', '500', '--json'];
    const run = startLocalRun({ args });
    expect(await run.ended).toBe(0);
    expect(run.lines.at(-1)).toMatchObject({ event: 'summary' });
    expect(errorsOf(run)).toBe('');
    const reported = run.lines.filter(({ event, extension }) => event === 'extension' && extension === 'example');
    expect(reported.at(-1)).toMatchObject({ discovered: true, waitingFor: '' });
    expect(reported.at(-1)?.['handlers']).toEqual(handlers.map(({ name }) => `${name}.example`));
  });

  describe('that keeps running', () => {
    const name = `own-${Math.random().toString(36).slice(2, 8)}`;
    const cluster = clusterRef('default', name);
    const infrastructure: ObjectRef = {
      apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
      kind: 'SimulatedCluster',
      namespace: 'default',
      name,
    };
    let run: LocalRun;
    let client: WorldClient;

    beforeAll(async () => {
      run = startLocalRun({ args: ['--no-examples', '--json'] });
      await run.line(({ event }) => event === 'started');
      client = await connectWorldClient(embeddedKubeconfigPath);
      // The run bundles every function first if no bundles exist.
    });

    afterAll(async () => {
      run.interrupt();
      await run.ended;
    });

    it('writes a kubeconfig that only its owner can read', () => {
      expect(statSync(embeddedKubeconfigPath).mode & 0o777).toBe(0o600);
    });

    it('provisions a Cluster with any name and sets the owner of its infrastructure', async () => {
      await client.create({
        ...infrastructure,
        metadata: { name, namespace: 'default' },
        spec: { provisionSeconds: 0, deletionSeconds: 0 },
      });
      const { apiVersion, kind } = cluster;
      const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'SimulatedCluster', name };
      await client.create({ apiVersion, kind, metadata: { name, namespace: 'default' }, spec: { infrastructureRef } });
      const ready = await client.until(cluster, object => phaseOf(object) === 'Provisioned');
      expect((await client.read(infrastructure))?.metadata.ownerReferences).toEqual([
        { apiVersion, kind, name, uid: ready?.metadata.uid },
      ]);
    });

    it('leaves its files to itself if another run starts', async () => {
      const second = startLocalRun({ args: ['--no-examples', '--json'] });
      const { message } = await second.line(
        ({ event, message: text }) => event === 'note' && /run-2/.test(String(text)),
      );
      expect(message).toContain(`CAPI_LOCAL_FOLDER=${path.join(path.dirname(embeddedKubeconfigPath), 'run-2')}`);
      second.interrupt();
      expect(await second.ended).toBe(0);
      const named = startLocalRun({
        args: ['--no-examples', '--json', '--folder', path.dirname(embeddedKubeconfigPath)],
      });
      expect(await named.ended).toBe(2);
      expect(named.stderr).toContain('is used by another local run');
      expect(await client.read({ apiVersion: 'v1', kind: 'Namespace', name: 'default' })).toBeDefined();
      expect(statSync(embeddedKubeconfigPath).isFile()).toBe(true);
    });

    it('suggests commands with that kubeconfig', async () => {
      const { lines } = await run.line(({ event }) => event === 'advice');
      expect(lines).toContain(`  export KUBECONFIG=${embeddedKubeconfigPath}`);
    });

    it('leaves no objects behind when that Cluster is deleted', async () => {
      await client.remove(cluster);
      await client.until(cluster, object => object === undefined);
      expect(await client.read(infrastructure)).toBeUndefined();
    });

    it('removes the kubeconfig when it ends', async () => {
      run.interrupt();
      expect(await run.ended).toBe(0);
      expect(() => readFileSync(embeddedKubeconfigPath)).toThrow('ENOENT');
    });
  });

  // The resync runs every ten minutes, so it cannot replace a lost event.
  const sourcesOfRuns = [
    { sources: 'forwarder,windowed,audit', watches: true, reason: 'all sources at once' },
    ...(isFull ? [{ sources: 'audit', watches: false, reason: 'the audit webhook alone' }] : []),
  ];
  it.each(sourcesOfRuns)(
    'provisions and deletes a Cluster if changes come from $reason',
    async ({ sources, watches }) => {
      const run = startLocalRun({ args: ['--no-examples', '--json', '--sources', sources] });
      const name = sources.replaceAll(',', '-');
      try {
        await run.line(({ event }) => event === 'started');
        const client = await connectWorldClient(embeddedKubeconfigPath);
        await playLife(client, name);
      } finally {
        run.interrupt();
      }
      expect(await run.ended).toBe(0);
      expect(run.stderr).toBe('');
      const summary = run.lines.at(-1) as unknown as Summary; // true: this is the last line of a successful run
      expect(summary, errorsOf(run)).toMatchObject({
        failedReconciles: 0,
        invocations: { 'audit-webhook': expect.any(Number) },
      });
      expect(Object.keys(summary.requests).some(request => request.startsWith('watch '))).toBe(watches);
    },
  );
});
