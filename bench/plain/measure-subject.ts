// Measures one subject with a new control plane.
import type { Intent } from '@capi-serverless/apimachinery';
import { define } from '../../test/support/definitions.ts';
import { startControlPlane } from '../../test/support/real-control-plane.ts';
import { staticClusterCrd } from '../../test/support/static-provider.ts';
import { connectWorldClient } from '../../test/support/world-client.ts';
import { type Memory, memoryOf } from '../process-usage.ts';
import type { Say } from '../section.ts';
import type { BenchSubject } from './subject.ts';
import { BenchWorkload, type Measurement } from './workload.ts';

export interface SubjectSizes {
  /** Clusters that are created and deleted before measuring. */
  readonly warmUp: number;
  readonly oneByOne: number;
  /** Each number of Clusters is measured once. */
  readonly atOnce: readonly number[];
}

export interface SubjectMeasurements {
  readonly oneByOne: readonly Measurement[];
  readonly atOnce: readonly Measurement[];
  /** The memory of its process at the end. */
  readonly memory: Memory | null;
}

interface MeasureOptions {
  readonly sizes: SubjectSizes;
  /** The CRDs. They are the same for every subject. */
  readonly crds: readonly Intent[];
  readonly say: Say;
}

export async function measureSubject(subject: BenchSubject, options: MeasureOptions): Promise<SubjectMeasurements> {
  const { sizes, crds, say } = options;
  say(`${subject.title}: starting a control plane`);
  const users = [{ name: subject.user, groups: ['system:masters'] }];
  const controlPlane = await startControlPlane({ users, controllers: false });
  try {
    const client = await connectWorldClient(controlPlane.kubeconfigPath('admin'));
    await define(client, [...crds, staticClusterCrd]);
    const running = await subject.start(controlPlane);
    const workload = await BenchWorkload.open({ client, controlPlane, subject, running });
    try {
      return {
        ...(await work(workload, sizes, line => say(`${subject.title}: ${line}`))),
        memory: memoryOf(running.pid),
      };
    } finally {
      await workload.close();
      await running.stop();
    }
  } finally {
    await controlPlane.stop();
  }
}

async function work(
  workload: BenchWorkload,
  sizes: SubjectSizes,
  say: Say,
): Promise<Omit<SubjectMeasurements, 'memory'>> {
  say(`warming up with ${sizes.warmUp} Clusters`);
  await workload.measure('warm', sizes.warmUp);
  const oneByOne: Measurement[] = [];
  for (let index = 0; index < sizes.oneByOne; index += 1) {
    const measured = await workload.measure(`one-${index}`, 1);
    oneByOne.push(measured);
    say(`one Cluster (${index + 1} of ${sizes.oneByOne}): ${toSeconds(measured.allMs)}`);
  }
  const atOnce: Measurement[] = [];
  for (const count of sizes.atOnce) {
    const measured = await workload.measure(`all-${count}`, count);
    atOnce.push(measured);
    say(`${count} Clusters at once: ${toSeconds(measured.allMs)}`);
  }
  return { oneByOne, atOnce };
}

function toSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}
