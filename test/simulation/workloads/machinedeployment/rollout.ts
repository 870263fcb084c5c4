// The Machines of a MachineDeployment are created, and replaced one after the other.
import { aMachineDeployment, deploymentRef, deploymentTemplates, untilVersion } from '../deployment-parts.ts';
import { aSimulatedCluster, home, namespaceNamed, untilReady, type Workload } from '../workload.ts';

export const machineDeploymentRollout: Workload = {
  name: 'machinedeployment-rollout',
  about: 'The Machines of a MachineDeployment are created, and replaced one after the other by those of a new version',
  long: true,
  async script(user) {
    await user.create(namespaceNamed(home), ...aSimulatedCluster());
    await untilReady(user);
    await user.create(...deploymentTemplates(), aMachineDeployment());
    await untilVersion(user, 'v1.35.0');
    await user.patch(deploymentRef, { spec: { template: { spec: { version: 'v1.35.1' } } } });
    await untilVersion(user, 'v1.35.1');
  },
};
