// A management cluster with an installation of upstream's core manager: API server, CRDs with conversion, webhooks.
import type { Intent } from '@capi-serverless/apimachinery';
import type { ChildProgram } from '../support/child-program.ts';
import { define, untilDiscovered } from '../support/definitions.ts';
import { type RealControlPlane, startControlPlane } from '../support/real-control-plane.ts';
import { makeSelfSignedCertificate } from '../support/self-signed-certificate.ts';
import { connectWorldClient, type WorldClient } from '../support/world-client.ts';
import { startManager, type Upstream, webhookPort } from '../upstream-manager/manager.ts';
import { watchFilter } from './watch-filter.ts';

/** The user of upstream's manager, and that of the functions, at the API server. */
export const managerUser = 'upstream';
export const functionsUser = 'functions';

/** The manager reconciles Clusters from this line of its log on. */
const startedController = 'controller="cluster"';

export interface Installation {
  readonly controlPlane: RealControlPlane;
  readonly client: WorldClient;
  /** Replaces the manager by one that reconciles nothing, or by one that reconciles everything. */
  restartManager(reconciles: 'nothing' | 'everything'): Promise<void>;
  stopManager(): Promise<void>;
  stop(): Promise<void>;
}

/** The manager reconciles everything at first. `furtherCrds` are the CRDs of providers. */
export async function install(upstream: Upstream, furtherCrds: readonly Intent[]): Promise<Installation> {
  const certificate = makeSelfSignedCertificate('capi-serverless take-over');
  const caBundle = Buffer.from(certificate.certificatePem).toString('base64');
  const users = [managerUser, functionsUser].map(name => ({ name, groups: ['system:masters'] }));
  const controlPlane = await startControlPlane({ users });
  const start = (reconciles: 'nothing' | 'everything'): Promise<ChildProgram> =>
    startManager({
      program: upstream.program,
      kubeconfigPath: controlPlane.kubeconfigPath(managerUser),
      certificate,
      flags: ['--feature-gates=ClusterTopology=true', ...(reconciles === 'nothing' ? [watchFilter] : [])],
      isReady: line => line.includes('Starting workers') && line.includes(startedController),
    });
  const client = await connectWorldClient(controlPlane.kubeconfigPath('admin'));
  const crds = [...upstream.crds, ...furtherCrds];
  await define(client, crds);
  await untilDiscovered(controlPlane, crds);
  let manager = await start('everything');
  for (const { metadata } of upstream.crds) {
    const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: metadata.name ?? '' };
    await client.patch(ref, { spec: { conversion: conversionBy(caBundle) } });
  }
  for (const webhooks of upstream.webhooks) {
    await client.create(withUrls(webhooks, caBundle));
  }
  return {
    controlPlane,
    client,
    async restartManager(reconciles) {
      await manager.stop();
      manager = await start(reconciles);
    },
    stopManager: () => manager.stop(),
    async stop() {
      await manager.stop();
      await controlPlane.stop();
    },
  };
}

const urlOf = (path: string): string => `https://127.0.0.1:${webhookPort}${path}`;

function conversionBy(caBundle: string) {
  const webhook = { conversionReviewVersions: ['v1'], clientConfig: { url: urlOf('/convert'), caBundle } };
  return { strategy: 'Webhook', webhook };
}

interface Webhook {
  readonly clientConfig: { readonly service: { readonly path: string } };
}

/** Named as upstream's release names it. The manager is not behind a Service here. */
function withUrls(configuration: Intent, caBundle: string): Intent {
  const webhooks = configuration['webhooks'] as readonly Webhook[]; // True: the API requires it.
  const toUrl = ({ clientConfig, ...webhook }: Webhook) => ({
    ...webhook,
    clientConfig: { url: urlOf(clientConfig.service.path), caBundle },
  });
  const { metadata } = configuration;
  return { ...configuration, metadata: { ...metadata, name: `capi-${metadata.name}` }, webhooks: webhooks.map(toUrl) };
}
