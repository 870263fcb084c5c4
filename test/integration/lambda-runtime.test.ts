// The packaged functions with AWS's runtime client. It loads the deployed files with the handler and environment of the
// synthesized template. Only endpoints and credentials are local.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { groupOf } from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { declarations } from '../../functions/declarations.ts';
import { toPhysicalName } from '../../infra/aws/physical-names.ts';
import { allFunctions, deployedFunctions, sharedFunction } from '../../infra/function-plans.ts';
import { startEventSourceMapping, toRecord } from '../../local/event-source-mapping.ts';
import { localAccount, localRegion } from '../../local/local-lambda.ts';
import { type LocalSqs, localClient, startSqs } from '../../local/sqs.ts';
import { coreCrds } from '../../shared/api/crds.ts';
import { refusedMessages } from '../../shared/kernel/metrics.ts';
import { readManagementCluster } from '../../shared/lambda/runtime.ts';
import type { Request } from '../../shared/workqueue/message.ts';
import { toDelayedMessage, toWorkMessage } from '../../shared/workqueue/outgoing.ts';
import type { OutgoingMessage, Queues, ReceivedMessage } from '../../shared/workqueue/port.ts';
import { largestBatch, toConsumers, toQueueSpecs } from '../../shared/workqueue/queue-specs.ts';
import { createSqsQueues } from '../../shared/workqueue/sqs/sqs-queues.ts';
import { findLambdaRic } from '../lambda-ric/location.ts';
import { allSent } from '../support/accepted.ts';
import { findControlPlaneBinaries } from '../support/control-plane-binaries.ts';
import { describePart } from '../support/describe-part.ts';
import { installDefinitions } from '../support/install-definitions.ts';
import { aRecordingLog } from '../support/kernel.ts';
import { type LambdaProcess, startLambda } from '../support/lambda-process.ts';
import { type Packaged, type PackagedFunction, packageDeployment } from '../support/packaged.ts';
import { type RealControlPlane, startControlPlane } from '../support/real-control-plane.ts';
import { receiveAwaited } from '../support/received-messages.ts';
import type { RuntimeAnswer } from '../support/runtime-api.ts';
import {
  aProvisionedStaticCluster,
  aStaticallyProvidedCluster,
  clusterRef,
  staticClusterCrd,
  staticClusterKind,
} from '../support/static-provider.ts';
import { everyGate } from '../support/synthesised.ts';
import { timeLimitFactor } from '../support/time-limits.ts';
import { conditionOf, connectWorldClient, phaseOf, type WorldClient } from '../support/world-client.ts';

const deployment = 'capi-genuine';
const place = { partition: 'aws', region: localRegion, account: localAccount };
const secretArn = `arn:aws:secretsmanager:${localRegion}:${localAccount}:secret:kubeconfig-AbCdEf`;
const given = {
  name: deployment,
  apiServer: { kind: 'kubeconfig', secretArn },
  sources: { windowed: true, auditWebhook: {} },
  admission: {},
  conversion: {},
  settings: { featureGates: everyGate },
};

/** Functions read credentials from Secrets Manager. In this test, files provide the credentials. */
const filesForSecrets: Readonly<Record<string, string>> = {
  CAPI_KUBECONFIG_SECRET: 'CAPI_KUBECONFIG',
  CAPI_AUDIT_TOKENS_SECRET: 'CAPI_AUDIT_TOKENS_FILE',
  CAPI_ADMISSION_TOKENS_SECRET: 'CAPI_ADMISSION_TOKENS_FILE',
  CAPI_CONVERSION_TOKENS_SECRET: 'CAPI_CONVERSION_TOKENS_FILE',
};

const admissionToken = 'a-token-in-the-path-of-hooks';
const conversionToken = 'a-token-in-the-path-of-conversion';

const specs = toQueueSpecs(toConsumers(declarations)).map(spec => ({
  ...spec,
  name: toPhysicalName(deployment, spec.name),
  ...(spec.redrive === undefined
    ? {}
    : { redrive: { ...spec.redrive, deadLetterQueue: toPhysicalName(deployment, spec.redrive.deadLetterQueue) } }),
}));

const ric = findLambdaRic();
const controlPlane = findControlPlaneBinaries();
const found = 'missing' in controlPlane ? controlPlane : ric;

