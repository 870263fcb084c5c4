// An HTTP server on loopback. It records requests and returns faulty answers. Tests script each answer.
import { once } from 'node:events';
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Credentials } from '../../shared/kubernetes/credentials/credentials.ts';
import { makeSelfSignedCertificate } from './self-signed-certificate.ts';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** `number` counts requests from 1. */
export type Script = (request: Received, response: ServerResponse, number: number) => void;

export interface FaultServer {
  readonly url: string;
  readonly ca: string;
  readonly received: readonly Received[];
  /** The number of opened connections. */
  readonly connections: number;
  /** Credentials that use the next token after each refresh. After the last token, they keep it. */
  credentials(...tokens: readonly string[]): Credentials;
  close(): Promise<void>;
}

export async function startFaultServer(script: Script, options: { readonly tls?: boolean } = {}): Promise<FaultServer> {
  const isTls = options.tls ?? true;
  const { certificatePem, keyPem } = makeSelfSignedCertificate();
  const received: Received[] = [];
  let connections = 0;
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    void readBody(request).then(body => {
      const url = new URL(request.url ?? '/', 'http://localhost');
      const query = Object.fromEntries(url.searchParams);
      const entry = { method: request.method ?? '', path: url.pathname, query, headers: request.headers, body };
      received.push(entry);
      script(entry, response, received.length);
    });
  };
  const server = isTls ? createHttps({ cert: certificatePem, key: keyPem }, listener) : createHttp(listener);
  server.on(isTls ? 'secureConnection' : 'connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // true: a TCP server that listens has an address of this type
  const url = `${isTls ? 'https' : 'http'}://127.0.0.1:${port}`;
  return {
    url,
    ca: certificatePem,
    received,
    get connections() {
      return connections;
    },
    credentials: (...tokens) => scriptedCredentials(url, certificatePem, tokens),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Answers with a status and a JSON body. */
export function reply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

function scriptedCredentials(server: string, ca: string, tokens: readonly string[]): Credentials {
  const endpoint = { server, ca, insecureSkipTlsVerify: false };
  let index = 0;
  return {
    server,
    current: async () => ({
      endpoint,
      authorization: tokens[index] === undefined ? undefined : `Bearer ${tokens[index]}`,
    }),
    refresh: async () => {
      index += index < tokens.length - 1 ? 1 : 0;
      return tokens.length > 1;
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk as Buffer); // true: no encoding is set, so a stream of bytes yields Buffers
  }
  return Buffer.concat(chunks).toString('utf8');
}
