// What a whole local run says: one trace from a change to its timers, and never a word of a Secret.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embeddedKubeconfigPath } from '../../infra/local/embedded.ts';
import type { Intent } from '../../shared/api/object.ts';
import { type LocalRun, startLocalRun } from '../support/local-run.ts';
import { clusterRef } from '../support/static-provider.ts';
import { connectWorldClient, phaseOf, type WorldClient } from '../support/world-client.ts';

const canary = 'c4n4ry-in-a-s3cret';
const namespace = 'default';
const name = 'secretive';
const cluster = clusterRef(namespace, name);
const simulated = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'SimulatedCluster',
  namespace,
  name,
};

/** As it is, and what of it shows in base64 wherever in a longer text it stands. */
const forms = [
  canary,
  ...[0, 1, 2].map(offset =>
    Buffer.from('x'.repeat(offset) + canary)
      .toString('base64')
      .slice(offset === 0 ? 0 : offset + 1, -4),
  ),
];

function aKubeconfig(): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:9', 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'u', user: { token: canary } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  });
}

function aSecret(suffix: string, values: Readonly<Record<string, string>>): Intent {
  const data = Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name: `${name}-${suffix}`, labels: { 'cluster.x-k8s.io/cluster-name': name } },
    type: 'cluster.x-k8s.io/secret',
    data: Object.fromEntries(data),
  };
}

describe('a local run over Secrets that must stay secret', () => {
  let folder: string;
  let messages: string;
  let run: LocalRun;
  let client: WorldClient;
  let events: string;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'capi-secrets-'));
    messages = path.join(folder, 'messages');
    const preload = path.resolve(import.meta.dirname, '../support/preload/record-messages.ts');
    run = startLocalRun({
      args: ['--no-examples', '--json'],
      env: { NODE_OPTIONS: `--import ${preload}`, CAPI_TEST_MESSAGES: messages },
    });
    await run.line(({ event }) => event === 'started');
    client = await connectWorldClient(embeddedKubeconfigPath);
    await client.create(aSecret('kubeconfig', { value: aKubeconfig() }));
    await client.create(aSecret('ca', { 'tls.crt': canary, 'tls.key': canary }));
    await client.create(aSecret('bootstrap', { value: `#cloud-config\n${canary}`, format: 'cloud-config' }));
    const { apiVersion, kind } = simulated;
    await client.create({ apiVersion, kind, metadata: { namespace, name }, spec: { provisionSeconds: 3 } });
    await client.create({
      apiVersion: cluster.apiVersion,
      kind: 'Cluster',
      metadata: { namespace, name },
      spec: { infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind, name } },
    });
    await client.create({
      apiVersion: cluster.apiVersion,
      kind: 'Machine',
      metadata: { namespace, name: `${name}-m`, labels: { 'cluster.x-k8s.io/cluster-name': name } },
      spec: {
        clusterName: name,
        bootstrap: { dataSecretName: `${name}-bootstrap` },
        infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'SimulatedMachine', name },
      },
    });
    await client.until(cluster, object => phaseOf(object) === 'Provisioned', 60);
    events = JSON.stringify(await client.events(namespace));
    run.interrupt();
    expect(await run.ended).toBe(0);
  }, 90_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const logLines = () => run.lines.flatMap(({ event, line }) => (event === 'log' ? [toFields(line)] : []));

  it('reads the Secrets, so that it could tell', () => {
    const read = run.facts().filter(fact => fact.fact === 'request' && fact.resource === 'secrets');
    expect(read).not.toEqual([]);
  });

  it.each([
    { where: 'log lines and progress', text: () => JSON.stringify(run.lines) },
    { where: 'standard error', text: () => `${run.stderr}.` },
    { where: 'observed facts', text: () => JSON.stringify(run.facts()) },
    { where: 'Events', text: () => events },
    { where: 'messages', text: () => (existsSync(messages) ? readFileSync(messages, 'utf8') : '') },
  ])('says nothing of their content in $where', ({ text }) => {
    const said = text();
    expect(said).not.toBe('');
    expect(forms.filter(form => said.includes(form))).toEqual([]);
  });

  it('sends messages that name the objects', () => {
    expect(readFileSync(messages, 'utf8')).toContain(`\\"name\\":\\"${name}\\"`);
  });

  it('keeps the trace of a change through its timer to the reconcile that this wakes', () => {
    const reconciles = logLines().filter(
      line => line['message'] === 'Reconciled' || line['message'] === 'Reconciler error',
    );
    expect(reconciles.length).toBeGreaterThan(0);
    expect(reconciles.filter(line => typeof line['trace'] !== 'string' || line['trace'] === '')).toEqual([]);
    const ofProvider = reconciles.filter(line => line['controller'] === 'simulated-cluster' && line['name'] === name);
    const byTimer = ofProvider.filter(line => String(line['causes']).split(',').includes('timer'));
    expect(byTimer).not.toEqual([]);
    for (const line of byTimer) {
      const traces = Array.isArray(line['traces']) ? line['traces'] : [line['trace']];
      const before = ofProvider.slice(0, ofProvider.indexOf(line)).map(({ trace }) => trace);
      expect(before.filter(trace => traces.includes(trace))).not.toEqual([]);
    }
  });
});

function toFields(line: unknown): Readonly<Record<string, unknown>> {
  return line as Readonly<Record<string, unknown>>; // the reporter prints log lines as objects
}
