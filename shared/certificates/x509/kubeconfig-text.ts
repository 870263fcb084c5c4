// The text of a kubeconfig with one cluster, one user and one context, in upstream's layout.
import * as z from 'zod/mini';
import { isTooLargeForKubeconfig } from '../../api/secret.ts';

interface KubeconfigParts {
  readonly clusterName: string;
  readonly server: string;
  /** The authority as PEM text. The fields below have the same format. */
  readonly authority: string;
  readonly clientCertificate: string;
  readonly clientKey: string;
}

/** The parts that identify a generated kubeconfig, without the key. */
interface ReadParts {
  readonly clusterName: string;
  readonly userName: string;
  readonly server: string;
  readonly clientCertificate: string;
}

export function toUserName(clusterName: string): string {
  return `${clusterName}-admin`;
}

/** Returns the kubeconfig as YAML. */
export function toKubeconfigText(parts: KubeconfigParts): string {
  const cluster = quote(parts.clusterName);
  const user = quote(toUserName(parts.clusterName));
  const context = quote(`${toUserName(parts.clusterName)}@${parts.clusterName}`);
  return `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: ${toBase64(parts.authority)}
    server: ${quote(parts.server)}
  name: ${cluster}
contexts:
- context:
    cluster: ${cluster}
    user: ${user}
  name: ${context}
current-context: ${context}
kind: Config
preferences: {}
users:
- name: ${user}
  user:
    client-certificate-data: ${toBase64(parts.clientCertificate)}
    client-key-data: ${toBase64(parts.clientKey)}
`;
}

const schema = z.object({
  clusters: z.tuple([z.object({ name: z.string(), cluster: z.object({ server: z.string() }) })]),
  contexts: z.tuple([z.object({ context: z.object({ cluster: z.string(), user: z.string() }) })]),
  users: z.tuple([
    z.object({
      name: z.string(),
      user: z.strictObject({ 'client-certificate-data': z.string(), 'client-key-data': z.string() }),
    }),
  ]),
});

/**
 * Returns `undefined` if the text has another layout. Other users, contexts or credentials mean that a user wrote it.
 */
export async function readKubeconfigText(text: string): Promise<ReadParts | undefined> {
  const parsed = schema.safeParse(await readYaml(text));
  if (!parsed.success) {
    return undefined;
  }
  const [{ name, cluster }] = parsed.data.clusters;
  const [{ name: userName, user }] = parsed.data.users;
  const [{ context }] = parsed.data.contexts;
  return context.cluster === name && context.user === userName
    ? {
        clusterName: name,
        userName,
        server: cluster.server,
        clientCertificate: fromBase64(user['client-certificate-data']),
      }
    : undefined;
}

async function readYaml(text: string): Promise<unknown> {
  if (isTooLargeForKubeconfig(text)) {
    return undefined;
  }
  const { parseYaml } = await import('../../api/parse-yaml.ts');
  const parsed = parseYaml(text);
  // The parser's message may quote the text, which contains a key.
  return parsed.ok ? parsed.value : undefined;
}

function quote(text: string): string {
  return /^[A-Za-z][\w.@-]*$/.test(text) ? text : JSON.stringify(text);
}

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('latin1');
}
