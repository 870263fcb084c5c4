// The objects that every function creates once per process: configuration, log, clock, queues, and an API client on
// first use.
import { randomUUID } from 'node:crypto';
import { type Clock, type Kubernetes, withoutUndefined } from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { type Log, RetryableError } from '@capi-serverless/reconciler';
import { type Config, parseConfig } from '../config/env.ts';
import type { Connected } from '../kernel/batch.ts';
import type { Credentials } from '../kubernetes/credentials/credentials.ts';
import { loadCredentials } from '../kubernetes/credentials/load.ts';
import { createKubernetes } from '../kubernetes/rest/client.ts';
import { createJsonLog } from '../telemetry/json-log.ts';
import { createTelemetry, type Telemetry } from '../telemetry/wire.ts';
import type { NewId } from '../workqueue/ids.ts';
import type { Queues } from '../workqueue/port.ts';
import { createSqsQueues } from '../workqueue/sqs/sqs-queues.ts';
import { withTimeLimit } from './time-limit.ts';

export interface Runtime extends Telemetry {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  readonly queues: Queues;
  /** One client per process. If loading credentials fails, the next call tries again. */
  kubernetes(): Promise<Kubernetes>;
  /** Returns the uid of kube-system. It is configured, or read once. */
  managementCluster(): Promise<string>;
  /**
   * Returns the client and the uid. Requests of the client end when the signal aborts. Rejects within
   * `credentialsLimitMs` + `clusterLimitMs`.
   */
  connect(signal: AbortSignal): Promise<Connected>;
}

/**
 * Both limits together are much shorter than the timeout of every function, so that the function can still postpone its
 * messages.
 */
const credentialsLimitMs = 8_000;
export const clusterLimitMs = 10_000;

/** Throws ConfigError if the environment is not valid. */
export function createRuntime(functionName: string, { clock = systemClock }: { readonly clock?: Clock } = {}): Runtime {
  const config = parseConfig(process.env);
  const kubernetes = keep(async () =>
    createKubernetes({ credentials: await sharedCredentials(config, clock), client: functionName }),
  );
  const readCluster = keep(async () => {
    const client = await kubernetes();
    const limit = { clock, ms: clusterLimitMs * config.timeLimitFactor, doing: 'Reading namespace kube-system' };
    return withTimeLimit(limit, signal => readManagementCluster(client.within(signal)));
  });
  const managementCluster = (): Promise<string> =>
    config.managementCluster === undefined ? readCluster() : Promise.resolve(config.managementCluster);
  return {
    config,
    log: createJsonLog({ level: config.logLevel, fields: { function: functionName } }),
    clock,
    ...createTelemetry({ config, functionName, clock }),
    newId: randomUUID,
    random: Math.random,
    queues: createSqsQueues(config),
    kubernetes,
    managementCluster,
    connect: async signal => {
      const [client, cluster] = await Promise.all([kubernetes(), managementCluster()]);
      return { kubernetes: client.within(signal), managementCluster: cluster };
    },
  };
}

/** Reads the uid that identifies this management cluster in every key. */
export async function readManagementCluster(kubernetes: Pick<Kubernetes, 'metadata'>): Promise<string> {
  const answer = await kubernetes.metadata({ apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' });
  if (!answer.ok) {
    const { message, retryAfterMs } = answer.failure;
    throw new RetryableError(`Reading namespace kube-system failed: ${message}`, withoutUndefined({ retryAfterMs }));
  }
  return answer.value.uid;
}

/** By source. Several reconcilers in one process share them, so that it reads a secret once for all of them. */
const credentials = new Map<string, () => Promise<Credentials>>();

function sharedCredentials(config: Config, clock: Clock): Promise<Credentials> {
  const { kubeconfigPath, kubeconfigSecret, eks } = config;
  const source = { kubeconfigPath, kubeconfigSecret, eks };
  const limit = {
    clock,
    ms: credentialsLimitMs * config.timeLimitFactor,
    doing: 'Loading the credentials of the API server',
  };
  const key = JSON.stringify(source);
  const load = credentials.get(key) ?? keep(() => withTimeLimit(limit, () => loadCredentials(source)));
  credentials.set(key, load);
  return load();
}

/** Creates the value on the first call. Later calls return the same value, unless the creation failed. */
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
