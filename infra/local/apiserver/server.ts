// The embedded Kubernetes API server: the in-memory core behind HTTPS on loopback.
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../../shared/kernel/clock.ts';
import { systemClock } from '../../../shared/telemetry/system-clock.ts';
import type { AuditOptions, OpenAudit } from './audit/open.ts';
import { runControllers } from './controllers.ts';
import type { Admit } from './core/admission.ts';
import { type ApiCore, createApiCore } from './core/api-core.ts';
import type { IdSource } from './core/context.ts';
import type { Window } from './core/log.ts';
import type { Snapshot } from './core/snapshot.ts';
import { createAuthenticator } from './http/authorize.ts';
import { makeSelfSignedCertificate } from './http/certificate.ts';
import { toKubeconfig } from './http/kubeconfig.ts';
import { createListener } from './http/listener.ts';
import type { User } from './http/request.ts';

export interface ApiServerOptions {
  /** What to begin with. Default: nothing but the initial namespaces. */
  readonly snapshot?: Snapshot;
  /** Default: any free one. */
  readonly port?: number;
  readonly clock?: Clock;
  readonly ids?: IdSource;
  /** Besides `admin`. Members of system:masters may do everything, others nothing. */
  readonly users?: readonly User[];
  /** How much history watches can resume from. Default: what real servers keep at least. */
  readonly history?: Window;
  /** Decides about writes of main resources. Default: all are fine. */
  readonly admit?: Admit;
  /** Where to tell of requests. Default: nowhere. */
  readonly audit?: AuditOptions;
  /** Default: a minute. */
  readonly bookmarkEveryMs?: number;
  /** Told about mistakes of the server itself. Default: standard error. */
  readonly onMistake?: (error: unknown, what: string) => void;
}

export interface ApiServer {
  readonly url: string;
  readonly caPem: string;
  /** Of `admin`. */
  readonly token: string;
  /** Text of a kubeconfig that acts as `admin`. */
  readonly kubeconfig: string;
  tokenOf(user: string): string;
  kubeconfigOf(user: string): string;
  /** The state behind the server. */
  readonly core: ApiCore;
  /** Ends every watch and closes every connection. */
  stop(): Promise<void>;
}

const admin: User = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
const bookmarkEveryMs = 60_000;

/** Real servers end a watch after a random time between half an hour and an hour. */
const watchSeconds = { shortest: 1800, longest: 3600 };

/** Consonants and digits that cannot be misread or make words, as in all generated names. */
const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

const randomIds: IdSource = {
  uid: () => randomUUID(),
  nameSuffix: () => Array.from({ length: 5 }, () => suffixAlphabet[randomInt(suffixAlphabet.length)]).join(''),
};

/** Resolves when the server accepts requests. Rejects when the port is taken, or the audit policy cannot be used. */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const { clock = systemClock, ids = randomIds, users = [], onMistake = tellMistake } = options;
  const { snapshot, history, admit } = options;
  const core = createApiCore({
    now: () => clock.now(),
    ids,
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(history === undefined ? {} : { window: history }),
    ...(admit === undefined ? {} : { admit }),
  });
  const tokens = new Map([admin, ...users].map(user => [randomBytes(24).toString('base64url'), user]));
  const { certificatePem: caPem, keyPem } = makeSelfSignedCertificate();
  const stopping = new AbortController();
  const audit = await auditWith(options, core, clock);
  const listener = createListener({
    auditor: audit?.auditor,
    core,
    clock,
    authenticate: createAuthenticator(tokens),
    stopping: stopping.signal,
    watchSeconds: () => randomInt(watchSeconds.shortest, watchSeconds.longest),
    onMistake,
  });
  const server = createServer(
    { cert: caPem, key: keyPem, keepAliveTimeout: 120_000, requestTimeout: 60_000 },
    listener,
  );
  const port = await listen(server, options.port ?? 0);
  const stopControllers = runControllers(core, { onMistake: error => onMistake(error, 'background work') });
  void attend(core, clock, options.bookmarkEveryMs ?? bookmarkEveryMs, stopping.signal);
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

/** Loaded on demand: most servers have nobody to tell. */
async function auditWith(
  { audit: options, onMistake = tellMistake }: ApiServerOptions,
  core: ApiCore,
  clock: Clock,
): Promise<OpenAudit | undefined> {
  if (options === undefined) {
    return undefined;
  }
  const { openAudit } = await import('./audit/open.ts');
  const audit = openAudit(options, { core, clock, onLoss: error => onMistake(error, 'telling the audit webhook') });
  core.onOwnChange(change => audit.auditor.own(change));
  return audit;
}

function tellMistake(error: unknown, what: string): void {
  console.error(`The embedded API server failed at ${what}: ${error instanceof Error ? error.stack : String(error)}`);
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      // True: a server that listens on a port has such an address.
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** What is due from time to time. */
async function attend(core: ApiCore, clock: Clock, everyMs: number, stopping: AbortSignal): Promise<void> {
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
