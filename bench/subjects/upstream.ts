// Upstream's core manager with the configuration of its Deployment. Its webhooks are not registered.
import { makeSelfSignedCertificate } from '../../test/support/self-signed-certificate.ts';
import { startManager } from '../../test/upstream-manager/manager.ts';
import type { BenchSubject } from './subject.ts';

const user = 'upstream';

interface UpstreamOptions {
  readonly title: string;
  /** The path of the manager. */
  readonly program: string;
  readonly flags: readonly string[];
}

/** Its ports are fixed, so it must run in a separate network namespace. */
export function upstream({ title, program, flags }: UpstreamOptions): BenchSubject {
  return {
    title,
    user,
    start: controlPlane =>
      startManager({
        program,
        kubeconfigPath: controlPlane.kubeconfigPath(user),
        certificate: makeSelfSignedCertificate('capi-serverless bench'),
        flags,
        isReady: line => line.includes('Starting workers') && line.includes('controller="cluster"'),
      }),
  };
}
