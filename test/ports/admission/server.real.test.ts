// The admission function behind the webhook configurations of `capi-serverless webhooks`, called by a real API server.
import type { Intent } from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createAdmissionHandler } from '../../../functions/admission/admission-handler.ts';
import { toWebhookConfigurations } from '../../../infra/kubernetes/webhook-configurations.ts';
import { type FunctionUrl, openFunctionUrl } from '../../../local/function-url.ts';
import { coreCrds } from '../../../shared/api/crds.ts';
import { define } from '../../support/definitions.ts';
import { describeReal } from '../../support/describe-real.ts';
import { aRecordingLog } from '../../support/kernel.ts';
import { type RealControlPlane, startControlPlane } from '../../support/real-control-plane.ts';
import { makeSelfSignedCertificate } from '../../support/self-signed-certificate.ts';
import { connectWorldClient, type WorldClient } from '../../support/world-client.ts';

const apiVersion = 'cluster.x-k8s.io/v1beta2';
const namespace = 'default';
const token = 'the-token-in-the-path-of-hooks';
const clusterName = 'cluster.x-k8s.io/cluster-name';
const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AMachine', name: 'i' };
const machineSpec = { clusterName: 'c1', bootstrap: { dataSecretName: 's' }, infrastructureRef };
const template = (kind: string) => ({
  templateRef: { apiVersion: 'infrastructure.cluster.x-k8s.io/v1', kind, name: 't' },
});
const classSpec = { infrastructure: template('AClusterTemplate'), controlPlane: template('AControlPlaneTemplate') };

const anObject = (kind: string, name: string, spec: object, metadata: object = {}): Intent => ({
  apiVersion,
  kind,
  metadata: { name, namespace, ...metadata },
  spec,
});

