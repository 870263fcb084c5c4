// A Runtime Extension server on loopback: HTTPS with an authority of its own, well-behaved or hostile as each test scripts it.
import 'reflect-metadata';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { SubjectAlternativeNameExtension } from '@peculiar/x509';
import type { Instant } from '../../shared/api/object.ts';
import type { Authority } from '../../shared/certificates/port.ts';
import {
  createAuthority,
  issueCertificate,
  issueServerCertificate,
  readAuthority,
} from '../../shared/certificates/x509/authority.ts';
import { createKeyPair } from '../../shared/certificates/x509/keys.ts';
import type { FakeAnswer } from './fake-hooks.ts';

export type ServerAnswer =
  | FakeAnswer
  /** Status code 200 and these bytes, whatever they are. */
  | { readonly raw: string | Buffer; readonly encoding?: string }
  /** JSON, as small as gzip makes it. */
  | { readonly gzipped: unknown }
  /** Zeros that take next to nothing on the way. */
  | { readonly bombBytes: number }
  /** As many bytes, written as fast as they are taken. */
  | { readonly hugeBytes: number }
  | { readonly redirect: string }
  /** The head, then a byte whenever the test says so. */
  | { readonly drip: true }
  /** The head and half of the body, then the end of the connection. */
  | { readonly halfClosed: true };

export interface ReceivedCall {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Of the client's certificate; '' without one. */
  readonly clientFingerprint: string;
  /** The name that the client asked for in TLS. */
  readonly serverName: string;
  /** Counts connections from 1. */
  readonly connection: number;
  /** Sends another byte of a dripping answer. */
  readonly drip: () => void;
}

export interface ExtensionServer {
  readonly url: string;
  readonly port: number;
  /** PEM of the authority that signed its certificate. */
  readonly ca: string;
  readonly received: readonly ReceivedCall[];
  /** The call of this number, counted from 1, once it has come. */
  call(number: number): Promise<ReceivedCall>;
  /** `path` as in the fake: `discovery`, `beforeclustercreate/first`. */
  answer(path: string, answer: ServerAnswer): void;
  /** Ends every open connection, idle or not. */
  disconnect(): void;
  close(): Promise<void>;
}

export interface ServerIdentity {
  readonly ca: string;
  readonly certificate: string;
  readonly privateKey: string;
}

/** For 127.0.0.1, or for this DNS name. Made once per test file: keys take their time. */
export async function anIdentity(dnsName?: string): Promise<ServerIdentity> {
  const now = Date.now();
  const authority = await createAuthority(now);
  const issued =
    dnsName === undefined
      ? await issueServerCertificate(authority, { address: '127.0.0.1', now })
      : await issueFor(dnsName, authority, now);
  return { ca: authority.certificate, ...issued };
}

async function issueFor(dnsName: string, authority: Authority, now: Instant): Promise<Omit<ServerIdentity, 'ca'>> {
  const signing = readAuthority(authority);
  if (!signing.ok) {
    throw new Error(signing.error);
  }
  const { publicKey, privateKey } = await createKeyPair();
  const certificate = await issueCertificate(signing.value, {
    subject: [{ CN: [dnsName] }],
    publicKey,
    notBefore: new Date(now - hourMs),
    notAfter: new Date(now + hourMs),
    extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: dnsName }])],
  });
  return { certificate, privateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString() };
}

const hourMs = 3_600_000;

export async function startExtensionServer(identity: ServerIdentity): Promise<ExtensionServer> {
  const answers = new Map<string, ServerAnswer>();
  const received: ReceivedCall[] = [];
  const sockets = new Map<Socket, number>();
  const waiting = new Set<() => void>();
  let connections = 0;
  const server = createServer(
    { cert: identity.certificate, key: identity.privateKey, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      void serve(request, response).catch(() => response.destroy());
    },
  );
  server.on('secureConnection', socket => {
    connections += 1;
    sockets.set(socket, connections);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => {});

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    const socket = request.socket as TLSSocket; // every connection of this server is one
    const url = request.url ?? '';
    received.push({
      method: request.method ?? '',
      url,
      headers: request.headers,
      body,
      clientFingerprint: socket.getPeerCertificate().fingerprint256 ?? '',
      serverName: typeof socket.servername === 'string' ? socket.servername : '',
      connection: sockets.get(socket) ?? 0,
      drip: () => response.write(' '),
    });
    for (const wake of waiting) {
      wake();
    }
    const path = /\/v1alpha1\/([^?]*)/.exec(url)?.[1] ?? '';
    respond(response, answers.get(path) ?? { status: 404, text: 'no such handler' });
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    ca: identity.ca,
    received,
    async call(number) {
      for (let found = received[number - 1]; ; found = received[number - 1]) {
        if (found !== undefined) {
          return found;
        }
        await new Promise<void>(resolve => {
          const wake = (): void => {
            waiting.delete(wake);
            resolve();
          };
          waiting.add(wake);
        });
      }
    },
    answer: (path, answer) => answers.set(path, answer),
    disconnect() {
      for (const socket of sockets.keys()) {
        socket.destroy();
      }
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function respond(response: ServerResponse, answer: ServerAnswer): void {
  if ('body' in answer) {
    response.end(JSON.stringify(answer.body));
  } else if ('status' in answer) {
    response.writeHead(answer.status).end(answer.text ?? '');
  } else if ('unreachable' in answer) {
    response.destroy();
  } else if ('raw' in answer) {
    response.writeHead(200, answer.encoding === undefined ? {} : { 'content-encoding': answer.encoding });
    response.end(answer.raw);
  } else if ('gzipped' in answer) {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(JSON.stringify(answer.gzipped)));
  } else if ('bombBytes' in answer) {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(answer.bombBytes)));
  } else if ('hugeBytes' in answer) {
    pour(response, answer.hugeBytes);
  } else if ('redirect' in answer) {
    response.writeHead(302, { location: answer.redirect }).end();
  } else if ('drip' in answer) {
    response.writeHead(200).flushHeaders();
  } else if ('halfClosed' in answer) {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"status":', () => response.destroy());
  }
  // A silent server says nothing more.
}

/** Stops when the client has gone. */
function pour(response: ServerResponse, bytes: number): void {
  const chunk = Buffer.alloc(1024 * 1024, 0x20);
  let left = bytes;
  const go = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= chunk.length;
      if (!response.write(chunk)) {
        response.once('drain', go);
        return;
      }
    }
    response.end();
  };
  go();
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk as Buffer); // no encoding is set, so a stream of bytes yields Buffers
  }
  return Buffer.concat(chunks).toString('utf8');
}
