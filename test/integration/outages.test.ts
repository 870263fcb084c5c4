// The bundled functions with AWS's runtime client during an outage of their API server. Every parsed message is
// answered with a delayed retry and acknowledged, so that an outage produces no dead letters
// (docs/decisions/0037-outages.md).
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { declarations } from '../../functions/declarations.ts';
import { toPhysicalName } from '../../infra/aws/physical-names.ts';
import { resyncFunction } from '../../infra/function-plans.ts';
import { toRecord } from '../../local/event-source-mapping.ts';
import { localAccount, localRegion } from '../../local/local-lambda.ts';
import { type LocalSqs, localClient, startSqs } from '../../local/sqs.ts';
import { parseExpansion } from '../../shared/workqueue/expand.ts';
import { parseRequest, toBody } from '../../shared/workqueue/message.ts';
import { toExpandMessage } from '../../shared/workqueue/outgoing.ts';
import type { Queues, ReceivedMessage } from '../../shared/workqueue/port.ts';
import { delayQueue, expandQueue } from '../../shared/workqueue/queue-names.ts';
import { toConsumers, toQueueSpecs } from '../../shared/workqueue/queue-specs.ts';
import { createSqsQueues } from '../../shared/workqueue/sqs/sqs-queues.ts';
import { findLambdaRic } from '../lambda-ric/location.ts';
import { describePart } from '../support/describe-part.ts';
import { type FaultServer, reply, startFaultServer } from '../support/fault-server.ts';
import { type LambdaProcess, startLambda } from '../support/lambda-process.ts';
import { type PackagedFunction, packageDeployment } from '../support/packaged.ts';
import { freePort } from '../support/real-control-plane.ts';
import { receiveAwaited } from '../support/received-messages.ts';
import { everyGate } from '../support/synthesised.ts';
import { timeLimitFactor } from '../support/time-limits.ts';

const deployment = 'capi-outages';
const given = {
  name: deployment,
  apiServer: {
    kind: 'kubeconfig',
    secretArn: `arn:aws:secretsmanager:${localRegion}:${localAccount}:secret:kubeconfig-AbCdEf`,
  },
  sources: { windowed: true },
  settings: { featureGates: everyGate },
};
const uid = randomUUID();

/**
 * Half of the timeout of these functions. The limits of a connection end an invocation after 18 s, so no loaded machine
 * reaches it.
 */
const mostSeconds = 60;

