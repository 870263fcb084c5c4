// This project as a user runs it: the local run in a process of its own.
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { startChild } from './child.ts';
import type { Subject } from './subject.ts';

const user = 'capi-serverless';

export const ours: Subject = {
  title: 'capi-serverless',
  user,
  start: controlPlane =>
    startChild({
      program: process.execPath,
      args: ['infra/local/main.ts', '--kubeconfig', controlPlane.kubeconfigPath(user), '--json'],
      cwd: projectRoot,
      // As upstream's defaults are: a local run has them on.
      env: { CAPI_FEATURE_GATES: 'ClusterTopology=false,RuntimeSDK=false' },
      isReady: line => line.includes('"event":"started"'),
      endsWith: 'SIGINT',
    }),
};
