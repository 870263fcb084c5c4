// Upstream's core manager, with its CRDs and webhook configurations, from the Go module that go.mod pins.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Intent } from '@capi-serverless/apimachinery';
import { buildGoModule, GoBuildError, requireGo } from '../go-modules/build-go-module.ts';
import { builtDir, type GoModule } from '../go-modules/go-module.ts';
import { moduleSourceDir } from '../go-modules/module-sources.ts';
import { type ChildProgram, startChild } from '../support/child-program.ts';
import type { makeSelfSignedCertificate } from '../support/self-signed-certificate.ts';
import { readCrds, readWebhooks } from './config-folder.ts';

const program = 'manager';

const upstreamModule: GoModule = {
  name: 'upstream',
  title: 'upstream manager',
  dir: import.meta.dirname,
  programs: { [program]: 'sigs.k8s.io/cluster-api/core' },
  buildFlags: ['-p=2', '-trimpath', '-ldflags', '-s -w'],
  sources: [],
  firstBuild: 'about 5 minutes',
};

/** The port of the manager's webhook server. It listens on all addresses, so the manager needs a network of its own. */
export const webhookPort = 9443;

export interface Upstream {
  /** The path of the manager's program. */
  readonly program: string;
  /** The CRDs of upstream, without conversion webhooks. */
  readonly crds: readonly Intent[];
  /** The webhook configurations of upstream, as its module contains them. */
  readonly webhooks: readonly Intent[];
}

/** Builds the manager if necessary. `missing` is the reason in one line why it cannot be built. */
export async function prepareUpstream(say: (line: string) => void): Promise<Upstream | { readonly missing: string }> {
  try {
    requireGo(upstreamModule);
    await buildGoModule(upstreamModule, say);
    return readUpstream();
  } catch (error) {
    if (error instanceof GoBuildError) {
      return { missing: error.message };
    }
    throw error;
  }
}

/** Returns the manager if it was built. `missing` is the reason in one line why there is none. */
export function findUpstream(): Upstream | { readonly missing: string } {
  return existsSync(builtDir(upstreamModule))
    ? readUpstream()
    : { missing: 'the upstream manager is not built; run "npm run upstream-manager" once' };
}

function readUpstream(): Upstream {
  const config = join(moduleSourceDir(upstreamModule, 'sigs.k8s.io/cluster-api'), 'core/config');
  return {
    program: join(builtDir(upstreamModule), program),
    crds: readCrds(config),
    webhooks: readWebhooks(config),
  };
}

interface ManagerOptions {
  /** The path of the manager's program. */
  readonly program: string;
  readonly kubeconfigPath: string;
  /** The certificate of its webhook server. */
  readonly certificate: ReturnType<typeof makeSelfSignedCertificate>;
  /** Flags in addition to those of its Deployment. A later value of a flag replaces an earlier one. */
  readonly flags: readonly string[];
  /** Added to the environment of the current process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Called with every line of output. Returns true for the line with which the manager is ready. */
  readonly isReady: (line: string) => boolean;
}

/**
 * Starts a manager of upstream with the flags of its Deployment. It listens on all addresses, so it needs its own network
 * namespace. A second manager needs flags with other ports.
 */
export async function startManager(options: ManagerOptions): Promise<ChildProgram> {
  const certificates = mkdtempSync(join(tmpdir(), 'capi-upstream-'));
  writeFileSync(join(certificates, 'tls.crt'), options.certificate.certificatePem);
  writeFileSync(join(certificates, 'tls.key'), options.certificate.keyPem, { mode: 0o600 });
  const running = await startChild({
    program: options.program,
    args: [
      `--kubeconfig=${options.kubeconfigPath}`,
      `--webhook-cert-dir=${certificates}`,
      '--diagnostics-address=127.0.0.1:8443',
      '--health-addr=127.0.0.1:9440',
      ...options.flags,
    ],
    env: options.env ?? {},
    isReady: options.isReady,
    endsWith: 'SIGTERM',
  });
  const stop = async (): Promise<void> => {
    await running.stop();
    rmSync(certificates, { recursive: true, force: true });
  };
  return { ...running, stop };
}
