// The commands in the section "Deploy" of the README for a self-managed management cluster, on a real API server. They
// create the service account, its kubeconfig, and a first Cluster that a function reconciles with this kubeconfig.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../../infra/bundles/bundle.ts';
import { parseManifests } from '../../../local/manifests.ts';
import { coreCrds } from '../../../shared/api/crds.ts';
import { applyAll, generatedManifests, runProgram } from '../../support/deployment-steps.ts';
import { installDefinitions } from '../../support/install-definitions.ts';
import { argumentsOf, deployCommands } from '../../support/page-commands.ts';
import type { RealControlPlane } from '../../support/real-control-plane.ts';
import { connectWorldClient, type WorldClient } from '../../support/world-client.ts';

const commands = deployCommands('self-managed');

export function describeDeployCommands(plane: () => RealControlPlane): void {
  describe('the commands of a deployment, in a management cluster of one’s own', () => holdCommands(plane));
}

function holdCommands(plane: () => RealControlPlane): void {
  let client: WorldClient;
  let folder: string;
  let kubeconfig: string;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'capi-deploy-'));
    kubeconfig = path.join(folder, 'functions.kubeconfig');
    client = await connectWorldClient(plane().kubeconfigPath('admin'));
    await installDefinitions(client.kubernetes, coreCrds);
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  function askForKubeconfig() {
    const [, options = ''] = /capi-serverless kubeconfig (.*?) \|/.exec(commands.join('\n')) ?? [];
    const file = plane().kubeconfigPath('admin');
    return runProgram('kubeconfig', options.replace('~/.kube/config', file).split(' '));
  }

  it('request no kubeconfig of an account that does not exist', () => {
    const { status, stdout, stderr } = askForKubeconfig();
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain('there is no such account; run kubectl apply -k infra/kubernetes/account first');
  });

  it('create an account and its kubeconfig, which only the next program receives', async () => {
    await applyAll(client.kubernetes, generatedManifests(/^(rbac|account)\//));
    const { status, stdout, stderr } = askForKubeconfig();
    expect(status).toBe(0);
    const { token } = JSON.parse(stdout).users[0].user;
    expect(stderr).toMatch(/^capi-serverless\/functions at https:\S+, valid until 2\d{3}-/);
    expect(stderr).toContain('is an address of this machine: functions need --server URL');
    expect(stderr).not.toContain(token);
    writeFileSync(kubeconfig, stdout, { mode: 0o600 });
  });

  it('let a function reconcile a Cluster with that kubeconfig', async () => {
    const [file = ''] = argumentsOf(commands, 'kubectl apply -f');
    await applyAll(client.kubernetes, parseManifests(readFileSync(path.join(projectRoot, file), 'utf8'), file));
    const { status, stderr } = runProgram('reconcile', ['cluster', 'default/first', '--kubeconfig', kubeconfig]);
    expect(stderr).toBe('');
    expect(status).toBe(0);
    const ref = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace: 'default', name: 'first' };
    expect(await client.read(ref)).toMatchObject({
      metadata: { finalizers: ['cluster.cluster.x-k8s.io'] },
      status: { phase: 'Provisioning', conditions: expect.anything() },
    });
  });

  it('grant the account exactly the rights that the functions need', async () => {
    const { kubernetes } = await connectWorldClient(kubeconfig);
    const may = async (apiVersion: string, kind: string): Promise<boolean> =>
      (await kubernetes.list({ apiVersion, kind })).ok;
    expect(await may('cluster.x-k8s.io/v1beta2', 'Cluster')).toBe(true);
    expect(await may('v1', 'Secret')).toBe(false);
    expect(await may('rbac.authorization.k8s.io/v1', 'ClusterRole')).toBe(false);
  });
}
