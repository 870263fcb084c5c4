// Parses kubeconfigs: the fields that a client without plugins needs. Other fields that change behaviour are refused.
// Errors contain no part of a kubeconfig that a tenant may have written. Nothing is written to the standard streams.
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Checked, invalid, valid, withoutUndefined } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { isTooLargeForKubeconfig, maxKubeconfigBytes } from '../../api/secret.ts';
import type { ApiServerEndpoint } from './credentials.ts';
import type { Loaded } from './file-credentials.ts';

/**
 * An unusable kubeconfig. The message contains file, field and remedy. It never quotes values. It contains names only
 * for a user's own file.
 */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
  readonly file: string;
  readonly field: string;
  readonly remedy: string;

  constructor(
    at: { readonly file: string; readonly field: string; readonly remedy: string; readonly cause?: unknown },
    problem: string,
  ) {
    const place = at.field === '' ? '' : `, ${at.field}`;
    super(`Kubeconfig ${at.file}${place}: ${problem}; ${at.remedy}`, { cause: at.cause });
    this.file = at.file;
    this.field = at.field;
    this.remedy = at.remedy;
  }
}

const optionalText = z.optional(z.nullable(z.string()));

const clusterSchema = z.looseObject({
  server: optionalText,
  'certificate-authority': optionalText,
  'certificate-authority-data': optionalText,
  'insecure-skip-tls-verify': z.optional(z.nullable(z.boolean())),
  'tls-server-name': optionalText,
});

const userSchema = z.looseObject({
  token: optionalText,
  tokenFile: optionalText,
  'client-certificate': optionalText,
  'client-certificate-data': optionalText,
  'client-key': optionalText,
  'client-key-data': optionalText,
});

const contextSchema = z.looseObject({ cluster: z.string(), user: z.string() });

function listOf<Inner extends z.ZodMiniType>(inner: Inner) {
  return z._default(z.nullable(z.array(inner)), []);
}

const kubeconfigSchema = z.looseObject({
  'current-context': optionalText,
  clusters: listOf(z.looseObject({ name: z.string(), cluster: clusterSchema })),
  users: listOf(z.looseObject({ name: z.string(), user: z.nullish(userSchema) })),
  contexts: listOf(z.looseObject({ name: z.string(), context: contextSchema })),
});

type Kubeconfig = z.infer<typeof kubeconfigSchema>;
type Cluster = z.infer<typeof clusterSchema>;
type User = z.infer<typeof userSchema>;

/** Fields that must be refused, because ignoring them would change behaviour. */
const refusedUserFields: Readonly<Record<string, string>> = {
  exec: 'exec plugins run in the local tools only; give the functions a kubeconfig with a token, a tokenFile or a client certificate',
  'auth-provider': 'auth providers are gone from Kubernetes; use a token, a tokenFile or a client certificate',
  username: 'basic authentication is gone from Kubernetes; use a token or a client certificate',
  as: 'impersonation is not supported; use credentials of the user itself',
  'as-uid': 'impersonation is not supported; use credentials of the user itself',
  'as-groups': 'impersonation is not supported; use credentials of the user itself',
  'as-user-extra': 'impersonation is not supported; use credentials of the user itself',
};

/** The cluster and user of the current context. */
export interface CurrentContext {
  readonly cluster: Cluster;
  readonly user: User;
  /** The path of the entries in the file, for messages: `clusters[name=x].cluster`, or `clusters[0].cluster` without names. */
  readonly clusterField: string;
  readonly userField: string;
}

/** The parsed content of a self-contained kubeconfig. */
export type InlineKubeconfig = Omit<Loaded, 'files'>;

/** Reads the file and the files that it names. Rejects with KubeconfigError. */
export async function loadKubeconfig(file: string): Promise<Loaded> {
  const text = await readText(file, { file, field: '', remedy: 'check the path and its permissions' });
  const context = selectContext(file, await parseKubeconfig(file, text));
  refuseUnsupported(file, context);
  const source = new Source(file);
  const endpoint = await toEndpoint(source, context);
  const token = await toToken(source, context);
  return { endpoint, authorization: token === undefined ? undefined : `Bearer ${token}`, files: source.files };
}

/**
 * Parses a kubeconfig from another source, named `origin` in messages. It must be self-contained, because its author
 * must not be able to read files of this machine. A text of more than 64 KiB is refused before parsing. Rejects with
 * KubeconfigError, which contains no part of the text.
 */
