// The bundled function of the shared work queue: SQS events with messages of several reconcilers, real queues and the
// embedded API server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { startApiServer, writeKubeconfig } from '@capi-serverless/apiserver';
import type { SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { declarations } from '../../functions/declarations.ts';
import { currentBundles } from '../../infra/bundles/current.ts';
import { toReconcilerFunctions, toSharedFunction } from '../../infra/function-plans.ts';
import { toRecord, toVerdict } from '../../local/event-source-mapping.ts';
import { loadTarget } from '../../local/load-function.ts';
import { invoke, type LocalFunction } from '../../local/local-lambda.ts';
import { type LocalSqs, startSqs } from '../../local/sqs.ts';
import type { ApiServer } from '../../packages/apiserver/server.ts';
import { coreCrds } from '../../shared/api/crds.ts';
import { type LogFact, logs } from '../../shared/diagnostics/channels.ts';
import { readManagementCluster } from '../../shared/lambda/runtime.ts';
import type { Request } from '../../shared/workqueue/message.ts';
import { toWorkMessage } from '../../shared/workqueue/outgoing.ts';
import type { Queues, ReceivedMessage } from '../../shared/workqueue/port.ts';
import { delayQueue, sharedWorkQueue, workQueueOf } from '../../shared/workqueue/queue-names.ts';
import { toConsumers, toQueueSpecs } from '../../shared/workqueue/queue-specs.ts';
import { createSqsQueues } from '../../shared/workqueue/sqs/sqs-queues.ts';
import { installDefinitions } from '../support/install-definitions.ts';
import {
  aProvisionedStaticCluster,
  aStaticallyProvidedCluster,
  clusterRef,
  staticClusterCrd,
} from '../support/static-provider.ts';
import { everyGate } from '../support/synthesised.ts';
import { timeLimitFactor } from '../support/time-limits.ts';
import { connectWorldClient, phaseOf, type WorldClient } from '../support/world-client.ts';

const plan = toSharedFunction(toReconcilerFunctions(declarations, 'functions'));
const namespace = 'default';

let server: ApiServer;
let sqs: LocalSqs;
let queues: Queues;
let client: WorldClient;
let folder: string;
let managementCluster: string;
let target: LocalFunction<SQSEvent>;
const before = { ...process.env };

beforeAll(async () => {
  [server, sqs] = await Promise.all([
    startApiServer(),
    startSqs({ queues: toQueueSpecs(toConsumers(declarations, 'compact')) }),
  ]);
  folder = mkdtempSync(path.join(tmpdir(), 'capi-shared-queue-'));
  const kubeconfig = path.join(folder, 'kubeconfig');
  writeKubeconfig(kubeconfig, server.kubeconfig);
  client = await connectWorldClient(kubeconfig);
  await installDefinitions(client.kubernetes, coreCrds);
  await client.create(staticClusterCrd);
  managementCluster = await readManagementCluster(client.kubernetes);
  Object.assign(process.env, sqs.environment, {
    CAPI_KUBECONFIG: kubeconfig,
    CAPI_FEATURE_GATES: everyGate,
    CAPI_LOG_LEVEL: 'info',
  });
  queues = createSqsQueues({ queueUrls: sqs.queueUrls, timeLimitFactor });
  const [bundle] = await currentBundles([plan]);
  target = await loadTarget({ file: bundle?.file ?? '' }, plan);
});

afterAll(async () => {
  process.env = before;
  await Promise.all([server.stop(), sqs.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

function aRequest(reconciler: string, name: string): Request {
  const declaration = declarations.find(each => each.name === reconciler);
  const { group = '', kind = '' } = declaration?.primary ?? {};
  const isClusterScoped = declaration?.primary.scope === 'Cluster';
  return {
    v: 1,
    reconciler,
    key: { managementCluster, group, kind, namespace: isClusterScoped ? '' : namespace, name },
    cause: 'manual',
    attempt: 0,
    trace: `${reconciler}-${name}`,
  };
}

/** One request receives at most ten messages. */
async function receiveAll(): Promise<readonly ReceivedMessage[]> {
  const received = await queues.receive(sharedWorkQueue, { max: 10, waitSeconds: 1 });
  return received.length === 0 ? [] : [...received, ...(await receiveAll())];
}

/** Sends the requests, receives everything that is in the shared queue, and invokes the function once. */
async function serve(requests: readonly Request[], more: readonly string[] = []) {
  for (const request of requests) {
    // Like every sender: it does not know that the reconcilers share a queue.
    const [sent] = await queues.send(workQueueOf(request.reconciler), [
      toWorkMessage(request, () => crypto.randomUUID()),
    ]);
    expect(sent).toEqual({ ok: true });
  }
  for (const body of more) {
    await queues.send(sharedWorkQueue, [{ body, groupId: crypto.randomUUID(), deduplicationId: crypto.randomUUID() }]);
  }
  const messages = await receiveAll();
  expect(messages).toHaveLength(requests.length + more.length);
  const lines: LogFact['line'][] = [];
  const listen = (fact: unknown): void => void lines.push((fact as LogFact).line); // true: this channel has no other facts
  logs.subscribe(listen);
  const invoked = await invoke(
    target,
    { Records: messages.map(message => toRecord(sharedWorkQueue, message)) },
    systemClock,
  );
  logs.unsubscribe(listen);
  const { failed, error } = toVerdict(invoked, messages);
  expect(error).toBeUndefined();
  await queues.delete(
    sharedWorkQueue,
    messages.filter(({ messageId }) => !failed.has(messageId)).map(({ receiptHandle }) => receiptHandle),
  );
  return { failed: messages.filter(({ messageId }) => failed.has(messageId)).map(({ body }) => body), lines };
}

describe('the function of the shared work queue', () => {
  it('reconciles the objects of several reconcilers in one invocation, with the logs of each', async () => {
    await client.create(aProvisionedStaticCluster(namespace, 'one'));
    await client.create(aStaticallyProvidedCluster(namespace, 'one'));
    const requests = declarations.map(({ name }) => aRequest(name, 'one'));
    const { failed, lines } = await serve(requests);
    expect(failed).toEqual([]);
    expect(phaseOf(await client.read(clusterRef(namespace, 'one')))).toBe('Provisioned');
    const reconciled = lines
      .filter(({ message }) => message === 'Reconciled')
      .map(line => [line['function'], line['controller']]);
    expect(reconciled).toContainEqual(['cluster', 'cluster']);
    expect(reconciled).toContainEqual(['topology', expect.any(String)]);
    expect(new Set(reconciled.map(([name]) => name)).size).toBe(declarations.length);
  });

  it('fails only unreadable messages and those of other programs', async () => {
    const foreign = JSON.stringify({ ...aRequest('cluster', 'one'), reconciler: 'simulated-cluster' });
    const { failed, lines } = await serve([aRequest('cluster', 'one')], ['nonsense', foreign]);
    expect(failed.toSorted()).toEqual(['nonsense', foreign].toSorted());
    expect(
      lines
        .filter(({ message }) => message === 'Refusing a message')
        .map(line => line['reason'])
        .toSorted(),
    ).toEqual(['unknown_reconciler', 'unreadable']);
  });

  it('sends follow-ups of its reconcilers to the queues of the deployment', async () => {
    await client.create(aStaticallyProvidedCluster(namespace, 'without-infrastructure'));
    await serve([aRequest('cluster', 'without-infrastructure')]);
    const { visible, inFlight, delayed } = await queues.depth(delayQueue);
    expect(visible + inFlight + delayed).toBeGreaterThan(0);
  });
});
