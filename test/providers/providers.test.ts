// The stories of a Cluster with upstream's kubeadm and development providers: with upstream's core manager, with the functions
// beside its webhooks, and with functions and admission policies in its place. Each story must end as with upstream's manager.
import { writeSync } from 'node:fs';
import path from 'node:path';
import type { Intent, ObjectRef } from '@capi-serverless/apimachinery';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { kubectlProblem, withKubectl } from '../ports/apiserver/kubectl.ts';
import { describePart } from '../support/describe-part.ts';
import { errorsOf, type LocalRun, startLocalRun } from '../support/local-run.ts';
import { isInOwnNetwork } from '../support/own-network.ts';
import { startWebhookFunctions, type WebhookFunctions } from '../support/webhook-functions.ts';
import { functionsUser, managerUser } from '../take-over/installation.ts';
import { switchWebhooks } from '../take-over/switch-webhooks.ts';
import { findUpstream, type Upstream } from '../upstream-manager/manager.ts';
import { findProviders, type UpstreamProviders } from '../upstream-providers/providers.ts';
import { type DeployedRun, type DeployedSource, grantRoles, reconcilerUsers, runDeployed } from './deployed-roles.ts';
import { type StoryRig, startStoryRig } from './rig.ts';
import { created, deleted, type Story, stories, upgraded } from './stories.ts';
import { currentClient, olderClient, olderResource, type StoryClient, succeed } from './story-clients.ts';
import { firstTopology, namespace } from './story-cluster.ts';
import { StoryLog } from './story-log.ts';

const token = 'the-token-in-the-path-of-webhooks';
const clusterKind = 'cluster.x-k8s.io/v1beta2';

interface StoryOptions {
  readonly toClient?: (rig: StoryRig) => StoryClient;
  /** Default: all stories. */
  readonly selected?: readonly Story[];
}

interface Parts {
  readonly upstream: Upstream;
  readonly providers: UpstreamProviders;
}

function findParts(): Parts | { readonly missing: string } {
  const missing = isInOwnNetwork
    ? kubectlProblem()
    : 'no network namespace (unshare, ip) is available here, or it was not started by "npm run test:providers"';
  if (missing !== undefined) {
    return { missing };
  }
  const [upstream, providers] = [findUpstream(), findProviders()];
  if ('missing' in upstream) {
    return upstream;
  }
  return 'missing' in providers ? providers : { upstream, providers };
}