export async function readInlineKubeconfig(origin: string, text: string): Promise<InlineKubeconfig> {
  if (isTooLargeForKubeconfig(text)) {
    const remedy = 'leave one cluster, one user and one context in it';
    const problem = `has more than ${maxKubeconfigBytes / 1024} KiB`;
    throw new KubeconfigError({ file: origin, field: '', remedy }, problem);
  }
  const context = selectContext(origin, await parseKubeconfig(origin, text), 'without names');
  refuseUnsupported(origin, context);
  const source = new Source(origin, { reach: 'inline' });
  const endpoint = await toEndpoint(source, context);
  const token = await toToken(source, context);
  return { endpoint, authorization: token === undefined ? undefined : `Bearer ${token}` };
}

/** The text is JSON or YAML. The YAML parser is loaded only if needed. Throws KubeconfigError. */
export async function parseKubeconfig(file: string, text: string): Promise<Kubeconfig> {
  const remedy = 'a kubeconfig is a JSON or YAML document of kind Config';
  const raw = text.trimStart().startsWith('{')
    ? parseJson(text)
    : (await import('../../api/parse-yaml.ts')).parseYaml(text);
  if (!raw.ok) {
    // The parser's message may quote the text, which may contain a token.
    throw new KubeconfigError({ file, field: '', remedy }, 'is neither JSON nor YAML');
  }
  const parsed = kubeconfigSchema.safeParse(raw.value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new KubeconfigError({ file, field: issue?.path.join('.') ?? '', remedy }, 'has another type than expected');
  }
  return parsed.data;
}

function parseJson(text: string): Checked<unknown> {
  try {
    return valid(JSON.parse(text));
  } catch {
    return invalid('is not JSON');
  }
}

/** Whether messages may contain the names in the kubeconfig. Allowed only if its author reads the messages. */
type Naming = 'with names' | 'without names';

/** Resolves `current-context` to its cluster and user. Throws KubeconfigError. */
export function selectContext(file: string, config: Kubeconfig, naming: Naming = 'with names'): CurrentContext {
  const current = config['current-context'] ?? '';
  if (current === '') {
    const remedy = 'set one with "kubectl config use-context"';
    throw new KubeconfigError({ file, field: 'current-context', remedy }, 'is not set');
  }
  const select = <Entry extends Named>(list: ListOf<Entry>, name: string, field: string): Selected<Entry> => {
    const index = list.entries?.findIndex(entry => entry.name === name) ?? -1;
    const entry = list.entries?.[index];
    if (entry === undefined) {
      const what = naming === 'with names' ? `${list.one} "${name}"` : `a ${list.one}`;
      const remedy = 'add it or choose another context';
      throw new KubeconfigError({ file, field, remedy }, `names ${what}, which is not there`);
    }
    return { entry, field: `${list.one}s[${naming === 'with names' ? `name=${name}` : index}].${list.one}` };
  };
  const context = select({ one: 'context', entries: config.contexts }, current, 'current-context');
  const { cluster: clusterName, user: userName } = context.entry.context;
  const cluster = select({ one: 'cluster', entries: config.clusters }, clusterName, `${context.field}.cluster`);
  const user = select({ one: 'user', entries: config.users }, userName, `${context.field}.user`);
  return {
    cluster: cluster.entry.cluster,
    user: user.entry.user ?? {},
    clusterField: cluster.field,
    userField: user.field,
  };
}

interface Named {
  readonly name: string;
}

interface ListOf<Entry> {
  readonly one: 'context' | 'cluster' | 'user';
  readonly entries: readonly Entry[] | null;
}

interface Selected<Entry> {
  readonly entry: Entry;
  /** The path of the content in the kubeconfig. */
  readonly field: string;
}

function refuseUnsupported(file: string, { cluster, clusterField, user, userField }: CurrentContext): void {
  for (const [field, remedy] of Object.entries(refusedUserFields)) {
    if (isSet(user[field])) {
      throw new KubeconfigError({ file, field: `${userField}.${field}`, remedy }, 'is not supported');
    }
  }
  if (isSet(cluster['proxy-url'])) {
    const remedy = 'let the functions reach the API server directly';
    throw new KubeconfigError({ file, field: `${clusterField}.proxy-url`, remedy }, 'is not supported');
  }
}

