// k9s shows the objects of a local run, as a user sees them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { embeddedKubeconfigPath } from '../../local/embedded.ts';
import { findK9s } from '../k9s/k9s.ts';
import { declareMissing } from '../support/describe-part.ts';
import { type LocalRun, startLocalRun } from '../support/local-run.ts';
import { clusterRef } from '../support/static-provider.ts';
import { startInTerminal, type TerminalProgram, terminalProblem } from '../support/terminal.ts';
import { conditionOf, connectWorldClient, type WorldClient } from '../support/world-client.ts';
import { createShownCluster } from './shown-cluster.ts';

const suite = 'k9s beside a local run';
const found = findK9s();
const problem = 'missing' in found ? found.missing : terminalProblem();
if ('program' in found && problem === undefined) {
  describe(suite, () => showObjects(found.program));
} else {
  declareMissing(suite, String(problem), { isOptional: true });
}

const screens = path.join(projectRoot, 'dist/k9s');

/** k9s would look for a newer release in the internet. */
const config = {
  k9s: { skipLatestRevCheck: true, refreshRate: 2, ui: { logoless: true, splashless: true, noIcons: true } },
};

function showObjects(program: string): void {
  let run: LocalRun;
  let client: WorldClient;
  let k9s: TerminalProgram;
  const home = mkdtempSync(path.join(tmpdir(), 'capi-k9s-'));

  beforeAll(async () => {
    run = startLocalRun({ args: ['--no-examples', '--json'] });
    await run.line(({ event }) => event === 'started');
    client = await connectWorldClient(embeddedKubeconfigPath);
    await createShownCluster(client, 'v1.35.0');
    await client.until(clusterRef('default', 'shown'), object => conditionOf(object, 'Available') === 'True');
    writeFileSync(path.join(home, 'config.yaml'), JSON.stringify(config)); // JSON is YAML.
    k9s = startInTerminal([program, '--namespace', 'default', '--command', 'clusters'], {
      PATH: process.env['PATH'],
      HOME: home,
      KUBECONFIG: path.resolve(projectRoot, embeddedKubeconfigPath),
      K9S_CONFIG_DIR: home,
      K9S_LOGS_DIR: home,
    });
  });

  afterAll(async () => {
    await k9s?.stop();
    run?.interrupt();
    await run?.ended;
    rmSync(home, { recursive: true, force: true });
  });

  function keep(name: string, screen: string): void {
    mkdirSync(screens, { recursive: true });
    writeFileSync(path.join(screens, `${name}.txt`), `${screen}\n`);
  }

  it('shows the Cluster with its phase', async () => {
    keep('clusters', await k9s.until('the Cluster', screen => /\bshown .*\bProvisioned\b/.test(screen)));
  });

  it('shows the Machines with their phases, and a new one by itself', async () => {
    k9s.type(':machines\r');
    const running = (screen: string): number => screen.match(/\bshown-.* Running\b/g)?.length ?? 0;
    keep('machines', await k9s.until('four Machines', screen => running(screen) === 4));
    const machineDeployments = [{ class: 'worker', name: 'front', replicas: 4 }];
    await client.patch(clusterRef('default', 'shown'), { spec: { topology: { workers: { machineDeployments } } } });
    await k9s.until('a fifth Machine', screen => running(screen) === 5);
  });

  it.each([
    { typed: 'nodes', shown: 'node' },
    { typed: 'pods', shown: 'pod' },
    { typed: 'services', shown: 'service' },
    { typed: 'serviceaccounts', shown: 'serviceaccount' },
    { typed: 'configmaps', shown: 'configmap' },
    { typed: 'namespaces', shown: 'namespace' },
    { typed: 'events', shown: 'event' },
    { typed: 'crds', shown: 'customresourcedefinition' },
  ])('shows $typed without an error', async ({ typed, shown }) => {
    k9s.type(`:${typed}\r`);
    const screen = await k9s.until(typed, text => text.includes(`<${shown}>`));
    expect(screen).not.toMatch(/forbidden|the server|unable|could not/i);
  });

  it('describes a Machine and shows its YAML', async () => {
    k9s.type(':machines\r');
    await k9s.until('Machines', screen => /\bshown-.* Running\b/.test(screen));
    k9s.type('y');
    await k9s.until('YAML', screen => screen.includes('apiVersion: cluster.x-k8s.io/v1beta2'));
    k9s.type('\u001b');
    await k9s.until('Machines again', screen => /\bshown-.* Running\b/.test(screen));
    k9s.type('d');
    keep(
      'describe',
      await k9s.until('a description', screen => /API Version: +cluster\.x-k8s\.io\/v1beta2/.test(screen)),
    );
  });
}
