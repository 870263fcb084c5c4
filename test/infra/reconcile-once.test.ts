// `capi-serverless reconcile` as a separate process, with the embedded API server.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { startApiServer, writeKubeconfig } from '@capi-serverless/apiserver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { simulatedCrds } from '../../local/provider/crds/index.ts';
import type { ApiServer } from '../../packages/apiserver/server.ts';
import { coreCrds } from '../../shared/api/crds.ts';
import { installDefinitions } from '../support/install-definitions.ts';
import { clusterRef } from '../support/static-provider.ts';
import { raisedLimits } from '../support/time-limits.ts';
import { connectWorldClient, type WorldClient } from '../support/world-client.ts';

const namespace = 'default';
const simulatedKind = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'SimulatedCluster',
} as const;
const simulatedRef = (name: string) => ({ ...simulatedKind, namespace, name });

let server: ApiServer;
let folder: string;
let kubeconfig: string;
let client: WorldClient;

beforeAll(async () => {
  server = await startApiServer();
  folder = mkdtempSync(path.join(tmpdir(), 'capi-reconcile-'));
  kubeconfig = path.join(folder, 'kubeconfig');
  writeKubeconfig(kubeconfig, server.kubeconfig);
  client = await connectWorldClient(kubeconfig);
  await installDefinitions(client.kubernetes, [...coreCrds, ...simulatedCrds]);
});

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function reconcile(...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, ['cli/bin.js', 'reconcile', ...args, '--kubeconfig', kubeconfig], {
    cwd: projectRoot,
    env: { ...process.env, NODE_OPTIONS: '', ...raisedLimits },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

async function reportOf(reconciler: string, name: string) {
  const { code, stdout, stderr } = await reconcile(reconciler, `${namespace}/${name}`, '--json');
  expect(stderr).toBe('');
  return { code, report: JSON.parse(stdout) };
}

/** A Cluster on slow simulated infrastructure. */
async function createPair(name: string, annotations: Readonly<Record<string, string>> = {}): Promise<void> {
  const { apiVersion, kind } = clusterRef(namespace, name);
  const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'SimulatedCluster', name };
  await client.create({
    ...simulatedKind,
    metadata: { namespace, name, annotations },
    spec: { provisionSeconds: 600 },
  });
  await client.create({ apiVersion, kind, metadata: { namespace, name }, spec: { infrastructureRef } });
}

describe('a reconcile on demand', () => {
  it('runs only the given reconciler, and prints each request', async () => {
    await createPair('slow');
    const { code, report } = await reportOf('cluster', 'slow');
    expect({ code, result: report.result, errors: report.errors }).toEqual({ code: 0, result: 'success', errors: [] });
    expect(report.requests[0]).toMatchObject({ verb: 'get', resource: 'clusters', name: 'slow', code: 200 });
    expect(report.requests).toContainEqual(
      expect.objectContaining({ verb: 'patch', resource: 'clusters/status', name: 'slow', code: 200, isWrite: true }),
    );
    expect((await client.read(simulatedRef('slow')))?.metadata.ownerReferences).toMatchObject([{ name: 'slow' }]);
    expect((await client.read(simulatedRef('slow')))?.status).toBeUndefined();
  });

  it('prints the timer of the next reconcile', async () => {
    const { code, report } = await reportOf('simulated-cluster', 'slow');
    expect({ code, result: report.result }).toEqual({ code: 0, result: 'requeue_after' });
    expect(report.followUps).toEqual([
      { queue: 'delay', cause: 'timer', attempt: 0, due: expect.any(String), inSeconds: expect.any(Number) },
    ]);
    expect(report.followUps[0].inSeconds).toBeGreaterThan(60);
  });

  it('prints the same as lines of text', async () => {
    const { code, stdout } = await reconcile('simulated-cluster', `${namespace}/slow`);
    expect(code).toBe(0);
    expect(stdout).toContain(`Reconciler simulated-cluster ran for SimulatedCluster default/slow on ${server.url}\n`);
    expect(stdout).toMatch(/\n {3}1 +get +simulatedclusters +default\/slow +200 +\d+\.\d ms\n/);
    expect(stdout).toMatch(/\n {2}delay: enqueues the object in \d+ min( \d+ s)?, at \S+ \(timer\)\n/);
  });

  it('ends with exit code 1 and the error after a terminal failure', async () => {
    await createPair('broken', { 'simulated.capi-serverless.dev/terminal': 'no such region' });
    await reconcile('cluster', `${namespace}/broken`);
    const { code, report } = await reportOf('simulated-cluster', 'broken');
    expect({ code, result: report.result, followUps: report.followUps }).toEqual({
      code: 1,
      result: 'terminal_error',
      followUps: [],
    });
    expect(report.errors).toMatchObject([
      { message: 'Reconciler error', error: expect.stringContaining('no such region') },
    ]);
  });

  it('ends with exit code 1 and the next retry after a retryable failure', async () => {
    await client.create({
      apiVersion: clusterRef(namespace, 'lost').apiVersion,
      kind: 'Cluster',
      metadata: { namespace, name: 'lost' },
      spec: {
        infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'MissingCluster', name: 'lost' },
      },
    });
    const { code, report } = await reportOf('cluster', 'lost');
    expect({ code, result: report.result }).toEqual({ code: 1, result: 'error' });
    expect(report.errors).toMatchObject([{ message: 'Reconciler error' }]);
    expect(report.followUps).toMatchObject([{ queue: 'delay', cause: 'timer', attempt: 1 }]);
  });

  it('prints the events with their messages', async () => {
    await createPair('reported');
    await client.patch(simulatedRef('reported'), { spec: { provisionSeconds: 0 } });
    await reconcile('cluster', `${namespace}/reported`);
    await reconcile('simulated-cluster', `${namespace}/reported`);
    const { report } = await reportOf('cluster', 'reported');
    expect(report.events).toContainEqual({
      name: expect.stringMatching(/^reported\./),
      type: 'Normal',
      reason: 'Provisioned',
      message: 'Cluster reported is Provisioned',
    });
  });
});

describe('a reconcile on demand that cannot start reports why in one line:', () => {
  it.each([
    {
      args: ['clusters', 'default/slow'],
      reason: 'There is no reconciler "clusters"; known are cluster, clusterclass, clusterresourceset, ',
    },
    { args: ['cluster', 'default/missing'], reason: 'Cluster default/missing does not exist on https://127.0.0.1:' },
    { args: ['cluster'], reason: 'Expected a reconciler and an object: ' },
  ])('$args', async ({ args, reason }) => {
    const { code, stdout, stderr } = await reconcile(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^capi-serverless: [^\n]+[^.\n]\n$/);
    expect(stderr).toContain(reason);
  });
});
