// Upstream's core manager with the configuration of its Deployment. Its webhooks are not registered.
import { makeSelfSignedCertificate } from '../../test/support/self-signed-certificate.ts';
import { startManager } from '../../test/upstream-manager/manager.ts';
import type { BenchSubject } from './subject.ts';

export interface UpstreamOptions {
  readonly title: string;
  /** The path of the manager. */
  readonly program: string;
  readonly flags: readonly string[];
  /** Default: `upstream`. */
  readonly user?: string;
  /** That of its webhook server, if the API server is to call it. */
  readonly certificate?: ReturnType<typeof makeSelfSignedCertificate>;
}

/** Its ports are fixed, so it must run in a separate network namespace. */
export function upstream({
  title,
  program,
  flags,
  user = 'upstream',
  certificate = makeSelfSignedCertificate('capi-serverless bench'),
}: UpstreamOptions): BenchSubject {
  return {
    title,
    user,
    start: controlPlane =>
      startManager({
        program,
        kubeconfigPath: controlPlane.kubeconfigPath(user),
        certificate,
        flags,
        isReady: line => line.includes('Starting workers') && line.includes('controller="cluster"'),
      }),
  };
}
