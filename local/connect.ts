// Connects to the API server that the user named, or fails with a one-line reason.
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Kubernetes } from '@capi-serverless/apimachinery';
import { toError } from '@capi-serverless/reconciler';
import { parseConfig } from '../shared/config/env.ts';
import { parseKubeconfig, selectContext } from '../shared/kubernetes/credentials/kubeconfig.ts';
import { loadCredentials } from '../shared/kubernetes/credentials/load.ts';
import { createKubernetes, type RestClient } from '../shared/kubernetes/rest/client.ts';
import { resolveExecCredentials } from './exec-credentials.ts';
import { UsageError } from './usage-error.ts';

/** The client name of the requests of this tool. They are counted separately from the requests of the functions. */
export const localClient = 'local';
const forwarderClient = 'watch-forwarder';

/** The timeout of the first answer. */
const reachableMs = 10_000;
/**
 * The renewal interval for credentials of an exec plugin. Credentials of common providers are valid for at least 15
 * min.
 */
const renewMs = 10 * 60_000;

export interface ApiServerConnection {
  /** The client of the tool itself, for manifests, CRDs and progress. */
  readonly kubernetes: RestClient;
  readonly forwarder: Kubernetes;
  readonly server: string;
  readonly managementCluster: string;
  /**
   * The path of a kubeconfig that the functions can read. It is the user's file, or a copy with the credentials of the
   * exec plugin.
   */
  readonly kubeconfigPath: string;
  close(): Promise<void>;
}

/** Throws UsageError if the file cannot be used, or if the server denies access. */
export async function connect(kubeconfig: string): Promise<ApiServerConnection> {
  const plain = await toPlainKubeconfig(kubeconfig);
  try {
    const credentials = await loadCredentials({ kubeconfigPath: plain.file });
    const { server } = credentials;
    const kubernetes = createKubernetes({ credentials, client: localClient });
    const managementCluster = await identify(kubernetes, server);
    const forwarder = createKubernetes({ credentials, client: forwarderClient });
    return { kubernetes, forwarder, server, managementCluster, kubeconfigPath: plain.file, close: plain.close };
  } catch (thrown) {
    await plain.close();
    throw toUsageError(thrown);
  }
}

async function identify(kubernetes: Kubernetes, server: string): Promise<string> {
  const answer = await kubernetes
    .within(AbortSignal.timeout(reachableMs * parseConfig(process.env).timeLimitFactor))
    .metadata({ apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' });
  if (answer.ok) {
    return answer.value.uid;
  }
  const { reason, message } = answer.failure;
  const isRefusal = reason === 'Unauthorized' || reason === 'Forbidden';
  throw new UsageError(`API server ${server} ${isRefusal ? 'refuses this user' : 'cannot be reached'}: ${message}`);
}

interface PlainKubeconfig {
  readonly file: string;
  close(): Promise<void>;
}

/**
 * Returns the user's file unchanged. If its current user has an exec plugin, creates a copy, because handlers cannot
 * run plugins.
 */
async function toPlainKubeconfig(file: string): Promise<PlainKubeconfig> {
  return (await runsPlugin(file)) ? keepCredentials(file) : { file: path.resolve(file), close: async () => undefined };
}

async function runsPlugin(file: string): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(thrown => {
    throw new UsageError(`Kubeconfig ${file} cannot be read: ${toError(thrown).message}`, { cause: thrown });
  });
  try {
    const { user } = selectContext(file, await parseKubeconfig(file, text));
    return user['exec'] !== undefined && user['exec'] !== null;
  } catch (thrown) {
    throw toUsageError(thrown);
  }
}

/** Creates a file with the plugin's credentials. The file is written again before they expire. */
async function keepCredentials(file: string): Promise<PlainKubeconfig> {
  const folder = await mkdtemp(path.join(tmpdir(), 'capi-serverless-'));
  const plain = path.join(folder, 'kubeconfig.json');
  const close = async (): Promise<void> => rm(folder, { recursive: true, force: true });
  const renew = async (): Promise<void> => {
    await writeFile(`${plain}.new`, await resolveExecCredentials(file), { mode: 0o600 });
    // The write is atomic, because a function may read the file at any time.
    await rename(`${plain}.new`, plain);
  };
  try {
    await renew();
  } catch (thrown) {
    await close();
    throw toUsageError(thrown);
  }
  // The functions load a changed file again. If a renewal fails, the old credentials stay until the next renewal.
  const timer = setInterval(() => void renew().catch(() => undefined), renewMs);
  return {
    file: plain,
    close: () => {
      clearInterval(timer);
      return close();
    },
  };
}

function toUsageError(thrown: unknown): UsageError {
  return thrown instanceof UsageError ? thrown : new UsageError(toError(thrown).message, { cause: thrown });
}
