// Lambda's Runtime API on loopback for the process of one function. It sends events and receives answers.
// https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** The error report of a runtime, for an invocation or for its initialization. */
export interface RuntimeFailure {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly stackTrace?: readonly string[];
}

export type RuntimeAnswer =
  | { readonly ok: true; readonly response: unknown }
  | { readonly ok: false; readonly failure: RuntimeFailure };

interface RuntimeApiOptions {
  readonly functionArn: string;
  readonly timeoutSeconds: number;
}

interface Invocation {
  readonly id: string;
  readonly event: unknown;
  settle(answer: RuntimeAnswer): void;
}

const prefix = '/2018-06-01/runtime';

export class RuntimeApi {
  readonly #options: RuntimeApiOptions;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #waiting: Invocation[] = [];
  readonly #under = new Map<string, Invocation>();
  readonly #ready = Promise.withResolvers<void>();
  readonly #initFailure = Promise.withResolvers<RuntimeFailure>();
  readonly #unexpected: string[] = [];
  #poll: ServerResponse | undefined;

  private constructor(options: RuntimeApiOptions) {
    this.#options = options;
  }

  static async open(options: RuntimeApiOptions): Promise<RuntimeApi> {
    const api = new RuntimeApi(options);
    await new Promise<void>(resolve => api.#server.listen(0, '127.0.0.1', resolve));
    return api;
  }

  /** The value for AWS_LAMBDA_RUNTIME_API. */
  get address(): string {
    const { port } = this.#server.address() as AddressInfo; // true: a server that listens on a port has an address of this type
    return `127.0.0.1:${port}`;
  }

  /** Resolves when the runtime requests its first event, so that the function is loaded. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Resolves with the error of a failed initialization. */
  get initFailure(): Promise<RuntimeFailure> {
    return this.#initFailure.promise;
  }

  /** Requests that a runtime must not send. */
  get unexpected(): readonly string[] {
    return this.#unexpected;
  }

  /** Sends the event to the runtime at its next request. Resolves with the response. */
  invoke(event: unknown): Promise<RuntimeAnswer> {
    return new Promise(settle => {
      this.#waiting.push({ id: randomUUID(), event, settle });
      this.#deliver();
    });
  }

  async close(): Promise<void> {
    const closed = new Promise(resolve => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '' } = request;
    const path = url.startsWith(prefix) ? url.slice(prefix.length) : '';
    const [, id = '', what = ''] = /^\/invocation\/([\w-]+)\/(response|error)$/.exec(path) ?? [];
    if (method === 'GET' && path === '/invocation/next') {
      this.#poll = response;
      this.#ready.resolve();
      this.#deliver();
    } else if (method === 'POST' && path === '/init/error') {
      this.#initFailure.resolve(JSON.parse(await text(request)));
      accept(response);
    } else if (method === 'POST' && this.#under.has(id)) {
      this.#settle(id, what === 'response', await text(request));
      accept(response);
    } else {
      this.#unexpected.push(`${method} ${url}`);
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end('{"errorType":"InvalidRequestID","errorMessage":"Invalid request ID"}');
    }
  }

  #settle(id: string, isResponse: boolean, body: string): void {
    const value: unknown = body === '' ? undefined : JSON.parse(body);
    const invocation = this.#under.get(id);
    this.#under.delete(id);
    // The API defines this form for the body of an error.
    invocation?.settle(isResponse ? { ok: true, response: value } : { ok: false, failure: value as RuntimeFailure });
  }

  /** One event is sent at a time: the runtime requests the next one after its response. */
  #deliver(): void {
    const poll = this.#poll;
    const next = poll === undefined ? undefined : this.#waiting.shift();
    if (poll === undefined || next === undefined) {
      return;
    }
    this.#poll = undefined;
    this.#under.set(next.id, next);
    poll.writeHead(200, {
      'content-type': 'application/json',
      'Lambda-Runtime-Aws-Request-Id': next.id,
      'Lambda-Runtime-Deadline-Ms': String(Date.now() + this.#options.timeoutSeconds * 1000),
      'Lambda-Runtime-Invoked-Function-Arn': this.#options.functionArn,
      'Lambda-Runtime-Trace-Id': 'Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=0',
    });
    poll.end(JSON.stringify(next.event));
  }
}

function accept(response: ServerResponse): void {
  response.writeHead(202, { 'content-type': 'application/json' });
  response.end('{"status":"OK"}');
}