describePart("a Cluster with upstream's providers", findParts(), {
  part: "upstream's manager and providers in their own network",
  declare({ upstream, providers }) {
    let rig: StoryRig;
    let run: LocalRun;
    let functions: WebhookFunctions;
    const logs = new Map<string, StoryLog>();
    const baseline = "upstream's core manager";

    /** Every story, or some, with a comparison of its end with that of the baseline. */
    function declareStories(
      core: string,
      users: readonly string[],
      { toClient = currentClient, selected = stories }: StoryOptions = {},
    ): void {
      let client: StoryClient;
      beforeAll(() => {
        client = toClient(rig);
        logs.set(core, new StoryLog(rig, users, path.join(projectRoot, 'dist/providers', core)));
      });

      it.each(selected)('$name', async ({ name, topology, remediates }) => {
        const act = (): Promise<unknown> => {
          if (topology === undefined) {
            return client.remove();
          }
          const write = name === created ? client.create : client.change;
          return remediates ? rig.replaceWorker() : write(topology);
        };
        await logs.get(core)?.run(name, topology, act);
        expect(logs.get(core)?.endStateOf(name)).toEqual(logs.get(baseline)?.endStateOf(name));
      });
    }

    async function startRun(): Promise<void> {
      run = startLocalRun({
        args: ['--kubeconfig', rig.installation.controlPlane.kubeconfigPath(functionsUser), '--json'],
        env: { CAPI_FEATURE_GATES: 'ClusterTopology=true,RuntimeSDK=false' },
      });
      await run.line(({ event }) => event === 'started');
    }

    async function stopRun(): Promise<void> {
      run?.interrupt();
      await run?.ended;
    }

    const admin = (): string => rig.installation.controlPlane.kubeconfigPath('admin');

    async function takeOver(): Promise<void> {
      functions = await startWebhookFunctions(rig.installation.controlPlane.kubeconfigPath(functionsUser), [token]);
      const args = ['take-over', ...functions.argsWith(token), '--policies', 'defaults'];
      expect(await switchWebhooks(admin(), args)).toEqual([]);
    }

    /** The functions check Clusters, and policies set the defaults of a Machine. */
    async function expectAdmission(): Promise<void> {
      const { kubernetes } = rig.installation.client;
      const options = { fieldManager: 'test', force: false };
      const refused = await kubernetes.dryRun.apply(aClusterOfNoClass, options);
      expect(refused).toMatchObject({
        ok: false,
        failure: { message: expect.stringContaining(' denied the request') },
      });
      const defaulted = await kubernetes.dryRun.apply(aMachine, options);
      expect(defaulted).toMatchObject({ value: { metadata: { labels: { 'cluster.x-k8s.io/cluster-name': 'any' } } } });
    }

    beforeAll(async () => {
      rig = await startStoryRig(upstream, providers);
    });

    afterAll(async () => {
      for (const [core, log] of logs) {
        writeSync(1, `\n${[core, ...log.lines()].join('\n')}\n`);
        log.close();
      }
      await stopRun();
      await functions?.stop();
      await rig?.stop();
    });

    describe(`with ${baseline}`, () => {
      declareStories(baseline, [managerUser]);
    });

    describe('with the functions beside its webhooks', () => {
      beforeAll(async () => {
        await rig.installation.restartManager('nothing');
        await startRun();
      });

      declareStories('the functions beside its webhooks', [functionsUser]);

      it('the functions log no error', () => expect(errorsOf(run)).toBe(''));
    });

    describe.each<{ readonly source: DeployedSource; readonly selected: readonly string[] }>([
      { source: 'watch-forwarder', selected: [created, upgraded, deleted] },
      { source: 'windowed-forwarder', selected: [created, deleted] },
    ])('with deployed functions under their generated roles, and the $source', ({ source, selected }) => {
      let deployed: DeployedRun;

      beforeAll(async () => {
        await stopRun();
        if (source === 'watch-forwarder') {
          await grantRoles(rig.installation);
        }
        deployed = await runDeployed(rig.installation, source);
      });

      afterAll(() => deployed?.stop());

      declareStories(`deployed functions and the ${source}`, reconcilerUsers, {
        selected: stories.filter(({ name }) => selected.includes(name)),
      });

      it('no right is missing, and nothing fails', () => {
        expect([deployed.refused(), deployed.errors()]).toEqual([[], []]);
      });
    });

    describe('with functions and policies, without a manager, for a client of v1beta1', () => {
      beforeAll(async () => {
        await startRun();
        for (const folder of ['default-gates', 'defaults']) {
          const policies = path.join(projectRoot, 'infra/kubernetes/policies', folder);
          await withKubectl(admin(), kubectl => succeed(kubectl, ['apply', '-k', policies]));
        }
        await takeOver();
        await rig.installation.stopManager();
        // An API server uses changed configurations a moment later.
        await vi.waitFor(expectAdmission, { timeout: 60_000, interval: 200 });
      });

      declareStories('functions and policies', [functionsUser], { toClient: olderClient });

      it('the functions log no error', () => expect(errorsOf(run)).toBe(''));
    });

    describe('while the webhook functions do not answer', () => {
      beforeAll(async () => {
        // The managed fields of a client of v1beta1 would be lost: see docs/runbook.md, "The conversion webhook does not answer".
        await currentClient(rig).create(firstTopology);
        await rig.reach(firstTopology);
        await rig.settle(firstTopology);
        await functions.stop();
      });

      declareOutage({
        rig: () => rig,
        run: () => run,
        restore: async () => {
          await takeOver();
          await vi.waitFor(expectAdmission, { timeout: 60_000, interval: 200 });
        },
      });
    });
  },
});

const aClusterOfNoClass: Intent = {
  apiVersion: clusterKind,
  kind: 'Cluster',
  metadata: { namespace, name: 'refused' },
  spec: { topology: { classRef: { name: 'missing' }, version: 'no-version' } },
};

