// The kubectl output of a Cluster, on the local run's own API server.
import { readFileSync } from 'node:fs';
import type { Unstructured } from '@capi-serverless/apimachinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { viewCluster } from '../../functions/cluster/why/cluster-view.ts';
import { embeddedKubeconfigPath } from '../../local/embedded.ts';
import { type Kubectl, kubectlProblem, withKubectl } from '../ports/apiserver/kubectl.ts';
import { declareMissing } from '../support/describe-part.ts';
import { type LocalRun, startLocalRun } from '../support/local-run.ts';
import { clusterRef } from '../support/static-provider.ts';
import { connectWorldClient } from '../support/world-client.ts';

const suite = 'kubectl on the local run';
const problem = kubectlProblem();
if (problem === undefined) {
  describe(suite, showClusters);
} else {
  declareMissing(suite, problem);
}

function showClusters(): void {
  let run: LocalRun;

  beforeAll(async () => {
    run = startLocalRun({ args: ['--no-examples', '--json'] });
    await run.line(({ event }) => event === 'started');
    await asUser(async kubectl => {
      await kubectl('apply --filename=examples/legacy-contract.yaml');
      await kubectl('apply --filename=-', aUsersKubeconfig('legacy'));
    });
    // The timeout considers a busy machine.
    const client = await connectWorldClient(embeddedKubeconfigPath);
    await client.until(clusterRef('default', 'legacy'), isAvailable);
  });

  afterAll(async () => {
    run.interrupt();
    await run.ended;
  });

  it('returns immediately for a condition that is already true', () =>
    asUser(async kubectl => {
      expect(await kubectl('wait cluster/legacy --for=condition=Available --timeout=300s')).toMatch(
        / condition met\n$/,
      );
    }));

  it('shows a row with phase and availability', () =>
    asUser(async kubectl => {
      const [head = '', row = ''] = (await kubectl('get clusters')).split('\n');
      const cellOf = (title: string): string => row.slice(head.indexOf(title)).split(' ')[0] ?? '';
      expect(row.startsWith('legacy ')).toBe(true);
      expect([cellOf('AVAILABLE'), cellOf('PHASE')]).toEqual(['True', 'Provisioned']);
    }));

  it('describes the Cluster with the events of its reconciles', () =>
    asUser(async kubectl => {
      const described = await kubectl('describe cluster legacy');
      const events = described.slice(described.indexOf('\nEvents:'));
      expect(events).toMatch(/Normal +Provisioned .*cluster-controller +Cluster legacy is Provisioned/);
      expect(events).toMatch(/Normal +InfrastructureReady /);
    }));

  it('waits until a deleted Cluster is removed', () =>
    asUser(async kubectl => {
      const waiting = kubectl('wait cluster/legacy --for=delete --timeout=300s');
      await kubectl('delete cluster legacy --wait=false');
      expect(await waiting).toMatch(/legacy condition met\n$/);
    }));
}

function isAvailable(cluster: Unstructured | undefined): boolean {
  return cluster !== undefined && viewCluster(cluster).available;
}

/** Runs kubectl with a separate home folder. Every call must succeed. */
function asUser(use: (kubectl: (line: string, input?: string) => Promise<string>) => Promise<void>): Promise<void> {
  return withKubectl(embeddedKubeconfigPath, (kubectl: Kubectl) =>
    use(async (line, input) => {
      const answer = await kubectl([...line.split(' '), '--namespace=default'], input);
      expect(answer, `kubectl ${line}: ${answer.stderr}`).toMatchObject({ exitCode: 0 });
      return answer.stdout;
    }),
  );
}

/** The API server of the local run acts as the workload cluster, so that the probe succeeds. */
function aUsersKubeconfig(cluster: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `${cluster}-kubeconfig`, labels: { 'cluster.x-k8s.io/cluster-name': cluster } },
    type: 'cluster.x-k8s.io/secret',
    data: { value: readFileSync(embeddedKubeconfigPath).toString('base64') },
  });
}
