// The stories of a Cluster with upstream's kubeadm and development providers: with upstream's core manager, with the functions
// beside its webhooks, and with functions and admission policies in its place. Each story must end as with upstream's manager.
import { writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { Intent } from '@capi-serverless/apimachinery';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { findClusterctl } from '../clusterctl/clusterctl.ts';
import { kubectlProblem, withKubectl } from '../ports/apiserver/kubectl.ts';
import type { DeployedSource } from '../support/deployed-functions.ts';
import { describePart } from '../support/describe-part.ts';
import { createManifests, generatedRoles } from '../support/generated-roles.ts';
import { errorsOf, type LocalRun, startLocalRun } from '../support/local-run.ts';
import { isInOwnNetwork } from '../support/own-network.ts';
import { startWebhookFunctions, type WebhookFunctions } from '../support/webhook-functions.ts';
import { functionsUser, managerUser } from '../take-over/installation.ts';
import { switchWebhooks } from '../take-over/switch-webhooks.ts';
import { findUpstream } from '../upstream-manager/manager.ts';
import { findProviders, type RunningExtension, startExtension } from '../upstream-providers/providers.ts';
import { type DeployedRun, reconcilerUsers, runDeployed } from './deployed-roles.ts';
import { declareMoves } from './moves.ts';
import { declareOutage } from './outage.ts';
import { type StoryParts, type StoryRig, startStoryRig } from './rig.ts';
import { created, deleted, extendedStories, type Story, stories, upgraded } from './stories.ts';
import { createExtendedClass, hookCalls, removeExtendedClass, useTemplate } from './story-class.ts';
import { currentClient, olderClient, type StoryClient, succeed, type ToStoryClient } from './story-clients.ts';
import { firstTopology, namespace, type StoryClass } from './story-cluster.ts';
import { StoryLog } from './story-log.ts';

const token = 'the-token-in-the-path-of-webhooks';
const clusterKind = 'cluster.x-k8s.io/v1beta2';

/** The output of the nth local run, for the search of errors. */
const logFile = (place: number): string => path.join(projectRoot, `dist/providers/functions-${place}.log`);

/** Gates of upstream's manager and of the functions. */
const usualGates = 'ClusterTopology=true,RuntimeSDK=false';
const extendedGates = 'ClusterTopology=true,RuntimeSDK=true';

/** Logs of stories by upstream's core manager, with which the others are compared. */
const baseline = "upstream's core manager";
const extendedBaseline = "upstream's core manager with an extension";

interface StoryOptions {
  readonly toClient?: ToStoryClient;
  /** Default: all stories with the usual class. */
  readonly selected?: readonly Story[];
  /** Default: the usual class. */
  readonly storyClass?: () => StoryClass;
  /** The log with which the ends are compared. */
  readonly comparedWith?: string;
}

function findParts(): StoryParts | { readonly missing: string } {
  const missing = isInOwnNetwork
    ? kubectlProblem()
    : 'no network namespace (unshare, ip) is available here, or it was not started by "npm run test:providers"';
  if (missing !== undefined) {
    return { missing };
  }
  const [upstream, providers, clusterctl] = [findUpstream(), findProviders(), findClusterctl()];
  if ('missing' in upstream) {
    return upstream;
  }
  if ('missing' in providers) {
    return providers;
  }
  return 'missing' in clusterctl ? clusterctl : { upstream, providers, clusterctl: clusterctl.program };
}

describePart("a Cluster with upstream's providers", findParts(), {
  part: "upstream's manager and providers in their own network",
  declare(parts) {
    let rig: StoryRig;
    let run: LocalRun;
    let runs = 0;
    let functions: WebhookFunctions;
    const logs = new Map<string, StoryLog>();
    let extension: RunningExtension;
    let extendedClass: StoryClass;

    function logOf(core: string): StoryLog {
      const log = logs.get(core);
      if (log === undefined) {
        throw new Error(`There are no stories of ${core}`);
      }
      return log;
    }

    function startLog(core: string, users: readonly string[]): StoryLog {
      const log = new StoryLog(rig, users, path.join(projectRoot, 'dist/providers', core));
      logs.set(core, log);
      return log;
    }

    /** Stories, each with a comparison of its end with that of the baseline. */
    function declareStories(
      core: string,
      users: readonly string[],
      { toClient = currentClient, selected = stories, storyClass, comparedWith = baseline }: StoryOptions = {},
    ): void {
      let acting: Acting;
      beforeAll(() => {
        const used = storyClass?.() ?? rig.usualClass;
        acting = { rig, storyClass: used, client: toClient(rig, used) };
        startLog(core, users);
      });

      afterAll(async () => {
        if (selected.some(({ event }) => event === 'template')) {
          await useTemplate(rig.installation.client, acting.storyClass, firstTopology.template);
        }
      });

      it.each(selected)('$name', async story => {
        await logOf(core).run(story.name, story.topology, () => begin(story, acting));
        expect(logOf(core).endStateOf(story.name)).toEqual(logOf(comparedWith).endStateOf(story.name));
      });
    }

    async function startRun(gates = usualGates): Promise<void> {
      runs += 1;
      run = startLocalRun({
        args: ['--kubeconfig', rig.installation.controlPlane.kubeconfigPath(functionsUser), '--json'],
        env: { CAPI_FEATURE_GATES: gates },
      });
      await run.line(({ event }) => event === 'started');
    }

    async function stopRun(): Promise<void> {
      run?.interrupt();
      await run?.ended;
      if (runs > 0) {
        writeFileSync(logFile(runs), run.lines.map(line => `${JSON.stringify(line)}\n`).join(''));
      }
    }

    /** The functions reconcile in place of the manager, which only answers webhooks. */
    async function handOver(gates = usualGates): Promise<void> {
      await rig.installation.restartManager('nothing', gates);
      await startRun(gates);
    }

    async function giveBack(gates = usualGates): Promise<void> {
      await stopRun();
      await rig.installation.restartManager('everything', gates);
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
      rig = await startStoryRig(parts);
    });

    afterAll(async () => {
      for (const [core, log] of logs) {
        writeSync(1, `\n${[core, ...log.lines()].join('\n')}\n`);
        log.close();
      }
      await stopRun();
      await functions?.stop();
      await extension?.stop();
      await rig?.stop();
    });

    describe(`with ${baseline}`, () => {
      declareStories(baseline, [managerUser]);
    });

    describe(`with ${extendedBaseline}`, () => {
      beforeAll(async () => {
        const { client } = rig.installation;
        await rig.installation.restartManager('everything', extendedGates);
        extension = await startExtension(rig.providers, admin());
        extendedClass = await createExtendedClass(client, rig.usualClass, extension);
      });

      declareExtended(extendedBaseline, [managerUser]);
    });

    describe('with the functions and an extension', () => {
      beforeAll(() => handOver(extendedGates));

      declareExtended('the functions with an extension', [functionsUser]);

      it('the functions log no error', () => expect(errorsOf(run)).toBe(''));

      afterAll(async () => {
        await stopRun();
        await removeExtendedClass(rig.installation.client, extendedClass);
        await extension.stop();
      });
    });

    /** The extension keeps its answers and their calls after the end of a Cluster. */
    function declareExtended(core: string, users: readonly string[]): void {
      declareStories(core, users, {
        selected: extendedStories,
        storyClass: () => extendedClass,
        comparedWith: extendedBaseline,
      });

      afterAll(() =>
        rig.installation.client.remove({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: hookCalls }),
      );
    }

    describe('with the functions beside its webhooks', () => {
      beforeAll(() => handOver());

      declareStories('the functions beside its webhooks', [functionsUser]);

      it('the functions log no error', () => expect(errorsOf(run)).toBe(''));
    });

    describe('moved between the functions and the manager', () => {
      beforeAll(async () => {
        await stopRun();
        await handOver();
      });

      declareMoves({
        ...{ rig: () => rig, run: () => run, handOver, giveBack },
        log: () => startLog('moves', [functionsUser, managerUser]),
        endStateOf: story => logOf(baseline).endStateOf(story),
      });
    });

    describe('with deployed functions under their generated roles', () => {
      let deployed: DeployedRun;

      beforeAll(async () => {
        await stopRun();
        await createManifests(rig.installation.client, generatedRoles);
        deployed = await runDeployed(rig.installation, rig.auditPoster);
      });

      afterAll(() => deployed?.stop());

      describe.each<{ readonly source: DeployedSource; readonly selected: readonly string[] }>([
        { source: 'watch-forwarder', selected: [created, upgraded, deleted] },
        { source: 'windowed-forwarder', selected: [created, deleted] },
        { source: 'audit-webhook', selected: [created, deleted] },
      ])('and the $source', ({ source, selected }) => {
        beforeAll(() => deployed.forwardFrom(source));

        declareStories(`deployed functions and the ${source}`, reconcilerUsers, {
          selected: stories.filter(({ name }) => selected.includes(name)),
        });
      });

      it('no right is missing, and nothing fails', async () => {
        expect([await deployed.refused(), deployed.errors()]).toEqual([[], []]);
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

interface Acting {
  readonly rig: StoryRig;
  readonly storyClass: StoryClass;
  readonly client: StoryClient;
}

function begin(story: Story, { rig, storyClass, client }: Acting): Promise<unknown> {
  switch (story.event) {
    case 'create':
      return client.create(story.topology);
    case 'change':
      return client.change(story.topology);
    case 'replace':
      return rig.replaceWorker('marked');
    case 'failNode':
      return rig.replaceWorker('nodeFailed');
    case 'template':
      return useTemplate(rig.installation.client, storyClass, story.topology.template);
    case 'delete':
      return client.remove();
  }
}

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
