// The embedded Kubernetes API server: the in-memory core behind HTTPS on loopback.
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Clock, withoutUndefined } from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import type { AuditOptions, OpenAudit } from './audit/open.ts';
import { runControllers } from './controllers.ts';
import type { Admit, Mutate } from './core/admission.ts';
import { type ApiCore, createApiCore } from './core/api-core.ts';
import type { IdSource } from './core/context.ts';
import type { Resource } from './core/kinds.ts';
import type { HistoryWindow } from './core/log.ts';
import type { StoreSnapshot } from './core/snapshot.ts';
import type { VersionConversion } from './core/version-conversion.ts';
import { type AuthenticateToken, createAuthenticator } from './http/authorize.ts';
import { makeSelfSignedCertificate } from './http/certificate.ts';
import { createListener } from './http/listener.ts';
import { onLoopbackOnly } from './http/loopback-host.ts';
import type { UserInfo } from './http/request.ts';
import { toKubeconfig } from './http/write-kubeconfig.ts';

export interface ApiServerOptions {
  /** The initial state. Default: only the initial namespaces. */
  readonly snapshot?: StoreSnapshot;
  /** Kinds in addition to the usual built-in kinds, for instance `workloadKinds`. Default: none. */
  readonly kinds?: readonly Resource[];
  /** The port. Default: any free port. */
  readonly port?: number;
  readonly clock?: Clock;
  readonly ids?: IdSource;
  /**
   * Users in addition to `admin`. Members of system:masters may send all requests. Other users may only read discovery.
   */
  readonly users?: readonly UserInfo[];
  /** Finds the users of all other bearer tokens, as an authentication webhook does. Default: they are refused. */
  readonly authenticate?: AuthenticateToken;
  /** The size of the history for resumed watches. Default: the minimum of kube-apiserver. */
  readonly history?: HistoryWindow;
  /** Sets defaults before the validation of main resources. Default: sets none. */
  readonly mutate?: Mutate;
  /** Admits or denies writes of main resources. Default: admits all. */
  readonly admit?: Admit;
  /** Converts further versions of the kinds of definitions. Default: converts none. */
  readonly conversion?: VersionConversion;
  /** The receiver of audit events. Default: no audit. */
  readonly audit?: AuditOptions;
  /** The period of bookmarks. Default: one minute. */
  readonly bookmarkEveryMs?: number;
  /** Called with internal errors of the server. Default: standard error. */
  readonly onUnexpectedError?: (error: unknown, what: string) => void;
}

export interface ApiServer {
  readonly url: string;
  readonly caPem: string;
  /** The bearer token of `admin`. */
  readonly token: string;
  /** A kubeconfig that authenticates as `admin`. */
  readonly kubeconfig: string;
  tokenOf(user: string): string;
  kubeconfigOf(user: string): string;
  /** The state of the server. */
  readonly core: ApiCore;
  /** Ends every watch and closes every connection. */
  stop(): Promise<void>;
}

const admin: UserInfo = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
const bookmarkEveryMs = 60_000;

/** kube-apiserver ends a watch after a random time between half an hour and an hour. */
const watchSeconds = { shortest: 1800, longest: 3600 };

/** Consonants and digits that are not easily confused and form no words, as in all generated names. */
const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

const randomIds: IdSource = {
  uid: () => randomUUID(),
  nameSuffix: () => Array.from({ length: 5 }, () => suffixAlphabet[randomInt(suffixAlphabet.length)]).join(''),
};

/** Resolves when the server accepts requests. Rejects if the port is in use or the audit policy is invalid. */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const { clock = systemClock, ids = randomIds, users = [], onUnexpectedError = printError } = options;
  const { snapshot, history, mutate, admit, conversion, kinds } = options;
  const core = createApiCore({
    now: () => clock.now(),
    ids,
    ...withoutUndefined({ snapshot, window: history, mutate, admit, conversion, kinds }),
  });
  const tokens = new Map([admin, ...users].map(user => [randomBytes(24).toString('base64url'), user]));
  const { certificatePem: caPem, keyPem } = makeSelfSignedCertificate();
  const stopping = new AbortController();
  const audit = await auditWith(options, core, clock);
  const listener = createListener({
    auditor: audit?.auditor,
    core,
    clock,
    authenticate: createAuthenticator(tokens, options.authenticate ?? (() => undefined)),
    stopping: stopping.signal,
    watchSeconds: () => randomInt(watchSeconds.shortest, watchSeconds.longest),
    onUnexpectedError,
  });
  const server = createServer(
    { cert: caPem, key: keyPem, keepAliveTimeout: 120_000, requestTimeout: 60_000 },
    onLoopbackOnly(listener),
  );
  const port = await listen(server, options.port ?? 0);
  const stopControllers = runControllers(core, {
    onUnexpectedError: error => onUnexpectedError(error, 'background work'),
  });
  void maintain(core, clock, options.bookmarkEveryMs ?? bookmarkEveryMs, stopping.signal);
  const url = `https://127.0.0.1:${port}`;
  const tokenOf = (name: string): string => {
    const found = [...tokens].find(([, user]) => user.name === name);
    if (found === undefined) {
      throw new Error(`There is no user ${name}`);
    }
    return found[0];
  };
  const kubeconfigOf = (user: string): string => toKubeconfig({ url, caPem, user, token: tokenOf(user) });
  return {
    url,
    caPem,
    token: tokenOf(admin.name),
    kubeconfig: kubeconfigOf(admin.name),
    tokenOf,
    kubeconfigOf,
    core,
    async stop() {
      stopControllers();
      stopping.abort();
      await close(server);
      await audit?.close();
    },
  };
}

/** The module is loaded on demand, because most servers do not audit. */
async function auditWith(
  { audit: options, onUnexpectedError = printError }: ApiServerOptions,
  core: ApiCore,
  clock: Clock,
): Promise<OpenAudit | undefined> {
  if (options === undefined) {
    return undefined;
  }
  const { openAudit } = await import('./audit/open.ts');
  const audit = openAudit(options, {
    core,
    clock,
    onLoss: error => onUnexpectedError(error, 'telling the audit webhook'),
  });
  core.onOwnChange(change => audit.auditor.own(change));
  return audit;
}

function printError(error: unknown, what: string): void {
  console.error(`The embedded API server failed at ${what}: ${error instanceof Error ? error.stack : String(error)}`);
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      // True: a server that listens on a port has an address of this type.
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Periodically expires Events and requests bookmarks. */
async function maintain(core: ApiCore, clock: Clock, everyMs: number, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    await clock.sleep(everyMs, stopping);
    core.expireEvents();
    core.requestBookmarks();
  }
}

function close(server: Server): Promise<void> {
  return new Promise(resolve => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