describeReal('a real API server with the admission function', () => {
  const certificate = makeSelfSignedCertificate('capi-serverless admission');
  const lines: string[] = [];
  let plane: RealControlPlane;
  let client: WorldClient;
  let door: FunctionUrl;
  let configurations: readonly Intent[];

  const ref = (kind: string, name: string) => ({ apiVersion, kind, namespace, name });

  beforeAll(async () => {
    door = await openFunctionUrl({ port: 0, certificatePem: certificate.certificatePem, keyPem: certificate.keyPem });
    plane = await startControlPlane();
    client = await connectWorldClient(plane.kubeconfigPath('admin'));
    await define(client, coreCrds as readonly unknown[] as readonly Intent[]); // True: each one is a definition.
    vi.stubEnv('CAPI_KUBECONFIG', plane.kubeconfigPath('admin'));
    vi.stubEnv('CAPI_ADMISSION_TOKENS', token);
    vi.stubEnv('CAPI_FEATURE_GATES', 'ClusterTopology=true,RuntimeSDK=true');
    vi.spyOn(process.stdout, 'write').mockImplementation(text => {
      lines.push(String(text));
      return true;
    });
    const handler = createAdmissionHandler('admission');
    door.serve({
      target: { name: 'admission', timeoutSeconds: 30, handler },
      clock: systemClock,
      log: aRecordingLog(),
    });
    const url = `${door.url}${token}`;
    const options = { url, certificateAuthority: certificate.certificatePem, failurePolicy: 'Fail' } as const;
    configurations = toWebhookConfigurations(options) as readonly Intent[]; // True: each one has a kind and a name.
    for (const configuration of configurations) {
      await client.create(configuration);
    }
    await untilCalled();
  });

  afterAll(async () => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    await door?.stop();
    await plane?.stop();
  });

  /** An API server calls new webhooks about a second after their creation. */
  async function untilCalled(): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      const name = `probe-${tries}`;
      const created = await client.create(anObject('Machine', name, machineSpec));
      await client.remove(ref('Machine', name));
      if (created.metadata.labels?.[clusterName] === 'c1') {
        return;
      }
      await systemClock.sleep(100);
    }
  }

  describe('sets the defaults', () => {
    it('of a Machine', async () => {
      const spec = { ...machineSpec, version: '1.34.1' };
      expect(await client.create(anObject('Machine', 'm', spec))).toMatchObject({
        metadata: { labels: { [clusterName]: 'c1' } },
        spec: { version: 'v1.34.1', deletion: { nodeDeletionTimeoutSeconds: 10 } },
      });
    });

    it('of a MachineDeployment, whose selector the schema requires', async () => {
      const selected = { [clusterName]: 'c1', 'cluster.x-k8s.io/deployment-name': 'md' };
      const spec = { clusterName: 'c1', template: { spec: machineSpec } };
      expect(await client.create(anObject('MachineDeployment', 'md', spec))).toMatchObject({
        spec: {
          replicas: 1,
          selector: { matchLabels: selected },
          rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
          template: { metadata: { labels: selected } },
        },
      });
    });

    it('of a MachineSet, a MachinePool, a MachineHealthCheck and a ClusterResourceSet', async () => {
      const spec = { clusterName: 'c1', template: { spec: machineSpec } };
      expect(await client.create(anObject('MachineSet', 'ms', spec))).toMatchObject({ spec: { replicas: 1 } });
      expect(await client.create(anObject('MachinePool', 'mp', spec))).toMatchObject({ spec: { replicas: 1 } });
      const selector = { matchLabels: { a: 'b' } };
      expect(await client.create(anObject('MachineHealthCheck', 'mhc', { clusterName: 'c1', selector }))).toMatchObject(
        { spec: { checks: { nodeStartupTimeoutSeconds: 600 } } },
      );
      const set = anObject('ClusterResourceSet', 'crs', {
        clusterSelector: selector,
        resources: [{ kind: 'Secret', name: 's' }],
      });
      expect(await client.create({ ...set, apiVersion: 'addons.cluster.x-k8s.io/v1beta2' })).toMatchObject({
        spec: { strategy: 'ApplyOnce' },
      });
    });
  });

  describe('refuses', () => {
    const prefix = (hook: string) => `admission webhook "${hook}" denied the request: `;

    it('an invalid Machine, with the text and the causes of the hook', async () => {
      const answer = await client.kubernetes.create(anObject('Machine', 'bad', { ...machineSpec, bootstrap: {} }));
      const why =
        'Required value: expected either spec.bootstrap.dataSecretName or spec.bootstrap.configRef to be populated';
      expect(answer).toMatchObject({
        ok: false,
        failure: {
          reason: 'Invalid',
          code: 422,
          message: `${prefix('validation.machine.cluster.x-k8s.io')}Machine.cluster.x-k8s.io "bad" is invalid: spec.bootstrap: ${why}`,
          causes: [`spec.bootstrap: ${why}`],
        },
      });
    });

    it('a change of an immutable field', async () => {
      const answer = await client.kubernetes.mergePatch(ref('Machine', 'm'), { spec: { clusterName: 'c2' } });
      expect(answer).toMatchObject({
        ok: false,
        failure: { message: expect.stringContaining('spec.clusterName: Forbidden: field is immutable') },
      });
    });

    it('defaults that cannot be found', async () => {
      const size = 'cluster.x-k8s.io/cluster-api-autoscaler-node-group';
      const annotations = { [`${size}-min-size`]: 'a', [`${size}-max-size`]: '1' };
      const spec = { clusterName: 'c1', template: { spec: machineSpec } };
      const answer = await client.kubernetes.create(anObject('MachineSet', 'bad', spec, { annotations }));
      expect(answer).toMatchObject({
        ok: false,
        failure: {
          code: 403,
          message: expect.stringContaining(
            `${prefix('default.machineset.cluster.x-k8s.io')}failed to caculate MachineSet`,
          ),
        },
      });
    });

    it('a field of a wrong type as the schema does, or before it', async () => {
      const answer = await client.kubernetes.create(anObject('Machine', 'bad', { ...machineSpec, deletion: 'soon' }));
      expect(answer).toMatchObject({ ok: false, failure: { message: expect.stringContaining('deletion') } });
    });

    it('the deletion of a ClusterClass in use', async () => {
      await client.create(anObject('ClusterClass', 'cc', classSpec));
      const topology = { classRef: { name: 'cc' }, version: '1.34.1' };
      const created = await client.create(anObject('Cluster', 'managed', { topology }));
      expect(created).toMatchObject({ spec: { topology: { version: 'v1.34.1' } } });
      expect(await client.kubernetes.delete(ref('ClusterClass', 'cc'))).toMatchObject({
        ok: false,
        failure: {
          message: expect.stringContaining(
            'ClusterClass cannot be deleted because it is used by Cluster(s): default/managed',
          ),
        },
      });
    });

    it('an invalid ExtensionConfig', async () => {
      const config = {
        apiVersion: 'runtime.cluster.x-k8s.io/v1beta2',
        kind: 'ExtensionConfig',
        metadata: { name: 'ext' },
        spec: { clientConfig: { url: 'http://example.com' } },
      };
      expect(await client.kubernetes.create(config)).toMatchObject({
        ok: false,
        failure: { message: expect.stringContaining("'https' is the only allowed URL scheme") },
      });
    });
  });

  it('writes no object and no token to the log', () => {
    expect(lines.some(line => line.includes('Denying a write'))).toBe(true);
    const text = lines.join('');
    expect(text).not.toContain(token);
    expect(text).not.toContain('dataSecretName');
  });

  it('lets the finalizers of an object go while the function does not answer, and refuses other writes', async () => {
    await client.create(anObject('Machine', 'stuck', machineSpec, { finalizers: ['example.com/f'] }));
    await client.remove(ref('Machine', 'stuck'));
    await door.stop();
    const answer = await client.kubernetes.create(anObject('Machine', 'late', machineSpec));
    expect(answer).toMatchObject({
      ok: false,
      failure: { message: expect.stringContaining('failed calling webhook "default.machine.cluster.x-k8s.io"') },
    });
    await client.patch(ref('Machine', 'stuck'), { metadata: { finalizers: null } });
    expect(await client.read(ref('Machine', 'stuck'))).toBeUndefined();
  });

  it('lets all writes go once the configurations are deleted, as the runbook advises', async () => {
    for (const { apiVersion, kind, metadata } of configurations) {
      await client.remove({ apiVersion, kind, name: metadata.name });
    }
    // An API server sees the deletions a moment later.
    await vi.waitFor(() => client.create(anObject('Machine', 'unchecked', machineSpec)), { timeout: 60_000 });
    expect((await client.read(ref('Machine', 'unchecked')))?.metadata.labels?.[clusterName]).toBeUndefined();
  });
});
