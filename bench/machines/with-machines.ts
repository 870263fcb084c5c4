// A subject with a Cluster and the provider of the bench.
import type { Intent } from '@capi-serverless/apimachinery';
import type { Say } from '../section.ts';
import { type RunningSubject, withSubject } from '../subjects/running-subject.ts';
import type { BenchSubject } from '../subjects/subject.ts';
import { startMachineProvider } from './machine-provider.ts';
import { createOwningCluster, providerCrds } from './owning-cluster.ts';

/** Waits for objects. */
interface Waiting {
  fail(error: Error): void;
  close(): void;
}

interface Options<W> {
  readonly crds: readonly Intent[];
  readonly say: Say;
  readonly open: (running: RunningSubject) => Promise<W>;
}

/** If the provider fails, `fail` is called. */
export function withMachines<W extends Waiting, T>(
  subject: BenchSubject,
  { crds, say, open }: Options<W>,
  work: (opened: W, running: RunningSubject) => Promise<T>,
): Promise<T> {
  return withSubject(subject, { crds: [...crds, ...providerCrds], say }, async running => {
    await createOwningCluster(running);
    const opened = await open(running);
    const provider = await startMachineProvider(running.client, error => opened.fail(error));
    try {
      return await work(opened, running);
    } finally {
      provider.stop();
      opened.close();
    }
  });
}
