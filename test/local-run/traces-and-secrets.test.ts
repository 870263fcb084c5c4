// The output of a whole local run: one trace from a change to its timers, and no content of a Secret.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Intent } from '@capi-serverless/apimachinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embeddedKubeconfigPath } from '../../local/embedded.ts';
import { toXrayTraceId } from '../../shared/telemetry/xray.ts';
import { type LocalRun, startLocalRun } from '../support/local-run.ts';
import { clusterRef } from '../support/static-provider.ts';
import { connectWorldClient, phaseOf, type WorldClient } from '../support/world-client.ts';

const lastDatagram = 'all spans were received';
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

/** The content itself, and its parts that have the same base64 text at any offset. */
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

describe('a local run that reads Secrets', () => {
  let folder: string;
  let messages: string;
  // The buffer is large enough for the spans of a whole run, because a full buffer drops datagrams.
  const daemon = createSocket({ type: 'udp4', recvBufferSize: 4 * 1024 * 1024 });
  const spans: string[] = [];
  let run: LocalRun;
  let client: WorldClient;
  let events: string;
  let clusterUid: string;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'capi-secrets-'));
    messages = path.join(folder, 'messages');
    daemon.on('message', text => spans.push(text.toString()));
    await new Promise<void>(resolve => daemon.bind(0, '127.0.0.1', resolve));
    const preload = path.resolve(import.meta.dirname, '../support/preload/record-messages.ts');
    run = startLocalRun({
      args: ['--no-examples', '--json'],
      env: {
        NODE_OPTIONS: `--import ${preload}`,
        CAPI_TEST_MESSAGES: messages,
        CAPI_METRICS: 'all',
        CAPI_TRACING: 'xray',
        AWS_XRAY_DAEMON_ADDRESS: `127.0.0.1:${daemon.address().port}`,
      },
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
    await client.until(cluster, object => phaseOf(object) === 'Provisioned');
    events = JSON.stringify(await client.events(namespace));
    const answer = await client.kubernetes.get(cluster);
    clusterUid = answer.ok ? answer.value.metadata.uid : '';
    run.interrupt();
    expect(await run.ended).toBe(0);
    await untilReceived();
  });

  /** Datagrams on loopback arrive in order, so all spans precede this one. */
  async function untilReceived(): Promise<void> {
    daemon.send(lastDatagram, daemon.address().port, '127.0.0.1');
    while (!spans.includes(lastDatagram)) {
      await once(daemon, 'message');
    }
    spans.splice(spans.indexOf(lastDatagram), 1);
  }

  afterAll(() => {
    daemon.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const logLines = () => run.lines.flatMap(({ event, line }) => (event === 'log' ? [toFields(line)] : []));

  const metricLines = () => run.lines.filter(line => '_aws' in line);
  const requests = () =>
    readFileSync(messages, 'utf8')
      .split('\n')
      .flatMap(line =>
        [...line.matchAll(/"MessageBody":("(?:[^"\\]|\\.)*")/g)].map(([, body]) => JSON.parse(body ?? '""')),
      )
      .map(body => toFields(JSON.parse(body)));

  it('reads the Secrets, so it could leak them', () => {
    const read = run.facts().filter(fact => fact.fact === 'request' && fact.resource === 'secrets');
    expect(read).not.toEqual([]);
  });

  it.each([
    { where: 'log lines and progress', text: () => JSON.stringify(run.lines) },
    { where: 'standard error', text: () => `${run.stderr}.` },
    { where: 'observed facts', text: () => JSON.stringify(run.facts()) },
    { where: 'Events', text: () => events },
    { where: 'metrics', text: () => JSON.stringify(metricLines()) },
    { where: 'spans', text: () => spans.join('\n') },
    { where: 'messages', text: () => (existsSync(messages) ? readFileSync(messages, 'utf8') : '') },
  ])('does not leak their content in $where', ({ text }) => {
    const said = text();
    expect(said).not.toBe('');
    expect(forms.filter(form => said.includes(form))).toEqual([]);
  });

  it('sends messages that name the objects', () => {
    expect(readFileSync(messages, 'utf8')).toContain(`\\"name\\":\\"${name}\\"`);
  });

  it('has one trace from the observed change, over its message and the log line of its reconcile, to a span', () => {
    const seen = requests().filter(({ cause, reconciler }) => cause === 'event' && reconciler === 'cluster');
    const reported = seen.filter(({ sources }) => JSON.stringify(sources).includes(`${clusterUid}@`));
    const lines = logLines().filter(line => line['message'] === 'Reconciled' && line['controller'] === 'cluster');
    // The run ends as soon as the Cluster is provisioned, so the last messages may be unprocessed.
    const followed = reported.flatMap(({ trace }) => {
      const line = lines.find(({ trace: first, traces = [first] }) => toList(traces).includes(trace));
      return line === undefined ? [] : [{ trace, line }];
    });
    expect(followed).not.toEqual([]);
    for (const { trace, line } of followed) {
      expect(line).toMatchObject({ namespace, name, causes: expect.arrayContaining(['event']) });
      const ofTrace = spans.map(toSegment).filter(span => span['trace_id'] === toXrayTraceId(String(trace)));
      const [message, reconcile] = ['work-cluster', 'cluster'].map(of => ofTrace.find(span => span['name'] === of));
      expect(reconcile).toMatchObject({ parent_id: message?.['id'], annotations: { namespace, name } });
    }
  });

  it('publishes metrics under names and labels that no user chose', () => {
    expect(metricLines().length).toBeGreaterThan(10);
    expect(metricLines().some(line => 'controller_runtime_reconcile_time_seconds' in line)).toBe(true);
    const dimensions = metricLines().flatMap(line => [
      ...JSON.stringify(line['_aws']).matchAll(/"Dimensions":(\[\[.*?\]\])/g),
    ]);
    const names = new Set(dimensions.flatMap(([, sets]) => JSON.parse(sets ?? '[]').flat()));
    expect([...names].toSorted()).toEqual(['controller', 'deployment', 'name', 'result']);
    expect(JSON.stringify(metricLines())).not.toContain(name);
  });

  it('keeps the trace of a change through its timer to the next reconcile', () => {
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
  return line as Readonly<Record<string, unknown>>; // true: the reporter prints log lines as objects
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** Returns the data after the header of the daemon's protocol. */
function toSegment(datagram: string): Readonly<Record<string, unknown>> {
  return toFields(JSON.parse(datagram.split('\n')[1] ?? '{}'));
}
