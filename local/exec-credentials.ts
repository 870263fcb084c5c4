// Runs the exec plugin of a kubeconfig once. Functions start no programs, but they can use the returned credentials.
// https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, resolve } from 'node:path';
import { type JsonObject, withoutUndefined } from '@capi-serverless/apimachinery';
import * as z from 'zod';
import {
  type CurrentContext,
  KubeconfigError,
  parseKubeconfig,
  selectContext,
} from '../shared/kubernetes/credentials/kubeconfig.ts';

/** The timeout of a plugin. It may call a slow identity provider, but cannot ask the user for input. */
const pluginTimeoutMs = 60_000;

const execSchema = z.looseObject({
  apiVersion: z.string().default('client.authentication.k8s.io/v1'),
  command: z.string().min(1),
  args: z.array(z.string()).nullish(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  installHint: z.string().nullish(),
  interactiveMode: z.enum(['Never', 'IfAvailable', 'Always']).nullish(),
  provideClusterInfo: z.boolean().nullish(),
});

const answerSchema = z.object({
  status: z.object({
    token: z.string().optional(),
    clientCertificateData: z.string().optional(),
    clientKeyData: z.string().optional(),
  }),
});

type Plugin = z.infer<typeof execSchema>;
/** Fields that contain paths relative to the kubeconfig. */
const pathFields: ReadonlySet<string> = new Set([
  'certificate-authority',
  'client-certificate',
  'client-key',
  'tokenFile',
]);

/**
 * Returns the JSON text of a kubeconfig with only the current context. It can be used anywhere on this machine and runs
 * no plugin. It contains credentials, so write it to a file that only its owner can read. Rejects with KubeconfigError.
 */
export async function resolveExecCredentials(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(cause => {
    const remedy = 'check the path and its permissions';
    throw new KubeconfigError({ file, field: '', remedy, cause }, 'cannot be read');
  });
  const context = selectContext(file, await parseKubeconfig(file, text));
  const cluster = withAbsolutePaths(file, context.cluster);
  const user =
    context.user['exec'] === undefined || context.user['exec'] === null
      ? withAbsolutePaths(file, context.user)
      : await runPlugin(file, context);
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'current', cluster }],
    users: [{ name: 'current', user }],
    contexts: [{ name: 'current', context: { cluster: 'current', user: 'current' } }],
    'current-context': 'current',
  });
}

function withAbsolutePaths(file: string, fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) =>
      pathFields.has(name) && typeof value === 'string' && value !== ''
        ? [name, resolve(dirname(file), value)]
        : [name, value],
    ),
  );
}

async function runPlugin(file: string, context: CurrentContext): Promise<JsonObject> {
  const field = `${context.userField}.exec`;
  const parsed = execSchema.safeParse(context.user['exec']);
  if (!parsed.success) {
    const at = parsed.error.issues[0]?.path.join('.') ?? '';
    throw new KubeconfigError({ file, field: `${field}.${at}`, remedy: 'correct the plugin entry' }, 'is not valid');
  }
  const plugin = parsed.data;
  if (plugin.interactiveMode === 'Always') {
    const remedy = 'use a plugin that needs no terminal, or a token';
    throw new KubeconfigError({ file, field: `${field}.interactiveMode`, remedy }, 'requires a terminal');
  }
  const remedy =
    plugin.installHint?.trim().replaceAll('\n', ' ') || `check that "${plugin.command}" runs in this shell`;
  const output = await execute(file, plugin, context).catch(cause => {
    throw new KubeconfigError({ file, field: `${field}.command`, remedy, cause }, toProblem(plugin, cause));
  });
  const user = toUser(output);
  if (user === undefined) {
    const problem = `"${plugin.command}" answered no ExecCredential with a token or a client certificate`;
    throw new KubeconfigError({ file, field, remedy }, problem);
  }
  return user;
}

/**
 * Returns the output of the plugin. A command with a slash is relative to the kubeconfig. Other commands are found in
 * PATH.
 */
function execute(file: string, plugin: Plugin, context: CurrentContext): Promise<string> {
  const { command, apiVersion } = plugin;
  const program = command.includes('/') && !isAbsolute(command) ? resolve(dirname(file), command) : command;
  const spec = {
    interactive: false,
    ...(plugin.provideClusterInfo === true ? { cluster: toClusterInfo(context) } : {}),
  };
  const env = {
    ...process.env,
    ...Object.fromEntries((plugin.env ?? []).map(({ name, value }) => [name, value])),
    KUBERNETES_EXEC_INFO: JSON.stringify({ apiVersion, kind: 'ExecCredential', spec }),
  };
  return new Promise((done, failed) => {
    const child = execFile(program, plugin.args ?? [], { env, timeout: pluginTimeoutMs }, (error, stdout, stderr) =>
      error === null ? done(stdout) : failed(new PluginError(stderr, error)),
    );
    child.stdin?.end();
  });
}

class PluginError extends Error {
  constructor(stderr: string, cause: Error) {
    const said = stderr.trim().split('\n').at(-1) ?? '';
    // The message of the error is not used, because it quotes the command line, which may contain secrets.
    const code = 'code' in cause && cause.code !== null ? String(cause.code) : 'a signal';
    super(said === '' ? `ended with ${code}` : `ended with ${code}: ${said.slice(0, 300)}`);
  }
}

function toProblem(plugin: Plugin, cause: unknown): string {
  return `"${plugin.command}" ${cause instanceof Error ? cause.message : 'failed'}`;
}

function toClusterInfo({ cluster }: CurrentContext): JsonObject {
  return {
    server: cluster.server,
    'certificate-authority-data': cluster['certificate-authority-data'] ?? undefined,
    'insecure-skip-tls-verify': cluster['insecure-skip-tls-verify'] ?? undefined,
    'tls-server-name': cluster['tls-server-name'] ?? undefined,
  };
}

/** Returns `undefined` if the output contains no usable credentials. */
function toUser(output: string): JsonObject | undefined {
  let raw: unknown;
  try {
    raw = JSON.parse(output);
  } catch {
    return undefined;
  }
  const parsed = answerSchema.safeParse(raw);
  const { token, clientCertificateData, clientKeyData } = parsed.success ? parsed.data.status : {};
  const hasCertificate = clientCertificateData !== undefined && clientKeyData !== undefined;
  if (token === undefined && !hasCertificate) {
    return undefined;
  }
  return {
    ...withoutUndefined({ token }),
    ...(hasCertificate
      ? { 'client-certificate-data': toBase64(clientCertificateData), 'client-key-data': toBase64(clientKeyData) }
      : {}),
  };
}

function toBase64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
