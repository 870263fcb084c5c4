// An HTTPS proxy on loopback in front of an API server. It delays, refuses and resets requests, from a seed.
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { reply } from './fault-server.ts';
import { makeSelfSignedCertificate } from './self-signed-certificate.ts';
import { type SlowApi, slowApiFaults } from './slow-api.ts';

export interface SlowProxy {
  /** The same kubeconfig, as JSON text, with the address of the proxy. */
  readonly kubeconfig: string;
  /** The number of requests by what happened to them. */
  readonly counts: Readonly<Counts>;
  close(): Promise<void>;
}

type Counts = Record<'served' | 'refused' | 'reset', number>;

interface Target {
  readonly url: string;
  readonly caPem: string;
  /** The kubeconfig as JSON text. Its user has a token, which passes through the proxy. */
  readonly kubeconfig: string;
}

interface Ends {
  onAnswer(answer: IncomingMessage): void;
  onError(): void;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

function forwarding(agent: HttpsAgent, target: Target) {
  return (request: IncomingMessage, response: ServerResponse, on: Ends): void => {
    const { method, headers, url = '/' } = request;
    const sent = httpsRequest(new URL(url, target.url), { agent, method, headers }, on.onAnswer);
    sent.on('error', on.onError);
    // A client that closes a watch ends the request to the API server.
    response.on('close', () => void (response.writableFinished || sent.destroy()));
    request.pipe(sent);
  };
}

/** Delays, refuses or resets each request, and counts it. */
function faulty(api: SlowApi, forward: ReturnType<typeof forwarding>, counts: Counts): Handler {
  const faults = slowApiFaults(api);
  let number = 0;
  return async (request, response) => {
    number += 1;
    const isWrite = request.method !== 'GET';
    const fault = faults.at({ number, port: 'kubernetes', isWrite, label: request.url ?? '', now: 0 });
    if (fault?.do === 'refuse' && fault.as === 'tooManyRequests') {
      counts.refused += 1;
      const message = 'too many requests, please try again later';
      reply(response, 429, { kind: 'Status', code: 429, message }, { 'retry-after': '1' });
    } else if (fault?.do === 'refuse') {
      counts.reset += 1;
      const end = (): void => void request.socket.destroy();
      fault.when === 'after' ? forward(request, response, { onAnswer: end, onError: end }) : end();
    } else {
      counts.served += 1;
      await delay(fault?.do === 'delay' ? fault.ms : 0);
      forward(request, response, {
        onAnswer(answer) {
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.on('error', () => response.destroy()).pipe(response);
        },
        onError: () => void response.destroy(),
      });
    }
  };
}

/** Requests that open a watch are delayed and refused like others. Their streams are not disturbed. */
export async function startSlowProxy(target: Target, api: SlowApi): Promise<SlowProxy> {
  const { certificatePem, keyPem } = makeSelfSignedCertificate();
  const agent = new HttpsAgent({ keepAlive: true, ca: target.caPem });
  const counts: Counts = { served: 0, refused: 0, reset: 0 };
  const serve = faulty(api, forwarding(agent, target), counts);
  const server = createServer({ cert: certificatePem, key: keyPem }, (request, response) => {
    request.on('error', () => {});
    void serve(request, response);
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // true: a TCP server that listens has an address of this type
  return {
    kubeconfig: withServer(target.kubeconfig, `https://127.0.0.1:${port}`, certificatePem),
    counts,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      agent.destroy();
      await closed;
    },
  };
}

function withServer(kubeconfig: string, server: string, ca: string): string {
  const parsed = JSON.parse(kubeconfig) as { readonly clusters: readonly { readonly name: string }[] }; // true: a kubeconfig lists its clusters
  const cluster = { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  return JSON.stringify({ ...parsed, clusters: parsed.clusters.map(({ name }) => ({ name, cluster })) });
}
