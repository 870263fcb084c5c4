// The rollout commands of upstream's clusterctl, and `kubectl scale`, on the local run.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type ObjectRef, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { embeddedKubeconfigPath } from '../../local/embedded.ts';
import { findClusterctl } from '../clusterctl/clusterctl.ts';
import { kubectlProblem, withKubectl } from '../ports/apiserver/kubectl.ts';
import { describePart } from '../support/describe-part.ts';
import { type LocalRun, startLocalRun } from '../support/local-run.ts';
import { connectWorldClient, type WorldClient } from '../support/world-client.ts';

const name = 'workers-md-0';
const deployment: ObjectRef = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineDeployment',
  namespace: 'default',
  name,
};
const newVersion = 'v1.35.1';
const missingKubectl = kubectlProblem();
const found = missingKubectl === undefined ? findClusterctl() : { missing: missingKubectl };
const runProgram = promisify(execFile);

describePart('clusterctl on the local run', found, {
  part: 'clusterctl and kubectl',
  declare: ({ program }) => declareRollouts(program),
});

function declareRollouts(program: string): void {
  const home = mkdtempSync(path.join(tmpdir(), 'capi-clusterctl-'));
  let run: LocalRun;
  let client: WorldClient;

  beforeAll(async () => {
    run = startLocalRun({ args: ['--no-examples', '--json'] });
    await run.line(({ event }) => event === 'started');
    client = await connectWorldClient(embeddedKubeconfigPath);
    await kubectl('apply', '--filename=examples/cluster-with-machines.yaml');
    await untilComplete(2);
  });

  afterAll(async () => {
    run.interrupt();
    await run.ended;
    rmSync(home, { recursive: true });
  });

  function kubectl(...args: readonly string[]): Promise<void> {
    return withKubectl(embeddedKubeconfigPath, async call => {
      const answer = await call([...args, '--namespace=default']);
      expect(answer, answer.stderr).toMatchObject({ exitCode: 0 });
    });
  }

  function clusterctl(...args: readonly string[]) {
    const env = { HOME: home, PATH: process.env['PATH'] ?? '', CLUSTERCTL_DISABLE_VERSIONCHECK: 'true' };
    const target = ['--namespace=default', `--kubeconfig=${embeddedKubeconfigPath}`];
    return runProgram(program, [...args, ...target], { env });
  }

  async function rollout(verb: 'pause' | 'resume' | 'restart'): Promise<void> {
    await clusterctl('alpha', 'rollout', verb, `machinedeployment/${name}`);
  }

  /** Waits until all Machines are available and up to date, and no other Machine is left. */
  function untilComplete(replicas: number, wish: (object: Unstructured) => boolean = () => true): Promise<unknown> {
    return client.until(deployment, object => {
      const counts = ['replicas', 'availableReplicas', 'upToDateReplicas'].map(at => valueAt(object?.status, at));
      return object !== undefined && isObserved(object) && counts.every(count => count === replicas) && wish(object);
    });
  }

  function isObserved({ metadata, status }: Unstructured): boolean {
    return valueAt(status, 'observedGeneration') === metadata.generation;
  }

  async function setsOf(): Promise<readonly string[]> {
    const answer = await client.kubernetes.list({ ...deployment, kind: 'MachineSet', namespace: 'default' });
    return answer.ok ? answer.value.map(({ metadata }) => metadata.name) : [answer.failure.message];
  }

  function untilGone(set: string): Promise<unknown> {
    return client.until({ ...deployment, kind: 'MachineSet', name: set }, object => object === undefined);
  }

  it('clusterctl move finds the Cluster with its objects', async () => {
    const { stdout, stderr } = await clusterctl('move', `--to-directory=${home}`, '--dry-run', '-v=1');
    expect(`${stdout}${stderr}`).toMatch(/Clusters=1\b/);
  });

  it('kubectl scale changes the number of Machines', async () => {
    await kubectl('scale', `machinedeployment/${name}`, '--replicas=1');
    await untilComplete(1);
    expect(await setsOf()).toHaveLength(1);
  });

  it('a paused rollout does not begin', async () => {
    const before = await setsOf();
    await rollout('pause');
    expect(valueAt((await client.read(deployment))?.spec, 'paused')).toBe(true);
    await client.patch(deployment, { spec: { template: { spec: { version: newVersion } } } });
    await client.until(deployment, object => object !== undefined && isObserved(object));
    expect(await setsOf()).toEqual(before);
  });

  it('a resumed rollout replaces the Machines', async () => {
    const [before = ''] = await setsOf();
    await rollout('resume');
    await untilGone(before);
    await untilComplete(1, ({ status }) => JSON.stringify(valueAt(status, 'versions')).includes(newVersion));
    expect(await setsOf()).toHaveLength(1);
  });

  it('a restart replaces the Machines of the same template', async () => {
    const [before = ''] = await setsOf();
    await rollout('restart');
    expect(valueAt((await client.read(deployment))?.spec, 'rollout.after')).toEqual(expect.any(String));
    await untilGone(before);
    await untilComplete(1);
    expect(await setsOf()).toHaveLength(1);
  });
}
