// The service account that Kubernetes mounts into each pod. Kubernetes renews the token in the same file.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Loaded } from './file-credentials.ts';

/** The mount path in every pod: https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/ */
const serviceAccountDir = '/var/run/secrets/kubernetes.io/serviceaccount';

/** There is no usable service account. The message names the missing part and the remedy. */
export class InClusterError extends Error {
  override readonly name = 'InClusterError';
}

interface InClusterOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly dir?: string;
}

/** Rejects with InClusterError outside a pod. */
export async function loadInCluster({ env, dir = serviceAccountDir }: InClusterOptions): Promise<Loaded> {
  const host = env['KUBERNETES_SERVICE_HOST'];
  const port = env['KUBERNETES_SERVICE_PORT'];
  if (!host || !port) {
    throw new InClusterError(
      'Not inside a cluster (KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set); set CAPI_KUBECONFIG to the path of a kubeconfig',
    );
  }
  const [tokenFile, caFile] = [join(dir, 'token'), join(dir, 'ca.crt')];
  const [token, ca] = await Promise.all([readPart(tokenFile), readPart(caFile)]);
  return {
    endpoint: {
      server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
      ca,
      insecureSkipTlsVerify: false,
    },
    authorization: `Bearer ${token.trim()}`,
    files: [tokenFile, caFile],
  };
}

async function readPart(path: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    throw new InClusterError(`Service account file ${path} cannot be read; let the pod mount its token`, { cause });
  }
  if (text.trim() === '') {
    throw new InClusterError(`Service account file ${path} is empty; let the pod mount its token`);
  }
  return text;
}
