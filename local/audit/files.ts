// The files that an API server needs for the local audit webhook. They are kept, so that an API server is configured
// only once.
import { randomBytes, X509Certificate } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { toKubeconfig, writeKubeconfig } from '@capi-serverless/apiserver';
import { makeSelfSignedCertificate, type SelfSigned } from '@capi-serverless/apiserver/http';
import * as z from 'zod/mini';

export interface AuditFiles {
  /** The file with the bearer token. A second line may contain the next token. */
  readonly tokenFile: string;
  /** The first line of the token file. */
  readonly token: string;
  readonly certificate: SelfSigned;
  /** The path that `writeWebhookKubeconfig` writes. */
  readonly kubeconfigFile: string;
}

const tokenBytes = 32;
/**
 * A certificate that expires earlier is replaced. An API server that trusts the old certificate must be configured
 * again.
 */
const leastValidityMs = 3_600_000;

const certificateSchema = z.object({ certificatePem: z.string(), keyPem: z.string() });

/** Reads the files of earlier runs and creates missing files. Only their owner can read them. */
export async function prepareAuditFiles(folder: string): Promise<AuditFiles> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const tokenFile = path.join(folder, 'token');
  const [token = ''] = ((await readIfThere(tokenFile)) ?? (await writeToken(tokenFile))).split('\n');
  const certificate = await prepareCertificate(path.join(folder, 'certificate.json'));
  return { tokenFile, token, certificate, kubeconfigFile: path.join(folder, 'webhook.kubeconfig') };
}

/**
 * Writes the kubeconfig for `--audit-webhook-config-file`. Plain HTTP is not possible, because a Kubernetes client
 * sends its token over TLS only. https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/#webhook-backend
 */
export function writeWebhookKubeconfig(
  { token, certificate, kubeconfigFile }: Omit<AuditFiles, 'tokenFile'>,
  url: string,
): void {
  const kubeconfig = toKubeconfig({ url, caPem: certificate.certificatePem, user: 'audit-webhook', token });
  writeKubeconfig(kubeconfigFile, kubeconfig);
}

async function writeToken(file: string): Promise<string> {
  const text = `${randomBytes(tokenBytes).toString('base64url')}\n`;
  await writeFile(file, text, { mode: 0o600 });
  return text;
}

async function prepareCertificate(file: string): Promise<SelfSigned> {
  const kept = certificateSchema.safeParse(parse(await readIfThere(file)));
  if (kept.success && isValid(kept.data)) {
    return kept.data;
  }
  const made = makeSelfSignedCertificate();
  await writeFile(file, JSON.stringify(made), { mode: 0o600 });
  return made;
}

function isValid({ certificatePem }: SelfSigned): boolean {
  try {
    return Date.parse(new X509Certificate(certificatePem).validTo) > Date.now() + leastValidityMs;
  } catch {
    return false;
  }
}

function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

function readIfThere(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') {
      return undefined;
    }
    throw error;
  });
}