async function toEndpoint(source: Source, context: CurrentContext): Promise<ApiServerEndpoint> {
  const { cluster, clusterField, user, userField } = context;
  const ca = await source.pem(cluster, 'certificate-authority', clusterField);
  const clientCertificate = await source.pem(user, 'client-certificate', userField);
  const clientKey = await source.pem(user, 'client-key', userField);
  if ((clientCertificate === undefined) !== (clientKey === undefined)) {
    const field = `${userField}.${clientKey === undefined ? 'client-key' : 'client-certificate'}`;
    throw source.error(field, 'is not set', 'a client certificate and its key go together');
  }
  const serverName = cluster['tls-server-name'] ?? '';
  return {
    server: toServer(source, cluster.server ?? '', `${clusterField}.server`),
    ...withoutUndefined({ ca, clientCertificate, clientKey }),
    ...(serverName === '' ? {} : { serverName }),
    insecureSkipTlsVerify: cluster['insecure-skip-tls-verify'] === true,
  };
}

function toServer(source: Source, server: string, field: string): string {
  const url = URL.parse(server);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.search !== '') {
    throw source.error(field, 'is not the URL of an API server', 'set it to https://host:port');
  }
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}`;
}

/** tokenFile has precedence over token, as in kubectl. */
async function toToken(source: Source, { user, userField }: CurrentContext): Promise<string | undefined> {
  const isFromFile = isSet(user.tokenFile);
  const field = `${userField}.${isFromFile ? 'tokenFile' : 'token'}`;
  const token = isFromFile ? (await source.text(user.tokenFile ?? '', field)).trim() : (user.token ?? '');
  if (token === '' && isFromFile) {
    throw source.error(field, 'names an empty file', 'write the token into it');
  }
  if (/[^\x21-\x7e]/.test(token)) {
    throw source.error(field, 'holds characters that no token has', 'check it for spaces and line breaks');
  }
  return token === '' ? undefined : token;
}

/** Whether a kubeconfig may reference files. */
type Reach = 'files' | 'inline';

/** Reads the files that a kubeconfig references, relative to its folder, and records them. */
class Source {
  readonly files: string[];
  readonly #file: string;
  readonly #reach: Reach;

  constructor(file: string, { reach }: { readonly reach: Reach } = { reach: 'files' }) {
    this.#file = file;
    this.#reach = reach;
    this.files = [file];
  }

  error(field: string, problem: string, remedy: string, cause?: unknown): KubeconfigError {
    return new KubeconfigError({ file: this.#file, field, remedy, cause }, problem);
  }

  async text(path: string, field: string): Promise<string> {
    if (this.#reach === 'inline') {
      throw this.error(field, 'names a file, which is not read', 'put its content into the kubeconfig');
    }
    const file = resolve(dirname(this.#file), path);
    const text = await readText(file, { file: this.#file, field, remedy: 'check the path and its permissions' });
    this.files.push(file);
    return text;
  }

  /** `<field>-data` (base64) has precedence over `<field>` (a path). */
  async pem(entry: Cluster | User, name: string, parent: string): Promise<string | undefined> {
    const data = entry[`${name}-data`];
    const path = entry[name];
    const field = `${parent}.${name}${isSet(data) ? '-data' : ''}`;
    const pem = isSet(data)
      ? Buffer.from(String(data), 'base64').toString('latin1')
      : isSet(path)
        ? await this.text(String(path), field)
        : undefined;
    if (pem !== undefined && !pem.includes('-----BEGIN ')) {
      throw this.error(field, `holds no PEM block${isSet(data) ? ' in base64' : ''}`, 'write the kubeconfig again');
    }
    return pem === undefined || this.#reach === 'files' ? pem : this.#limited(pem, name, field);
  }

  /** Only what is within the limits of keys and certificates reaches the TLS library. */
  async #limited(pem: string, name: string, field: string): Promise<string> {
    const { certificatesIn, privateKeyIn } = await import('../../certificates/pem-limits.ts');
    const limited = name === 'client-key' ? privateKeyIn(pem) : certificatesIn(pem);
    if (!limited.ok) {
      throw this.error(field, limited.error, 'write the kubeconfig again');
    }
    return limited.value;
  }
}

async function readText(
  path: string,
  at: { readonly file: string; readonly field: string; readonly remedy: string },
): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const named = path === at.file ? 'cannot be read' : `names ${path}, which cannot be read`;
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    throw new KubeconfigError({ ...at, cause }, `${named}${code}`);
  }
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
