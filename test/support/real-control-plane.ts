// Runs etcd, kube-apiserver and kube-controller-manager on loopback for a test, with new keys and data.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { auditWebhookFlags } from '../../infra/kubernetes/audit-policy.ts';
import { type ControlPlaneBinaries, findControlPlaneBinaries } from './control-plane-binaries.ts';
import { Processes } from './processes.ts';
import { spending } from './spans.ts';

export interface ControlPlaneOptions {
  /** The users in addition to `admin` (group system:masters). Tests bind roles to their names or groups. */
  readonly users?: readonly { readonly name: string; readonly groups?: readonly string[] }[];
  /** An audit.k8s.io/v1 Policy. Default: every answered request at level Metadata. */
  readonly auditPolicy?: Readonly<Record<string, unknown>>;
  /** A kubeconfig file for an audit webhook. The server gets the webhook flags that the documentation recommends. */
  readonly auditWebhookConfigPath?: string;
  /** Whether garbage collector and namespace controller run. Default: true if kube-controller-manager is found. */
  readonly controllers?: boolean;
  /** The names of further controllers. */
  readonly furtherControllers?: readonly string[];
  /** Awaited before these controllers start. The garbage collector then has the installed kinds from the start. */
  readonly beforeControllers?: (plane: RealControlPlane) => Promise<void>;
  /** Further flags of kube-apiserver. */
  readonly apiserverFlags?: readonly string[];
}

export interface RealControlPlane {
  readonly url: string;
  readonly caPem: string;
  /** The client address of etcd, without TLS. */
  readonly etcdUrl: string;
  /** One audit event per line, written before the response is complete. */
  readonly auditLogPath: string;
  readonly pids: Readonly<Record<string, number>>;
  token(user: string): string;
  /** Returns the JSON text of a kubeconfig whose only context has the user `user`. */
  kubeconfig(user: string): string;
  /** Returns the path of a file with this text. `stop` removes the file. */
  kubeconfigPath(user: string): string;
  /** Kills the processes and removes their data. */
  stop(): Promise<void>;
}

const startTries = 3;
const readyTimeoutMs = 300_000;
const pollEveryMs = 50;
const usualControllers = ['garbage-collector-controller', 'namespace-controller'];
const controllerUser = 'system:kube-controller-manager';

const metadataPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata' }],
};

/** Another process used a free port in the meantime, so the start is repeated. */
class PortTakenError extends Error {}

/** Resolves when the API server is ready (2 to 5 s). All its processes end with this process, even after a crash. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<RealControlPlane> {
  const binaries = findControlPlaneBinaries();
  if ('missing' in binaries) {
    throw new Error(`Cannot start a control plane: ${binaries.missing}`);
  }
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await spending('servers', () => startOnce(binaries, options));
    } catch (error) {
      if (!(error instanceof PortTakenError) || attempt === startTries) {
        throw error;
      }
    }
  }
}

async function startOnce(binaries: ControlPlaneBinaries, options: ControlPlaneOptions): Promise<RealControlPlane> {
  const dir = mkdtempSync(join(tmpdir(), 'capi-control-plane-'));
  const processes = new Processes(dir);
  try {
    const [etcdPort, peerPort, port] = await Promise.all([freePort(), freePort(), freePort()]);
    const identities = writeIdentities(dir, options);
    const etcdUrl = `http://127.0.0.1:${etcdPort}`;
    const url = `https://127.0.0.1:${port}`;
    processes.start('etcd', binaries.etcd, etcdFlags(dir, etcdUrl, `http://127.0.0.1:${peerPort}`));
    processes.start('kube-apiserver', binaries.apiserver, apiserverFlags({ dir, etcdUrl, port, options }));
    await waitUntilReady(url, identities.token('admin'), processes);
    // The server creates its own certificate. The file also contains the authority that signed it.
    const caPem = readFileSync(join(dir, 'certs', 'apiserver.crt'), 'utf8');
    const plane = describePlane({ dir, url, caPem, etcdUrl, identities, processes });
    if (binaries.controllerManager !== undefined && options.controllers !== false) {
      await options.beforeControllers?.(plane);
      processes.start('kube-controller-manager', binaries.controllerManager, [
        `--kubeconfig=${plane.kubeconfigPath(controllerUser)}`,
        `--controllers=${[...usualControllers, ...(options.furtherControllers ?? [])].join(',')}`,
        '--use-service-account-credentials=true',
        '--leader-elect=false',
        '--secure-port=0',
        '--kube-api-qps=200',
        '--kube-api-burst=400',
      ]);
    }
    return { ...plane, pids: processes.pids() };
  } catch (error) {
    await processes.stop();
    throw error;
  }
}

function etcdFlags(dir: string, clientUrl: string, peerUrl: string): readonly string[] {
  return [
    '--name=test',
    `--data-dir=${join(dir, 'etcd')}`,
    `--listen-client-urls=${clientUrl}`,
    `--advertise-client-urls=${clientUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=test=${peerUrl}`,
    '--unsafe-no-fsync',
    '--log-level=warn',
  ];
}

function apiserverFlags(at: {
  readonly dir: string;
  readonly etcdUrl: string;
  readonly port: number;
  readonly options: ControlPlaneOptions;
}): readonly string[] {
  const { dir, options } = at;
  const webhook = options.auditWebhookConfigPath;
  return [
    `--etcd-servers=${at.etcdUrl}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${at.port}`,
    `--cert-dir=${join(dir, 'certs')}`,
    `--token-auth-file=${join(dir, 'tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${join(dir, 'service-accounts.pem')}`,
    `--service-account-signing-key-file=${join(dir, 'service-accounts.pem')}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    '--endpoint-reconciler-type=none',
    `--audit-policy-file=${join(dir, 'audit-policy.json')}`,
    `--audit-log-path=${join(dir, 'audit.log')}`,
    // The log is not batched, so that the audit line of a request exists when its answer arrives. It is never rotated.
    '--audit-log-mode=blocking',
    '--audit-log-maxsize=10000',
    ...(webhook === undefined ? [] : [`--audit-webhook-config-file=${webhook}`, ...auditWebhookFlags]),
    ...(options.apiserverFlags ?? []),
  ];
}

interface Identities {
  readonly users: readonly string[];
  token(user: string): string;
}

/** The tokens, the key that signs service account tokens, and the audit policy. */
function writeIdentities(dir: string, options: ControlPlaneOptions): Identities {
  const users = [{ name: 'admin', groups: ['system:masters'] }, { name: controllerUser }, ...(options.users ?? [])].map(
    user => ({ groups: [] as readonly string[], ...user, token: randomBytes(24).toString('base64url') }),
  );
  const tokens = new Map(users.map(user => [user.name, user.token]));
  const rows = users.map(user => `${user.token},${user.name},${user.name},"${user.groups.join(',')}"`);
  writeFileSync(join(dir, 'tokens.csv'), `${rows.join('\n')}\n`, { mode: 0o600 });
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keyPem = privateKey.export({ type: 'sec1', format: 'pem' });
  writeFileSync(join(dir, 'service-accounts.pem'), keyPem, { mode: 0o600 });
  writeFileSync(join(dir, 'audit-policy.json'), JSON.stringify(options.auditPolicy ?? metadataPolicy));
  return {
    users: [...tokens.keys()],
    token(user) {
      const token = tokens.get(user);
      if (token === undefined) {
        throw new Error(`The control plane knows no user ${user}, only ${[...tokens.keys()].join(', ')}`);
      }
      return token;
    },
  };
}

