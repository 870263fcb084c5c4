// docs/take-over.md on a real API server: upstream's manager with all its webhooks, the watch filter, and the way back.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Intent, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RequestLog } from '../../bench/subjects/request-log.ts';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { parseManifests } from '../../local/manifests.ts';
import { describePart } from '../support/describe-part.ts';
import { type LocalRun, startLocalRun } from '../support/local-run.ts';
import { isInOwnNetwork } from '../support/own-network.ts';
import { quietAfter } from '../support/quiet.ts';
import {
  aProvisionedStaticCluster,
  aStaticallyProvidedCluster,
  clusterRef,
  staticClusterCrd,
} from '../support/static-provider.ts';
import { startWebhookFunctions, type WebhookFunctions } from '../support/webhook-functions.ts';
import { conditionOf, phaseOf } from '../support/world-client.ts';
import { findUpstream } from '../upstream-manager/manager.ts';
import { type AuditedWrite, auditLength, writesOf } from './audit-log.ts';
import { functionsUser, type Installation, install, managerUser } from './installation.ts';
import { switchWebhooks } from './switch-webhooks.ts';

const existing = clusterRef('default', 'existing');
const added = clusterRef('default', 'added');
const token = 'the-token-in-the-path-of-webhooks';
const managed = clusterRef('default', 'managed');
const later = clusterRef('default', 'later');
const exampleFiles = ['cluster-class.yaml', 'cluster.yaml'].map(file => `examples/topology/${file}`);

const aMachineDeploymentOf = (clusterName: string): Intent => ({
  apiVersion: existing.apiVersion,
  kind: 'MachineDeployment',
  metadata: { namespace: 'default', name: 'defaulted' },
  spec: {
    clusterName,
    selector: { matchLabels: {} },
    template: {
      spec: {
        clusterName,
        bootstrap: { dataSecretName: 'none' },
        infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'StaticMachineTemplate', name: 'none' },
      },
    },
  },
});

const isProvisioned = (object: Unstructured | undefined): boolean => phaseOf(object) === 'Provisioned';

const found = isInOwnNetwork
  ? findUpstream()
  : {
      missing:
        'no network namespace (unshare, ip) is available here, or it was not started by "npm run test:take-over"',
    };

