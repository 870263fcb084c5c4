// This project as a subject: a local run in a separate process.
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { startChild } from '../../test/support/child-program.ts';
import type { BenchSubject } from './subject.ts';

const user = 'capi-serverless';

export function oursWith(featureGates: string): BenchSubject {
  return {
    title: 'capi-serverless',
    user,
    start: controlPlane =>
      startChild({
        program: process.execPath,
        args: ['cli/main.ts', 'start', '--kubeconfig', controlPlane.kubeconfigPath(user), '--json'],
        cwd: projectRoot,
        env: { CAPI_FEATURE_GATES: featureGates },
        isReady: line => line.includes('"event":"started"'),
        endsWith: 'SIGINT',
      }),
  };
}

/** The gates have upstream's defaults. A local run would enable them. */
export const ours: BenchSubject = oursWith('ClusterTopology=false,RuntimeSDK=false');
