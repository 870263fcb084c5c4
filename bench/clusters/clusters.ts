// Section `clusters`: Clusters with a topology, created at the same time, beside upstream's kubeadm and development providers.
import { createStoryClass } from '../../test/providers/story-class.ts';
import { makeSelfSignedCertificate } from '../../test/support/self-signed-certificate.ts';
import { watchFilter } from '../../test/take-over/watch-filter.ts';
import { answerWebhooks } from '../../test/upstream-manager/loopback-webhooks.ts';
import { findUpstream, type Upstream, webhookPort } from '../../test/upstream-manager/manager.ts';
import { findProviders, startProviders, type UpstreamProviders } from '../../test/upstream-providers/providers.ts';
import type { Section } from '../section.ts';
import type { CompareOptions } from '../subjects/compared-section.ts';
import { oursWith } from '../subjects/ours.ts';
import { withSubject } from '../subjects/running-subject.ts';
import type { BenchSubject } from '../subjects/subject.ts';
import { type UpstreamOptions, upstream as upstreamManager } from '../subjects/upstream.ts';
import { toRows } from './stage-rows.ts';
import { type MeasuredClusters, TopologyWorkload } from './topology-workload.ts';

/** How many Clusters are created at the same time. Each number is measured once. */
type ClusterCounts = readonly number[];

export const fullCounts: ClusterCounts = [20, 50];
export const quickCounts: ClusterCounts = [2];

const section = { name: 'clusters', title: "Clusters with a topology at once, beside upstream's providers" };
const gates = 'ClusterTopology=true';
const noRateLimit = 'ReconcilerRateLimiting=false';
const certificate = makeSelfSignedCertificate('capi-serverless bench');

/** Each subject has its own control plane and providers. */
export async function measureClusters(counts: ClusterCounts, { noUpstream, say }: CompareOptions): Promise<Section> {
  const [upstream, providers] = [findUpstream(), findProviders()];
  const missing =
    noUpstream ?? ('missing' in upstream ? upstream.missing : 'missing' in providers ? providers.missing : undefined);
  if (missing !== undefined || 'missing' in upstream || 'missing' in providers) {
    return { ...section, subjects: [], rows: [], skipped: [`everything, since ${missing}`] };
  }
  const core = { program: upstream.program, certificate };
  const subjects = [
    oursBesideWebhooks(core),
    upstreamManager({ ...core, title: 'upstream v1.14.0', flags: [`--feature-gates=${gates}`] }),
    upstreamManager({ ...core, title: 'upstream, no rate limit', flags: [`--feature-gates=${gates},${noRateLimit}`] }),
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

/** Upstream's manager runs, too, and answers the webhooks only. Its requests and its processor time are not counted. */
function oursBesideWebhooks(core: Pick<UpstreamOptions, 'program' | 'certificate'>): BenchSubject {
  const functions = oursWith(`${gates},RuntimeSDK=false`);
  const flags = [`--feature-gates=${gates}`, watchFilter];
  const answering = upstreamManager({ ...core, title: 'webhooks', flags, user: 'admin' });
  return {
    ...functions,
    async start(controlPlane) {
      const webhooks = await answering.start(controlPlane);
      const running = await functions.start(controlPlane);
      const stop = async (): Promise<void> => {
        await running.stop();
        await webhooks.stop();
      };
      return { ...running, stop };
    },
  };
}
