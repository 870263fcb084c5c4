// Section `clusters`: Clusters with a topology, created at the same time, beside upstream's kubeadm and development providers.
import { createStoryClass } from '../../test/providers/story-class.ts';
import { makeSelfSignedCertificate } from '../../test/support/self-signed-certificate.ts';
import { watchFilter } from '../../test/take-over/watch-filter.ts';
import { answerWebhooks } from '../../test/upstream-manager/loopback-webhooks.ts';
import { findUpstream, startManager, type Upstream, webhookPort } from '../../test/upstream-manager/manager.ts';
import { findProviders, startProviders, type UpstreamProviders } from '../../test/upstream-providers/providers.ts';
import type { Section } from '../section.ts';
import type { CompareOptions } from '../subjects/compared-section.ts';
import { oursWith } from '../subjects/ours.ts';
import { withSubject } from '../subjects/running-subject.ts';
import type { BenchSubject } from '../subjects/subject.ts';
import { toRows } from './stage-rows.ts';
import { type MeasuredClusters, TopologyWorkload } from './topology-workload.ts';

/** How many Clusters are created at the same time. Each number is measured once. */
type ClusterCounts = readonly number[];

export const fullCounts: ClusterCounts = [20, 50];
export const quickCounts: ClusterCounts = [2];

const section = { name: 'clusters', title: "Clusters with a topology at once, beside upstream's providers" };
const gates = 'ClusterTopology=true';
const certificate = makeSelfSignedCertificate('capi-serverless bench');

/** Each subject has its own control plane and providers. */
export async function measureClusters(counts: ClusterCounts, { noUpstream, say }: CompareOptions): Promise<Section> {
  const [upstream, providers] = [findUpstream(), findProviders()];
  const missing =
    noUpstream ?? ('missing' in upstream ? upstream.missing : 'missing' in providers ? providers.missing : undefined);
  if (missing !== undefined || 'missing' in upstream || 'missing' in providers) {
    return { ...section, subjects: [], rows: [], skipped: [`everything, since ${missing}`] };
  }
  const subjects = [
    oursBesideWebhooks(upstream),
    manager(upstream, 'upstream v1.14.0', gates),
    manager(upstream, 'upstream, no rate limit', `${gates},ReconcilerRateLimiting=false`),
  ];
  const measured: (readonly MeasuredClusters[])[] = [];
  for (const subject of subjects) {
    measured.push(await measureSubject(subject, { upstream, providers, counts, say }));
  }
  return { ...section, subjects: subjects.map(({ title }) => title), rows: toRows(measured), skipped: [] };
}

interface Measuring extends Pick<CompareOptions, 'say'> {
  readonly upstream: Upstream;
  readonly providers: UpstreamProviders;
  readonly counts: ClusterCounts;
}

function measureSubject(
  subject: BenchSubject,
  { upstream, providers, counts, say }: Measuring,
): Promise<readonly MeasuredClusters[]> {
  const crds = [...upstream.crds, ...providers.all.flatMap(provider => provider.crds)];
  return withSubject(subject, { crds, say, controllers: true }, async running => {
    const { client, controlPlane } = running;
    const { certificatePem } = certificate;
    await answerWebhooks(client, upstream, { prefix: 'capi', port: webhookPort, certificatePem });
    const provided = await startProviders(providers, client, controlPlane.kubeconfigPath('admin'));
    const workload = await TopologyWorkload.open(running, await createStoryClass(client, providers));
    try {
      const measured: MeasuredClusters[] = [];
      for (const count of counts) {
        measured.push(await workload.measure(count));
      }
      return measured;
    } finally {
      workload.close();
      await provided.stop();
    }
  });
}

function manager(upstream: Upstream, title: string, featureGates: string): BenchSubject {
  const user = 'upstream';
  return {
    title,
    user,
    start: controlPlane =>
      startUpstream(upstream, controlPlane.kubeconfigPath(user), [`--feature-gates=${featureGates}`]),
  };
}

function startUpstream({ program }: Upstream, kubeconfigPath: string, flags: readonly string[]) {
  return startManager({
    ...{ program, kubeconfigPath, certificate, flags },
    isReady: line => line.includes('Starting workers') && line.includes('controller="cluster"'),
  });
}

/** Upstream's manager runs, too, and answers the webhooks only. Its requests and its processor time are not counted. */
function oursBesideWebhooks(upstream: Upstream): BenchSubject {
  const functions = oursWith(`${gates},RuntimeSDK=false`);
  return {
    ...functions,
    async start(controlPlane) {
      const flags = [`--feature-gates=${gates}`, watchFilter];
      const webhooks = await startUpstream(upstream, controlPlane.kubeconfigPath('admin'), flags);
      const running = await functions.start(controlPlane);
      const stop = async (): Promise<void> => {
        await running.stop();
        await webhooks.stop();
      };
      return { ...running, stop };
    },
  };
}