describePart("a take-over from upstream's manager and the way back", found, {
  part: 'the upstream manager in its own network',
  declare: upstream => {
    let installation: Installation;
    let run: LocalRun;

    const provide = async (name: string): Promise<void> => {
      await installation.client.create(aProvisionedStaticCluster('default', name));
      await installation.client.create(aStaticallyProvidedCluster('default', name));
    };
    const writesSince = (user: string, since: number): readonly AuditedWrite[] =>
      writesOf(installation.controlPlane.auditLogPath, user, since);
    const now = (): number => auditLength(installation.controlPlane.auditLogPath);
    /** The spec, the labels, the finalizers and the conditions of the Cluster, without times. */
    const stateOf = async (ref: typeof existing): Promise<unknown> => {
      const { metadata, spec, status } = { ...(await installation.client.read(ref)) };
      const conditions = (Object(status).conditions as { type: string; status: string; reason: string }[]).map(
        ({ type, status: value, reason }) => `${type}=${value} (${reason})`,
      );
      return { spec, labels: metadata?.labels, finalizers: metadata?.finalizers, conditions };
    };

    /** With the same texts before and after a take-over. */
    async function expectWebhooks(): Promise<void> {
      const { client } = installation;
      const refused = { ...aStaticallyProvidedCluster('default', 'refused') };
      const topology = { classRef: { name: 'simulated' }, version: 'no-version' };
      await expect(client.create({ ...refused, spec: { topology } })).rejects.toThrow(
        'admission webhook "validation.cluster.cluster.x-k8s.io" denied the request',
      );
      const defaulted = await client.kubernetes.dryRun.apply(aMachineDeploymentOf(existing.name), {
        fieldManager: 'test',
        force: false,
      });
      expect(defaulted).toMatchObject({
        value: { metadata: { labels: { 'cluster.x-k8s.io/cluster-name': existing.name } } },
      });
      expect(await client.read({ ...existing, apiVersion: 'cluster.x-k8s.io/v1beta1' })).toMatchObject({
        spec: { infrastructureRef: { apiVersion: 'infrastructure.cluster.x-k8s.io/v1', name: existing.name } },
      });
    }

    const webhooks = (...args: readonly string[]): Promise<readonly unknown[]> =>
      switchWebhooks(installation.controlPlane.kubeconfigPath('admin'), args);

    beforeAll(async () => {
      installation = await install(upstream, { crds: [staticClusterCrd] });
      await provide('existing');
      await installation.client.until(existing, isProvisioned);
      // A manager that stops at once would leave conditions unwritten.
      const requests = new RequestLog(installation.controlPlane.auditLogPath, managerUser);
      await requests.readUntilQuiet();
      requests.close();
    });

    afterAll(() => installation?.stop());

    it('keeps the Cluster that upstream reconciled, without a write of the functions', async () => {
      const before = await stateOf(existing);
      await installation.restartManager('nothing');
      const since = now();
      run = startLocalRun({
        args: ['--kubeconfig', installation.controlPlane.kubeconfigPath(functionsUser), '--install-crds', '--json'],
      });
      await run.line(({ event }) => event === 'started');
      await quietAfter(run, installation.client, 'taken-over');
      expect(writesSince(functionsUser, since).filter(({ name }) => name === existing.name)).toEqual([]);
      expect(await stateOf(existing)).toEqual(before);
    });

    it('lets the webhooks of upstream refuse, default and convert meanwhile', () => expectWebhooks());

    it('reconciles a new Cluster with the functions only', async () => {
      const since = now();
      await provide('added');
      await installation.client.until(added, isProvisioned);
      await quietAfter(run, installation.client, 'added');
      expect(writesSince(functionsUser, since)).toContainEqual(
        expect.objectContaining({ resource: 'clusters/status', name: 'added' }),
      );
      expect(writesSince(managerUser, since)).toEqual([]);
    });

    it('reconciles a managed topology with the functions only', async () => {
      const since = now();
      for (const file of exampleFiles) {
        for (const object of parseManifests(readFileSync(path.join(projectRoot, file), 'utf8'), file)) {
          await installation.client.create(object);
        }
      }
      await installation.client.until(managed, object => conditionOf(object, 'Available') === 'True');
      await quietAfter(run, installation.client, 'managed');
      expect(writesSince(managerUser, since)).toEqual([]);
    });

    describe('after the webhooks were taken over', () => {
      let functions: WebhookFunctions;

      beforeAll(async () => {
        functions = await startWebhookFunctions(installation.controlPlane.kubeconfigPath(functionsUser), [token]);
        expect(await webhooks('take-over', ...functions.argsWith(token))).toEqual([]);
        await installation.stopManager();
        // An API server uses changed configurations a moment later.
        await vi.waitFor(expectWebhooks, { timeout: 60_000 });
      });

      afterAll(() => functions?.stop());

      it('a managed topology is scaled without the manager', async () => {
        const { client } = installation;
        const wanted = Object((await client.read(managed))?.['spec']).topology.workers.machineDeployments;
        const machineDeployments = wanted.map((each: object) => ({ ...each, replicas: 1 }));
        await client.patch(managed, { spec: { topology: { workers: { machineDeployments } } } });
        const query = { apiVersion: managed.apiVersion, kind: 'MachineDeployment', namespace: 'default' };
        const labels = { 'cluster.x-k8s.io/cluster-name': managed.name };
        const listed = await client.kubernetes.list({ ...query, labels });
        const names = listed.ok ? listed.value.map(({ metadata: { name } }) => name) : [];
        expect(names).toHaveLength(wanted.length);
        for (const name of names) {
          await client.until({ ...query, name }, object => valueAt(object?.status, 'replicas') === 1);
        }
        await quietAfter(run, client, 'scaled');
      });

      it('clients of v1beta1 create, read and delete without the manager', async () => {
        const { client } = installation;
        const apiVersion = 'cluster.x-k8s.io/v1beta1';
        const infrastructureRef = {
          apiVersion: 'infrastructure.cluster.x-k8s.io/v1',
          kind: 'StaticCluster',
          name: 'older',
        };
        const metadata = { namespace: 'default', name: 'older', annotations: { 'cluster.x-k8s.io/paused': '' } };
        const created = await client.create({ apiVersion, kind: 'Cluster', metadata, spec: { infrastructureRef } });
        expect(created).toMatchObject({ apiVersion, spec: { infrastructureRef } });
        const listed = await client.kubernetes.list({ apiVersion, kind: 'Cluster', namespace: 'default' });
        expect(listed.ok && listed.value.map(({ metadata: { name } }) => name)).toContain('older');
        await client.remove(clusterRef('default', 'older'));
      });

      it('the way back restores what the manager answered', async () => {
        await installation.restartManager('nothing');
        // The CRD migrator of a manager that has just started writes each CRD meanwhile.
        expect(await webhooks('give-back')).toEqual([]);
        await functions.stop();
        await vi.waitFor(expectWebhooks, { timeout: 60_000 });
      });
    });

    it('gives every Cluster back to the manager unchanged', async () => {
      const refs = [existing, added];
      const before = await Promise.all(refs.map(stateOf));
      run.interrupt();
      expect(await run.ended).toBe(0);
      await installation.restartManager('everything');
      const since = now();
      await provide('later');
      await installation.client.until(later, isProvisioned);
      expect(await Promise.all(refs.map(stateOf))).toEqual(before);
      expect(writesSince(functionsUser, since)).toEqual([]);
      expect(writesSince(managerUser, since)).toContainEqual(
        expect.objectContaining({ resource: 'clusters/status', name: 'later' }),
      );
    });
  },
});
