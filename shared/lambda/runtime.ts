// What every function makes once per process: configuration, log, clock, queues, and a client of the API server when first needed.
import { randomUUID } from 'node:crypto';
import { type Config, parseConfig } from '../config/env.ts';
import type { Clock } from '../kernel/clock.ts';
import { RetryableError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { loadCredentials } from '../kubernetes/credentials/load.ts';
import type { Kubernetes } from '../kubernetes/port.ts';
import { createKubernetes } from '../kubernetes/rest/client.ts';
import { createJsonLog } from '../telemetry/json-log.ts';
import { systemClock } from '../telemetry/system-clock.ts';
import { createTelemetry, type Telemetry } from '../telemetry/wire.ts';
import type { NewId } from '../workqueue/ids.ts';
import type { Queues } from '../workqueue/port.ts';
import { createSqsQueues } from '../workqueue/sqs/queues.ts';

export interface Runtime extends Telemetry {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly queues: Queues;
  /** One client per process. A failure to load credentials is not kept: the next call tries again. */
  kubernetes(): Promise<Kubernetes>;
  /** The uid of kube-system: from the configuration, else read once. */
  managementCluster(): Promise<string>;
}

/** Throws ConfigError when the environment is not valid. */
export function createRuntime(functionName: string): Runtime {
  const config = parseConfig(process.env);
  const kubernetes = keep(async () =>
    createKubernetes({
      credentials: await loadCredentials(config),
      client: functionName,
    }),
  );
  const readCluster = keep(async () => readManagementCluster(await kubernetes()));
  return {
    config,
    log: createJsonLog({ level: config.logLevel, fields: { function: functionName } }),
    clock: systemClock,
    ...createTelemetry({ config, functionName, clock: systemClock }),
    newId: randomUUID,
    queues: createSqsQueues({ queueUrls: config.queueUrls }),
    kubernetes,
    managementCluster: () =>
      config.managementCluster === undefined ? readCluster() : Promise.resolve(config.managementCluster),
  };
}

/** Reads the uid that names this management cluster in every key. */
export async function readManagementCluster(kubernetes: Pick<Kubernetes, 'metadata'>): Promise<string> {
  const answer = await kubernetes.metadata({ apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' });
  if (!answer.ok) {
    throw new RetryableError(`Reading namespace kube-system failed: ${answer.failure.message}`);
  }
  return answer.value.uid;
}

/** Makes the value at the first call and keeps it, unless making it failed. */
function keep<T>(make: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined;
  return () => {
    kept ??= make().catch(error => {
      kept = undefined;
      throw error;
    });
    return kept;
  };
}