function describePlane(parts: {
  readonly dir: string;
  readonly url: string;
  readonly caPem: string;
  readonly etcdUrl: string;
  readonly identities: Identities;
  readonly processes: Processes;
}): RealControlPlane {
  const { dir, url, caPem, etcdUrl, identities, processes } = parts;
  const kubeconfig = (user: string): string =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        { name: 'test', cluster: { server: url, 'certificate-authority-data': Buffer.from(caPem).toString('base64') } },
      ],
      users: [{ name: user, user: { token: identities.token(user) } }],
      contexts: [{ name: user, context: { cluster: 'test', user } }],
      'current-context': user,
    });
  mkdirSync(join(dir, 'kubeconfigs'));
  return {
    url,
    caPem,
    etcdUrl,
    auditLogPath: join(dir, 'audit.log'),
    pids: processes.pids(),
    token: user => identities.token(user),
    kubeconfig,
    kubeconfigPath(user) {
      const path = join(dir, 'kubeconfigs', `${encodeURIComponent(user)}.json`);
      // The file is written once, because a running process may be reading this path.
      if (!existsSync(path)) {
        writeFileSync(path, kubeconfig(user), { mode: 0o600 });
      }
      return path;
    },
    stop: () => processes.stop(),
  };
}

async function waitUntilReady(url: string, token: string, processes: Processes): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs;
  while (!(await isReady(url, token))) {
    const failed = processes.failed();
    if (failed !== undefined) {
      const message = `The control plane did not start; ${failed}`;
      throw failed.includes('address already in use') ? new PortTakenError(message) : new Error(message);
    }
    if (Date.now() > deadline) {
      throw new Error(
        `kube-apiserver is not ready after ${readyTimeoutMs / 1000} s: ${processes.tail('kube-apiserver')}`,
      );
    }
    await delay(pollEveryMs);
  }
}

/** Does not verify the certificate, because it is only known after the server has started. */
function isReady(url: string, token: string): Promise<boolean> {
  return new Promise(resolve => {
    const headers = { authorization: `Bearer ${token}` };
    const sent = request(
      `${url}/readyz`,
      { headers, rejectUnauthorized: false, agent: false, timeout: 2000 },
      answer => {
        answer.resume();
        resolve(answer.statusCode === 200);
      },
    );
    sent.on('timeout', () => sent.destroy());
    sent.on('error', () => resolve(false));
    sent.end();
  });
}

/** Returns a port below the ephemeral range, so that no outgoing connection uses it in the meantime. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    if (await isFree(port)) {
      return port;
    }
  }
  throw new Error('Found no free port on 127.0.0.1 between 20000 and 29999');
}

function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer();
    server.on('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
