// The lifecycle of a Cluster with the audit webhook of a real API server as event source.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { prepareAuditFiles, writeWebhookKubeconfig } from '../../local/audit/files.ts';
import type { Summary } from '../../local/counters.ts';
import { describeReal } from '../support/describe-real.ts';
import { playLife } from '../support/life.ts';
import { errorsOf, startLocalRun } from '../support/local-run.ts';
import { type RealControlPlane, startControlPlane } from '../support/real-control-plane.ts';
import { startTcpRelay, type TcpRelay } from '../support/tcp-relay.ts';
import { connectWorldClient, type WorldClient } from '../support/world-client.ts';

const policyFile = path.resolve(import.meta.dirname, '../../infra/kubernetes/audit/policy.yaml');

describeReal('a Cluster whose API server posts audit events', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'capi-audit-'));
  let controlPlane: RealControlPlane;
  let client: WorldClient;
  let args: readonly string[];
  let relay: TcpRelay;
  /** A local run writes its own address into this file. */
  let runsKubeconfig: string;

  beforeAll(async () => {
    relay = await startTcpRelay();
    const files = await prepareAuditFiles(folder);
    runsKubeconfig = files.kubeconfigFile;
    const kubeconfigFile = path.join(folder, 'relayed.kubeconfig');
    writeWebhookKubeconfig({ ...files, kubeconfigFile }, `https://127.0.0.1:${relay.port}/`);
    controlPlane = await startControlPlane({
      auditPolicy: parse(readFileSync(policyFile, 'utf8')),
      auditWebhookConfigPath: kubeconfigFile,
    });
    client = await connectWorldClient(controlPlane.kubeconfigPath('admin'));
    const audit = ['--audit-port', '0', '--audit-folder', folder];
    args = ['--kubeconfig', controlPlane.kubeconfigPath('admin'), '--json', '--install-crds', ...audit];
  });

  afterAll(async () => {
    await controlPlane?.stop();
    relay?.close();
    rmSync(folder, { recursive: true });
  });

  // The resync runs every ten minutes, so it cannot replace a lost event.
  it.each([
    { sources: 'audit', name: 'by-audit', reason: 'without any other event source' },
    { sources: 'audit,forwarder', name: 'by-both', reason: 'beside the watches' },
  ])('becomes Provisioned and is deleted completely, $reason', async ({ sources, name }) => {
    const run = startLocalRun({ args: [...args, '--sources', sources] });
    try {
      await run.line(({ event }) => event === 'started');
      relay.target = portIn(runsKubeconfig);
      await playLife(client, name);
    } finally {
      run.interrupt();
    }
    expect(await run.ended).toBe(0);
    expect(run.stderr).toBe('');
    const summary = run.lines.at(-1);
    expect(summary).toMatchObject({
      invocations: { 'audit-webhook': expect.any(Number) },
    });
    const { requests } = summary as unknown as Pick<Summary, 'requests'>; // true: checked above; the last line is a summary
    expect(Object.keys(requests).some(request => request.startsWith('watch '))).toBe(sources.includes('forwarder'));
    expect(errorsOf(run)).toBe('');
  });
});

function portIn(kubeconfigFile: string): number {
  const { clusters } = JSON.parse(readFileSync(kubeconfigFile, 'utf8'));
  return Number(new URL(clusters[0].cluster.server).port);
}
