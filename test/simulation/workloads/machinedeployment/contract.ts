// The definition of an infrastructure machine changes its contract while a Machine waits for its infrastructure. The
// functions have read the definition just before.
import { type ObjectRef, valueAt } from '@capi-serverless/apimachinery';
import { aMachineDeployment, deploymentTemplates, untilVersion } from '../deployment-parts.ts';
import { aSimulatedCluster, home, namespaceNamed, untilReady, type Workload } from '../workload.ts';

const definitionRef: ObjectRef = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  name: 'simulatedmachines.infrastructure.cluster.x-k8s.io',
};

/** The provider reports in v1beta2. An object of the older contract has another field for the same. */
const contract = { older: 'cluster.x-k8s.io/v1beta1', own: 'cluster.x-k8s.io/v1beta2' };

export const machineDeploymentContract: Workload = {
  name: 'machinedeployment-contract',
  about: 'The contract of infrastructure machines changes while a Machine waits for its infrastructure',
  async script(user) {
    await user.create(namespaceNamed(home), ...aSimulatedCluster());
    await untilReady(user);
    await user.patch(definitionRef, { metadata: { labels: { [contract.own]: null, [contract.older]: 'v1beta2' } } });
    await user.create(...deploymentTemplates(), aMachineDeployment({ replicas: 1 }));
    let infrastructure = '';
    await user.untilAll('a provisioned infrastructure', 'SimulatedMachine', ([machine]) => {
      infrastructure = machine?.metadata.name ?? '';
      return valueAt(machine?.status, 'initialization.provisioned') === true;
    });
    await user.patch(definitionRef, { metadata: { labels: { [contract.own]: 'v1beta2', [contract.older]: null } } });
    const ref = {
      ...{ apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', kind: 'SimulatedMachine' },
      ...{ namespace: home, name: infrastructure },
    };
    await user.patch(ref, { metadata: { annotations: { 'example.com/upgraded': '' } } });
    await untilVersion(user, 'v1.35.0', 1);
  },
};
