// Upstream's core manager with the configuration of its Deployment. Its webhooks are not registered.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSelfSignedCertificate } from '../../test/support/self-signed-certificate.ts';
import { startChild } from './child.ts';
import type { BenchSubject } from './subject.ts';

const user = 'upstream';

interface UpstreamOptions {
  readonly title: string;
  /** The path of the manager. */
  readonly program: string;
  readonly flags: readonly string[];
}

/** Its ports are fixed, so it must run in a separate network namespace (alone.ts). */
export function upstream({ title, program, flags }: UpstreamOptions): BenchSubject {
  return {
    title,
    user,
    async start(controlPlane) {
      const certificates = mkdtempSync(join(tmpdir(), 'capi-bench-'));
      const { certificatePem, keyPem } = makeSelfSignedCertificate('capi-serverless bench');
      writeFileSync(join(certificates, 'tls.crt'), certificatePem);
      writeFileSync(join(certificates, 'tls.key'), keyPem, { mode: 0o600 });
      const running = await startChild({
        program,
        args: [
          `--kubeconfig=${controlPlane.kubeconfigPath(user)}`,
          `--webhook-cert-dir=${certificates}`,
          '--diagnostics-address=127.0.0.1:8443',
          '--health-addr=127.0.0.1:9440',
          ...flags,
        ],
        isReady: line => line.includes('Starting workers') && line.includes('controller="cluster"'),
        endsWith: 'SIGTERM',
      });
      const stop = async (): Promise<void> => {
        await running.stop();
        rmSync(certificates, { recursive: true, force: true });
      };
      return { ...running, stop };
    },
  };
}
