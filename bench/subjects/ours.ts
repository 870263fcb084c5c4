// This project as a subject: a local run in a separate process.
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { startChild } from '../../test/support/child-program.ts';
import type { BenchSubject } from './subject.ts';

const user = 'capi-serverless';

export const ours: BenchSubject = {
  title: 'capi-serverless',
  user,
  start: controlPlane =>
    startChild({
      program: process.execPath,
      args: ['cli/main.ts', 'start', '--kubeconfig', controlPlane.kubeconfigPath(user), '--json'],
      cwd: projectRoot,
      // The gates have upstream's defaults. A local run would enable them.
      env: { CAPI_FEATURE_GATES: 'ClusterTopology=false,RuntimeSDK=false' },
      isReady: line => line.includes('"event":"started"'),
      endsWith: 'SIGINT',
    }),
};
