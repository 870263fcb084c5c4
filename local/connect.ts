// Connects to the API server that the user named, or fails with a one-line reason.
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Kubernetes } from '@capi-serverless/apimachinery';
import { toError } from '@capi-serverless/reconciler';
import { parseKubeconfig, selectContext } from '../shared/kubernetes/credentials/kubeconfig.ts';
import { loadCredentials } from '../shared/kubernetes/credentials/load.ts';
import { createKubernetes } from '../shared/kubernetes/rest/client.ts';
import { resolveExecCredentials } from './exec-credentials.ts';
import { UsageError } from './usage-error.ts';

/** The client name under which the tool's own requests are counted, apart from those of the functions. */
export const localClient = 'local';
const forwarderClient = 'watch-forwarder';

/** Timeout of the first answer. */
const reachableMs = 10_000;
/** How often credentials of an exec plugin are renewed. At the common providers they last at least 15 min. */
const renewMs = 10 * 60_000;

export interface Connection {
  /** For the tool itself: manifests, CRDs, progress. */
  readonly kubernetes: Kubernetes;
  readonly forwarder: Kubernetes;
  readonly server: string;
  readonly managementCluster: string;
  /** A kubeconfig that the functions can read: the user's own, or a copy that holds the exec plugin's credentials. */
  readonly kubeconfigPath: string;
  close(): Promise<void>;
}

/** Throws UsageError when the file cannot be used, or the server denies access. */
export async function connect(kubeconfig: string): Promise<Connection> {
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
    .within(AbortSignal.timeout(reachableMs))
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

/** The user's file unchanged, unless its current user runs an exec plugin, which handlers cannot run. */
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

/** A file with the plugin's credentials, rewritten before they expire. */
async function keepCredentials(file: string): Promise<PlainKubeconfig> {
  const folder = await mkdtemp(path.join(tmpdir(), 'capi-serverless-'));
  const plain = path.join(folder, 'kubeconfig.json');
  const close = async (): Promise<void> => rm(folder, { recursive: true, force: true });
  const renew = async (): Promise<void> => {
    await writeFile(`${plain}.new`, await resolveExecCredentials(file), { mode: 0o600 });
    // Atomic: a function may read the file at any time.
    await rename(`${plain}.new`, plain);
  };
  try {
    await renew();
  } catch (thrown) {
    await close();
    throw toUsageError(thrown);
  }
  // The functions reload a changed file. If a renewal fails, the old credentials stay until the next one.
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
