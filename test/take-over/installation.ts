// A management cluster with an installation of upstream's core manager: API server, CRDs with conversion, webhooks.
import type { Intent } from '@capi-serverless/apimachinery';
import type { ChildProgram } from '../support/child-program.ts';
import { define, untilDiscovered } from '../support/definitions.ts';
import { type ControlPlaneOptions, type RealControlPlane, startControlPlane } from '../support/real-control-plane.ts';
import { makeSelfSignedCertificate } from '../support/self-signed-certificate.ts';
import { connectWorldClient, type WorldClient } from '../support/world-client.ts';
import { answerWebhooks } from '../upstream-manager/loopback-webhooks.ts';
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
  /** Replaces the manager by one that reconciles nothing, or by one that reconciles everything. Default of `gates`: ClusterTopology. */
  restartManager(reconciles: 'nothing' | 'everything', gates?: string): Promise<void>;
  stopManager(): Promise<void>;
  stop(): Promise<void>;
}

/** What an installation has besides upstream's core. */
interface Further {
  /** The CRDs of providers. */
  readonly crds: readonly Intent[];
  readonly users?: ControlPlaneOptions['users'];
  readonly audit?: Pick<ControlPlaneOptions, 'auditPolicy' | 'auditWebhookConfigPath'>;
}

const usualGates = 'ClusterTopology=true';

/** The manager reconciles everything at first. */
export async function install(
  upstream: Upstream,
  { crds: furtherCrds, users: furtherUsers = [], audit = {} }: Further,
): Promise<Installation> {
  const certificate = makeSelfSignedCertificate('capi-serverless take-over');
  const users = [managerUser, functionsUser].map(name => ({ name, groups: ['system:masters'] }));
  const controlPlane = await startControlPlane({ users: [...users, ...furtherUsers], ...audit });
  const start = (reconciles: 'nothing' | 'everything', gates = usualGates): Promise<ChildProgram> =>
    startManager({
      program: upstream.program,
      kubeconfigPath: controlPlane.kubeconfigPath(managerUser),
      certificate,
      flags: [`--feature-gates=${gates}`, ...(reconciles === 'nothing' ? [watchFilter] : [])],
      isReady: line => line.includes('Starting workers') && line.includes(startedController),
    });
  const client = await connectWorldClient(controlPlane.kubeconfigPath('admin'));
  const crds = [...upstream.crds, ...furtherCrds];
  await define(client, crds);
  await untilDiscovered(controlPlane, crds);
  let manager = await start('everything');
  const { certificatePem } = certificate;
  await answerWebhooks(client, upstream, { prefix: 'capi', port: webhookPort, certificatePem });
  return {
    controlPlane,
    client,
    async restartManager(reconciles, gates) {
      await manager.stop();
      manager = await start(reconciles, gates);
    },
    stopManager: () => manager.stop(),
    async stop() {
      await manager.stop();
      await controlPlane.stop();
    },
  };
}