describePart('functions under the runtime of Lambda', found, {
  part: 'the Lambda runtime interface client and a real control plane',
  declare: ({ program }) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'capi-lambda-'));
    const processes = new Map<string, LambdaProcess>();
    let plane: RealControlPlane;
    let client: WorldClient;
    let sqs: LocalSqs;
    let queues: Queues;
    let packaged: readonly PackagedFunction[];
    let managementCluster: string;

    beforeAll(async () => {
      [plane, sqs] = await Promise.all([startControlPlane({ controllers: false }), startSqs({ queues: specs })]);
      queues = createSqsQueues({ queueUrls: sqs.queueUrls, client: localClient(sqs.endpoint), timeLimitFactor });
      client = await connectWorldClient(plane.kubeconfigPath('admin'));
      managementCluster = await readManagementCluster(client.kubernetes);
      await installDefinitions(client.kubernetes, coreCrds);
      await client.create(staticClusterCrd);
      packaged = toLocal(await packageDeployment({ ...given, managementCluster }, folder));
      for (const each of packaged) {
        processes.set(each.name, await startLambda(program, each));
      }
    });

    afterAll(async () => {
      await Promise.all([...processes.values()].map(each => each.stop()));
      await Promise.all([sqs?.stop(), plane?.stop()]);
      rmSync(folder, { recursive: true, force: true });
    });

    /** The variables of the template, with the URLs of local queues and the paths of local files for secrets. */
    function toLocal({ functions }: Packaged): readonly PackagedFunction[] {
      const files = {
        CAPI_KUBECONFIG: plane.kubeconfigPath('admin'),
        CAPI_AUDIT_TOKENS_FILE: path.join(folder, 'tokens'),
        CAPI_ADMISSION_TOKENS_FILE: path.join(folder, 'admission-tokens'),
        CAPI_CONVERSION_TOKENS_FILE: path.join(folder, 'conversion-tokens'),
      };
      writeFileSync(files.CAPI_ADMISSION_TOKENS_FILE, `${admissionToken}\n`);
      writeFileSync(files.CAPI_CONVERSION_TOKENS_FILE, `${conversionToken}\n`);
      writeFileSync(files.CAPI_AUDIT_TOKENS_FILE, `${randomUUID()}\n`);
      return functions({ ref: id => id, attribute: id => id }, place, sqs.endpoint).map(each => ({
        ...each,
        environment: Object.fromEntries(
          Object.entries(each.environment).map(([name, value]) => {
            const local = filesForSecrets[name];
            // The secrets that have files.
            return local === undefined ? [name, value] : [local, files[local as keyof typeof files]];
          }),
        ),
      }));
    }

    function processOf(name: string): LambdaProcess {
      const running = processes.get(name);
      if (running === undefined) {
        throw new Error(`The template has no function ${name}, only ${[...processes.keys()].join(', ')}`);
      }
      return running;
    }

    function aRequest(name: string, cluster = managementCluster): Request {
      return {
        v: 1,
        reconciler: 'cluster',
        key: { managementCluster: cluster, group: 'cluster.x-k8s.io', kind: 'Cluster', namespace: 'default', name },
        cause: 'event',
        attempt: 0,
        trace: randomUUID(),
      };
    }

    const toWork = (name: string): OutgoingMessage => toWorkMessage(aRequest(name), randomUUID);

    const queueOf = (name: string): string =>
      toPhysicalName(deployment, deployedFunctions.find(plan => plan.name === name)?.queue ?? '');

    /** Receives until the expected number of messages match. Drops all others. */
    async function take(queue: string, isWanted: (body: string) => boolean, count = 1) {
      const taken: ReceivedMessage[] = [];
      while (taken.length < count) {
        const received = await receiveAwaited(queues, queue, `${count} messages, of which ${taken.length} came`);
        const others = received.filter(({ body }) => !isWanted(body));
        taken.push(...received.filter(message => !others.includes(message)));
        await queues.delete(queue, handlesOf(others));
      }
      return taken;
    }

    const toEvent = (queue: string, received: readonly ReceivedMessage[]) => ({
      Records: received.map(message => toRecord(queue, message)),
    });

    /** Sends the messages through the function's queue, and deletes them in the queue afterwards. */
    async function serve(name: string, messages: readonly OutgoingMessage[]) {
      const queue = queueOf(name);
      allSent(await queues.send(queue, messages));
      const isOurs = (body: string): boolean => messages.some(message => message.body === body);
      const received = await take(queue, isOurs, messages.length);
      const answer = await processOf(name).invoke(toEvent(queue, received));
      await queues.delete(queue, handlesOf(received));
      return { answer, received };
    }

    /** Runs with further environment variables in addition to those of the template. */
    function packagedAs(name: string, change: Readonly<Record<string, string>>): PackagedFunction {
      const one = packaged.find(each => each.name === name);
      if (one === undefined) {
        throw new Error(`The template has no function ${name}`);
      }
      return { ...one, environment: { ...one.environment, ...change } };
    }

    function givenBack(messages: readonly ReceivedMessage[]): RuntimeAnswer {
      const batchItemFailures = messages.map(({ messageId }) => ({ itemIdentifier: messageId }));
      return { ok: true, response: { batchItemFailures } };
    }

    const garbage = (): OutgoingMessage => ({
      body: 'garbage',
      groupId: randomUUID(),
      deduplicationId: randomUUID(),
    });

    it('are those that the template names, each loaded before its first event', async () => {
      expect([...processes.keys()].toSorted()).toEqual(
        allFunctions
          .map(({ name }) => name)
          .filter(name => name !== sharedFunction.name)
          .toSorted(),
      );
      await Promise.all([...processes.values()].map(each => each.ready()));
    });

    it.each(deployedFunctions)(
      'answer cold and warm in one process: $name, an unreadable message',
      async ({ name, queue }) => {
        for (const _ of ['cold', 'warm']) {
          const { answer, received } = await serve(name, [queue.endsWith('.fifo') ? garbage() : { body: 'garbage' }]);
          expect(answer).toEqual(givenBack(received));
        }
        expect(processOf(name).unexpected).toEqual([]);
      },
    );

    it('answer a request to the audit webhook without a token with HTTP status 401', async () => {
      const request = { version: '2.0', headers: {}, requestContext: { http: { method: 'POST' } }, body: '{}' };
      const answer = await processOf('audit-webhook').invoke(request);
      expect(answer).toMatchObject({ ok: true, response: { statusCode: 401 } });
    });

    it('answer a review of the admission webhook, and HTTP status 404 with another token', async () => {
      const spec = { clusterName: 'c1', bootstrap: { dataSecretName: 's' }, version: '1.34.1' };
      const object = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', metadata: { name: 'm' }, spec };
      const review = {
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        request: { uid: 'u1', operation: 'CREATE', object },
      };
      const request = (token: string) => ({
        version: '2.0',
        rawPath: `/${token}/mutate-cluster-x-k8s-io-v1beta2-machine`,
        headers: { 'content-type': 'application/json' },
        requestContext: { http: { method: 'POST' } },
        body: JSON.stringify(review),
      });
      expect(await processOf('admission').invoke(request(admissionToken))).toMatchObject({
        ok: true,
        response: { statusCode: 200, body: expect.stringContaining('"patchType":"JSONPatch"') },
      });
      expect(await processOf('admission').invoke(request(`${admissionToken}-x`))).toMatchObject({
        ok: true,
        response: { statusCode: 404 },
      });
    });

    it('answer a review of the conversion webhook, with versions from the CRDs of providers', async () => {
      const { kind, apiVersion } = staticClusterKind;
      const infrastructureRef = { apiGroup: groupOf(apiVersion), kind, name: 'i' };
      const spec = { clusterName: 'c1', bootstrap: { dataSecretName: 's' }, infrastructureRef };
      const object = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', metadata: { name: 'm' }, spec };
      const request = (token: string) => ({
        version: '2.0',
        rawPath: `/${token}/convert`,
        headers: { 'content-type': 'application/json' },
        requestContext: { http: { method: 'POST' } },
        body: JSON.stringify({
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'ConversionReview',
          request: { uid: 'u1', desiredAPIVersion: 'cluster.x-k8s.io/v1beta1', objects: [object] },
        }),
      });
      expect(await processOf('conversion').invoke(request(conversionToken))).toMatchObject({
        ok: true,
        response: {
          statusCode: 200,
          body: expect.stringContaining(`"apiVersion":"${apiVersion}"`),
        },
      });
      expect(await processOf('conversion').invoke(request(admissionToken))).toMatchObject({
        ok: true,
        response: { statusCode: 404 },
      });
    });

    it('reconcile an SQS event: windowed forwarder or timer, queue, reconciler, API server', async () => {
      const serving = ['cluster', 'timer'].map(name =>
        startEventSourceMapping({
          queue: queueOf(name),
          batchSize: largestBatch,
          queues,
          target: { name, timeoutSeconds: 60, handler: event => orThrow(processOf(name).invoke(event)) },
          clock: systemClock,
          log: aRecordingLog(),
          maximumConcurrency: 1,
        }),
      );
      try {
        await createCluster('watched');
        expect(await processOf('windowed-forwarder').invoke({})).toMatchObject({ ok: true });
        await untilProvisioned('watched');
        await createCluster('timed');
        allSent(await queues.send(toPhysicalName(deployment, 'delay'), [toDelayedMessage(aRequest('timed'), 0)]));
        await untilProvisioned('timed');
      } finally {
        await Promise.all(serving.map(mapping => mapping.stop()));
      }
    });

    it('return only the failed messages of a batch', async () => {
      await createCluster('good');
      const { answer, received } = await serve('cluster', [toWork('good'), garbage()]);
      expect(answer).toEqual(givenBack(received.filter(({ body }) => body === 'garbage')));
      expect(phaseOf(await client.read(clusterRef('default', 'good')))).toBe('Provisioned');
    });

    it('report an error with its class and message, and serve the next event in the same process', async () => {
      const answer = await processOf('cluster').invoke({ nothing: 'of a queue' });
      expect(answer).toMatchObject({
        ok: false,
        failure: {
          errorType: 'TypeError',
          errorMessage: 'Function "cluster" was called with an event that holds no queue messages',
        },
      });
      await client.patch(clusterRef('default', 'good'), { spec: { paused: true } });
      expect((await serve('cluster', [toWork('good')])).answer).toEqual(givenBack([]));
      expect(conditionOf(await client.read(clusterRef('default', 'good')), 'Paused')).toBe('True');
    });

    it('reject messages for another management cluster, also from the delay queue, until they are dead letters', async () => {
      const elsewhere = randomUUID();
      const isForeign = (body: string): boolean => body.includes(elsewhere);
      const [delay, work] = [queueOf('timer'), queueOf('cluster')];
      const counting = await startLambda(program, packagedAs('cluster', { CAPI_METRICS: 'few' }));
      try {
        allSent(await queues.send(delay, [toDelayedMessage(aRequest('good', elsewhere), 0)]));
        const delayed = await take(delay, isForeign);
        expect(await processOf('timer').invoke(toEvent(delay, delayed))).toEqual(givenBack([]));
        for (let receipt = 1; receipt <= maxReceives(work); receipt += 1) {
          const refused = await take(work, isForeign);
          expect(await counting.invoke(toEvent(work, refused))).toEqual(givenBack(refused));
          await queues.changeVisibility(work, handlesOf(refused), 0);
        }
        // A queue moves a message to the dead-letter queue only at the next receive.
        const left = await queues.receive(work, { max: 10, waitSeconds: 0 });
        expect(left.filter(({ body }) => isForeign(body))).toEqual([]);
        expect(await take(toPhysicalName(deployment, 'work-cluster-dlq.fifo'), isForeign)).toHaveLength(1);
        const lines = counting.output().split('\n');
        const counted = lines.filter(line => line.includes(refusedMessages) && line.includes('_management_cluster'));
        expect(counted).toHaveLength(maxReceives(work));
      } finally {
        await counting.stop();
      }
    });

    it('report an invalid environment before the first event, and exit', async () => {
      const running = await startLambda(program, packagedAs('timer', { CAPI_RESYNC_PERIOD_SECONDS: 'soon' }));
      try {
        expect(await running.initFailure).toMatchObject({
          errorType: 'ConfigError',
          errorMessage: expect.stringContaining('CAPI_RESYNC_PERIOD_SECONDS'),
        });
        expect(await running.ended).not.toBe(0);
      } finally {
        await running.stop();
      }
    });

    async function createCluster(name: string): Promise<void> {
      await client.create(aProvisionedStaticCluster('default', name));
      await client.create(aStaticallyProvidedCluster('default', name));
    }

    async function untilProvisioned(name: string): Promise<void> {
      await client.until(clusterRef('default', name), object => phaseOf(object) === 'Provisioned');
    }
  },
});

const handlesOf = (messages: readonly ReceivedMessage[]): readonly string[] =>
  messages.map(({ receiptHandle }) => receiptHandle);

function maxReceives(queue: string): number {
  return specs.find(({ name }) => name === queue)?.redrive?.maxReceiveCount ?? 0;
}

async function orThrow(answering: Promise<RuntimeAnswer>): Promise<unknown> {
  const answer = await answering;
  if (!answer.ok) {
    throw new Error(`${answer.failure.errorType}: ${answer.failure.errorMessage}`);
  }
  return answer.response;
}
