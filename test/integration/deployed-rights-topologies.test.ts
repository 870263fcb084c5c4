// The rights of a deployment with ClusterTopology alone, and with Secrets of one namespace.
import { gatedDeployment } from './rights/gated-deployment.ts';
import { namespace } from './rights/stage.ts';

gatedDeployment('a deployment with ClusterTopology alone, and with Secrets of one namespace', {
  on: ['ClusterTopology'],
  secretNamespaces: [namespace],
});
