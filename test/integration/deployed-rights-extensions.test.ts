// The rights of a deployment with extensions and MachinePools, without ClusterTopology.
import { gatedDeployment } from './rights/gated-deployment.ts';

gatedDeployment('a deployment with extensions and MachinePools, without ClusterTopology', {
  on: ['RuntimeSDK', 'MachinePool'],
});