const aMachine: Intent = {
  apiVersion: clusterKind,
  kind: 'Machine',
  metadata: { namespace, name: 'defaulted' },
  spec: {
    clusterName: 'any',
    bootstrap: { dataSecretName: 'any' },
    infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'DevMachine', name: 'any' },
  },
};

interface Outage {
  readonly rig: () => StoryRig;
  readonly run: () => LocalRun;
  /** Lets the functions answer again. */
  readonly restore: () => Promise<void>;
}

/** What docs/runbook.md and docs/admission-policies.md say about webhooks that do not answer. */
function declareOutage({ rig, run, restore }: Outage): void {
  const probe = { metadata: { labels: { probe: '1' } } };
  const failedCall = (webhook: string): string => `failed calling webhook "${webhook}.cluster.x-k8s.io"`;

  it('writes of Clusters, ClusterClasses and ExtensionConfigs are refused, and deletions of the first two', async () => {
    const { installation, ref, clusterClass } = rig();
    const { client } = installation;
    const classRef: ObjectRef = { ...ref, kind: 'ClusterClass', name: clusterClass.metadata.name };
    await expect(client.patch(ref, probe)).rejects.toThrow(failedCall('default.cluster'));
    await expect(client.remove(ref)).rejects.toThrow(failedCall('validation.cluster'));
    await expect(client.patch(classRef, probe)).rejects.toThrow(failedCall('validation.clusterclass'));
    await expect(client.remove(classRef)).rejects.toThrow(failedCall('validation.clusterclass'));
    const extension = {
      apiVersion: 'runtime.cluster.x-k8s.io/v1beta2',
      kind: 'ExtensionConfig',
      metadata: { name: 'refused' },
      spec: { clientConfig: { url: 'https://127.0.0.1:1' } },
    };
    await expect(client.create(extension)).rejects.toThrow(failedCall('default.extensionconfig.runtime.addons'));
  });

  it('reads, writes of status and of scale go on', async () => {
    const { installation, ref, settle } = rig();
    expect(await installation.client.patch(ref, { status: { phase: 'Provisioned' } }, 'status')).toMatchObject({
      status: { phase: 'Provisioned' },
    });
    const deployment = (await settle(firstTopology)).find(({ kind }) => kind === 'MachineDeployment');
    await withKubectl(installation.controlPlane.kubeconfigPath('admin'), kubectl =>
      succeed(kubectl, [
        ...['scale', 'machinedeployments.v1beta2.cluster.x-k8s.io', deployment?.metadata.name ?? ''],
        ...[`--namespace=${namespace}`, '--replicas=2', '--dry-run=server'],
      ]),
    );
  });

  it('a deleted Machine is replaced', async () => {
    const { installation, reach, settle } = rig();
    const { client } = installation;
    const machine = (await settle(firstTopology)).find(
      ({ kind, metadata: { labels = {} } }) => kind === 'Machine' && 'cluster.x-k8s.io/deployment-name' in labels,
    );
    const ref = { apiVersion: clusterKind, kind: 'Machine', namespace, name: machine?.metadata.name ?? '' };
    await client.remove(ref);
    await client.until(ref, object => object === undefined);
    await reach(firstTopology);
  });

  it('requests in v1beta1 fail', async () => {
    const { installation } = rig();
    await withKubectl(installation.controlPlane.kubeconfigPath('admin'), async kubectl => {
      for (const [plural, kind] of [
        ['clusters', 'Cluster'],
        ['machines', 'Machine'],
      ] as const) {
        const { exitCode, stderr } = await kubectl(['get', olderResource(plural), `--namespace=${namespace}`]);
        expect(exitCode).toBe(1);
        expect(stderr).toContain(`conversion webhook for ${clusterKind}, Kind=${kind} failed`);
      }
    });
  });

  it('the functions log nothing but refused writes', () => {
    const others = errorsOf(run())
      .split('; ')
      .filter(line => line !== '' && !line.includes('failed calling webhook'));
    expect(others).toEqual([]);
  });

  it('everything goes on when they answer again', async () => {
    await restore();
    const { installation, ref, settle } = rig();
    await installation.client.patch(ref, probe);
    await installation.client.remove(ref);
    expect(await settle(undefined)).toEqual([]);
  });
}
