// Upstream's providers for kubeadm and for development, with their CRDs and webhook configurations, from the Go modules that
// go.mod pins.
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Intent } from '@capi-serverless/apimachinery';
import { parseAllDocuments } from 'yaml';
import { builtDir, type GoModule } from '../go-modules/go-module.ts';
import { moduleSourceDir } from '../go-modules/module-sources.ts';
import type { ChildProgram } from '../support/child-program.ts';
import { makeSelfSignedCertificate } from '../support/self-signed-certificate.ts';
import type { WorldClient } from '../support/world-client.ts';
import { readCrds, readWebhooks } from '../upstream-manager/config-folder.ts';
import { answerWebhooks } from '../upstream-manager/loopback-webhooks.ts';
import { startManager, webhookPort } from '../upstream-manager/manager.ts';

const core = 'sigs.k8s.io/cluster-api';
const development = 'sigs.k8s.io/cluster-api/test';

/** Each has ports of its own, by its place from 1 on. Those of the core manager are 9443, 8443 and 9440. */
const sources = [
  { name: 'bootstrap', module: core, folder: 'bootstrap/kubeadm', controller: 'kubeadmconfig' },
  { name: 'control-plane', module: core, folder: 'controlplane/kubeadm', controller: 'kubeadmcontrolplane' },
  { name: 'infrastructure', module: development, folder: 'infrastructure/docker', controller: 'devmachine' },
] as const;

const extension = 'extension';

export const providersModule: GoModule = {
  name: 'upstream-providers',
  title: "upstream's providers",
  dir: import.meta.dirname,
  programs: {
    ...Object.fromEntries(sources.map(({ name, module, folder }) => [name, `${module}/${folder}`])),
    [extension]: `${development}/extension`,
  },
  buildFlags: ['-p=2', '-trimpath', '-ldflags', '-s -w'],
  sources: [],
  firstBuild: '3 to 10 minutes for all four programs',
};

interface UpstreamProvider {
  readonly name: string;
  /** The path of its program. */
  readonly program: string;
  /** Without conversion webhooks. With the labels of its contracts. */
  readonly crds: readonly Intent[];
  /** As its module contains them. */
  readonly webhooks: readonly Intent[];
  /** The name of the controller that starts last, in its log. */
  readonly controller: string;
}

export interface UpstreamProviders {
  readonly all: readonly UpstreamProvider[];
  /** The ClusterClass of the in-memory backend with its templates, as the module contains them. */
  readonly clusterClass: readonly Intent[];
  /** The path of the program of upstream's test extension. */
  readonly extension: string;
}

/** Returns the providers if they were built. `missing` is the reason in one line why there are none. */
export function findProviders(): UpstreamProviders | { readonly missing: string } {
  const dir = builtDir(providersModule);
  if (!existsSync(dir)) {
    return { missing: 'the providers of upstream are not built; run "npm run providers" once' };
  }
  const sourcesOf = { [core]: sourceDir(core), [development]: sourceDir(development) };
  const classFile = join(sourcesOf[development], 'infrastructure/docker/templates/clusterclass-in-memory.yaml');
  return {
    all: sources.map(({ name, module, folder, controller }) => {
      const config = join(sourcesOf[module], folder, 'config');
      const program = join(dir, name);
      return { name, program, controller, crds: readCrds(config).map(withContracts), webhooks: readWebhooks(config) };
    }),
    extension: join(dir, extension),
    clusterClass: parseAllDocuments(readFileSync(classFile, 'utf8')).map(document => document.toJS() as Intent), // True: a manifest.
  };
}

const sourceDir = (module: string): string => moduleSourceDir(providersModule, module);

/** The release adds these labels. They name the versions of the contracts, which have the names of the API versions. */
function withContracts({ metadata, ...crd }: Intent): Intent {
  const labels = { 'cluster.x-k8s.io/v1beta1': 'v1beta1', 'cluster.x-k8s.io/v1beta2': 'v1beta2' };
  return { ...crd, metadata: { ...metadata, labels: { ...metadata.labels, ...labels } } };
}

/** The infrastructure provider looks for Docker when it starts, and needs none for its in-memory backend. */
const env = { DOCKER_HOST: 'tcp://127.0.0.1:1', POD_IP: '127.0.0.1' };

/** The outputs of the providers, for the search of errors. */
const logFolder = resolve(import.meta.dirname, '../../dist/providers');

/** Returns the part of the flags that differs between programs on one machine. */
function portFlags(place: number): readonly string[] {
  return [
    `--webhook-port=${webhookPort + place}`,
    `--diagnostics-address=127.0.0.1:${8443 + place}`,
    `--health-addr=127.0.0.1:${9540 + place}`,
  ];
}

/** Returns a function that writes lines to a new file. */
function openLog(name: string): (line: string) => void {
  mkdirSync(logFolder, { recursive: true });
  const log = join(logFolder, `${name}.log`);
  rmSync(log, { force: true });
  return line => appendFileSync(log, `${line}\n`);
}

/**
 * Starts the providers one after the other, and lets the API server call their webhooks. Their CRDs exist. They need a network
 * namespace without other users: the in-memory backend listens on port 19000, and from port 20000 on.
 */
export async function startProviders(
  { all }: UpstreamProviders,
  client: WorldClient,
  kubeconfigPath: string,
): Promise<Pick<ChildProgram, 'stop'>> {
  const running: ChildProgram[] = [];
  for (const [index, provider] of all.entries()) {
    const { name, program, controller } = provider;
    const place = index + 1;
    const certificate = makeSelfSignedCertificate(`upstream ${name}`);
    const log = openLog(name);
    running.push(
      await startManager({
        ...{ program, kubeconfigPath, certificate, env },
        flags: ['--feature-gates=ClusterTopology=true', ...portFlags(place)],
        isReady(line) {
          log(line);
          return line.includes('Starting workers') && line.includes(`controller="${controller}"`);
        },
      }),
    );
    const { certificatePem } = certificate;
    await answerWebhooks(client, provider, { prefix: `capi-${name}`, port: webhookPort + place, certificatePem });
  }
  return {
    async stop() {
      await Promise.all(running.map(provider => provider.stop()));
    },
  };
}

export interface RunningExtension extends Pick<ChildProgram, 'stop'> {
  /** The client configuration of its ExtensionConfig. */
  readonly clientConfig: { readonly url: string; readonly caBundle: string };
}

/** Starts upstream's test extension. It stores the calls of lifecycle hooks in a ConfigMap for each Cluster. */
export async function startExtension(
  { extension: program }: UpstreamProviders,
  kubeconfigPath: string,
): Promise<RunningExtension> {
  const place = sources.length + 1;
  const certificate = makeSelfSignedCertificate(`upstream ${extension}`);
  const log = openLog(extension);
  const running = await startManager({
    ...{ program, kubeconfigPath, certificate },
    flags: portFlags(place),
    isReady(line) {
      log(line);
      return line.includes('Serving webhook server');
    },
  });
  const caBundle = Buffer.from(certificate.certificatePem).toString('base64');
  return { stop: running.stop, clientConfig: { url: `https://127.0.0.1:${webhookPort + place}`, caBundle } };
}