describePart('functions whose API server is out of reach', findLambdaRic(), {
  part: 'the Lambda runtime interface client',
  declare: ({ program }) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'capi-outages-'));
    const kubeconfig = path.join(folder, 'kubeconfig');
    const authorityFile = path.join(folder, 'secrets-ca.pem');
    const sockets = new Set<Socket>();
    let sqs: LocalSqs;
    let queues: Queues;
    /** The functions read their kubeconfig from Secrets Manager. */
    let deployed: readonly PackagedFunction[];
    /** The same functions with a kubeconfig in a file, which tests replace. */
    let packaged: readonly PackagedFunction[];
    let silent: Server;
    let server: FaultServer;
    let secrets: FaultServer;
    /** The answer of Secrets Manager. Silence: there is none. */
    let answerOfSecrets: { readonly status: number; readonly body: object } | 'silence';
    let closedPort: number;
    /** The status code of every answer. With 200, the namespace kube-system exists, and no other object. */
    let status = 200;

    beforeAll(async () => {
      const specs = toQueueSpecs(toConsumers(declarations)).map(({ redrive: _none, ...spec }) => ({
        ...spec,
        name: toPhysicalName(deployment, spec.name),
      }));
      sqs = await startSqs({ queues: specs });
      queues = createSqsQueues({ queueUrls: sqs.queueUrls, client: localClient(sqs.endpoint), timeLimitFactor });
      server = await startFaultServer(({ path: asked }, response) => {
        const found = status === 200 && asked.endsWith('/namespaces/kube-system');
        const code = found || status !== 200 ? status : 404;
        const details = { name: 'a', kind: 'clusters' };
        reply(response, code, found ? { metadata: { name: 'kube-system', uid } } : { kind: 'Status', code, details });
      });
      secrets = await startFaultServer((_asked, response) => {
        if (answerOfSecrets !== 'silence') {
          reply(response, answerOfSecrets.status, answerOfSecrets.body);
        }
      });
      writeFileSync(authorityFile, secrets.ca);
      silent = createServer(socket => void sockets.add(socket.on('error', () => {}))).listen(0, '127.0.0.1');
      await once(silent, 'listening');
      closedPort = await freePort();
      const { functions } = await packageDeployment(given, folder);
      const made = { ref: (id: string) => id, attribute: (id: string) => id };
      const place = { partition: 'aws', region: localRegion, account: localAccount };
      deployed = functions(made, place, sqs.endpoint);
      packaged = deployed.map(({ environment, ...each }) => {
        const { CAPI_KUBECONFIG_SECRET: _secret, ...rest } = environment;
        return { ...each, environment: { ...rest, CAPI_KUBECONFIG: kubeconfig } };
      });
    });

    afterAll(async () => {
      for (const socket of sockets) {
        socket.destroy();
      }
      silent?.close();
      await Promise.all([sqs?.stop(), server?.close(), secrets?.close()]);
      rmSync(folder, { recursive: true, force: true });
    });

    const portOf = (listening: Server): number => (listening.address() as AddressInfo).port; // true: it listens on TCP

    function toKubeconfig(address: string): string {
      const cluster = { server: address, 'certificate-authority-data': Buffer.from(server.ca).toString('base64') };
      const contexts = [{ name: 'x', context: { cluster: 'x', user: 'x' } }];
      const users = [{ name: 'x', user: { token: 'none' } }];
      const text = { 'current-context': 'x', clusters: [{ name: 'x', cluster }], users, contexts };
      return JSON.stringify(text);
    }

    const connectTo = (address: string): void => writeFileSync(kubeconfig, toKubeconfig(address));

    function start(name: string, environment?: PackagedFunction['environment']): Promise<LambdaProcess> {
      const one = (environment === undefined ? packaged : deployed).find(each => each.name === name);
      if (one === undefined) {
        throw new Error(`The template has no function ${name}`);
      }
      return startLambda(program, { ...one, environment: { ...one.environment, ...environment } });
    }

    /**
     * Returns the answer of the function, and the retries that it sent. The retries become visible after their delay.
     */
    async function serve(running: LambdaProcess, bodies: readonly string[], to = delayQueue) {
      const queue = toPhysicalName(deployment, to);
      const messages = bodies.map((body, index) => ({
        messageId: `m${index}`,
        receiptHandle: randomUUID(),
        body,
        attributes: { receiveCount: 1, sentAtMs: Date.now() },
      }));
      const startedAt = performance.now();
      const answer = await running.invoke({ Records: messages.map(each => toRecord(queue, each)) });
      return { answer, seconds: (performance.now() - startedAt) / 1000 };
    }

    /** Returns the bodies of the messages in the queue, including delayed ones. */
    async function take(to: string, count: number): Promise<readonly string[]> {
      const queue = toPhysicalName(deployment, to);
      const bodies: string[] = [];
      while (bodies.length < count) {
        const taken = await receiveAwaited(queues, queue, `${count} messages, of which ${bodies.length} came`);
        await queues.delete(queue, handlesOf(taken));
        bodies.push(...taken.map(({ body }) => body));
      }
      return bodies;
    }

    const outages = {
      'nothing listens at its address': () => connectTo(`https://127.0.0.1:${closedPort}`),
      'it accepts connections and never answers': () => connectTo(`https://127.0.0.1:${portOf(silent)}`),
      'it refuses the function': () => {
        status = 403;
        connectTo(server.url);
      },
      'it is unavailable': () => {
        status = 503;
        connectTo(server.url);
      },
      'its kubeconfig cannot be read': () => rmSync(kubeconfig, { force: true }),
    } as const;

    const refusals = {
      'the secret of its kubeconfig does not exist': { status: 400, body: { __type: 'ResourceNotFoundException' } },
      'it may not read the secret': { status: 400, body: { __type: 'AccessDeniedException' } },
      'Secrets Manager is unavailable': { status: 503, body: { __type: 'ServiceUnavailable' } },
      'Secrets Manager never answers': 'silence',
    } as const;

    it.each(Object.entries(refusals))('%s: retries its objects later, then serves them', async (_why, refusal) => {
      answerOfSecrets = refusal;
      const running = await start('cluster', {
        AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
        NODE_EXTRA_CA_CERTS: authorityFile,
      });
      await retriesThenServes(running, () => {
        answerOfSecrets = { status: 200, body: { SecretString: toKubeconfig(server.url) } };
      });
    });

    it.each(Object.entries(outages))('%s: retries its objects later, then serves them', async (_why, begin) => {
      begin();
      await retriesThenServes(await start('cluster'), () => connectTo(server.url));
    });

    async function retriesThenServes(running: LambdaProcess, end: () => void): Promise<void> {
      try {
        const { answer, seconds } = await serve(running, [aRequest('cluster', 'a', 1), aRequest('cluster', 'b', 0)]);
        expect(answer).toEqual(allAcknowledged);
        expect(seconds).toBeLessThan(mostSeconds);
        const retries = await take(delayQueue, 2);
        const attempts = retries.map(body => parseRequest(body)).map(({ key, attempt }) => [key.name, attempt]);
        expect(attempts.toSorted()).toEqual([
          ['a', 2],
          ['b', 1],
        ]);
        status = 200;
        end();
        const asked = server.received.length;
        expect((await serve(running, retries)).answer).toEqual(allAcknowledged);
        const paths = server.received.slice(asked).map(({ path: each }) => each.split('/').at(-1));
        expect(paths.toSorted()).toEqual(['a', 'b', 'kube-system']);
        expect(await queues.depth(toPhysicalName(deployment, delayQueue))).toMatchObject({ visible: 0, delayed: 0 });
      } finally {
        await running.stop();
      }
    }

    it.each(declarations)('$name: retries its objects later', async ({ name }) => {
      outages['nothing listens at its address']();
      const running = await start(name);
      try {
        expect((await serve(running, [aRequest(name, 'a', 0), 'garbage'])).answer).toEqual({
          ok: true,
          response: { batchItemFailures: [{ itemIdentifier: 'm1' }] },
        });
        const retries = (await take(delayQueue, 1)).map(body => parseRequest(body));
        expect(retries).toMatchObject([{ reconciler: name, attempt: 1, cause: 'timer' }]);
      } finally {
        await running.stop();
      }
    });

    it('the resync function: expands sources later, and reports unreadable messages', async () => {
      outages['nothing listens at its address']();
      const running = await start(resyncFunction);
      try {
        const source = {
          apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
          kind: 'SimulatedCluster',
          namespace: 'default',
        };
        const expansion = toExpandMessage({ v: 1, reconciler: 'cluster', source, trace: 't' });
        expect((await serve(running, ['garbage', expansion.body], expandQueue)).answer).toEqual({
          ok: true,
          response: { batchItemFailures: [{ itemIdentifier: 'm0' }] },
        });
        const retries = (await take(expandQueue, 1)).map(body => parseExpansion(body));
        expect(retries).toMatchObject([{ source, attempt: 1 }]);
      } finally {
        await running.stop();
      }
    });
  },
});

const allAcknowledged = { ok: true, response: { batchItemFailures: [] } };

const handlesOf = (messages: readonly ReceivedMessage[]): readonly string[] =>
  messages.map(({ receiptHandle }) => receiptHandle);

/** Returns a request for the primary kind of the reconciler. */
function aRequest(reconciler: string, name: string, attempt: number): string {
  const primary = declarations.find(each => each.name === reconciler)?.primary;
  const key = {
    managementCluster: uid,
    group: primary?.group ?? '',
    kind: primary?.kind ?? '',
    namespace: primary?.scope === 'Cluster' ? '' : 'default',
    name,
  };
  return toBody({ v: 1, reconciler, key, cause: 'event', attempt, trace: randomUUID() });
}
