// A health check marks Machines of a MachineDeployment, which replaces them.
import { deploymentNameLabel } from '../../../../shared/api/machine-deployment/reader.ts';
import {
  aMachineDeployment,
  deploymentRef,
  deploymentTemplates,
  machineOf,
  machinesOf,
  untilVersion,
} from '../deployment-parts.ts';
import { aHealthCheck, failNode, looksLater, recoverNode, untilCounted, untilReported } from '../health-check-parts.ts';
import { settledCluster } from '../settled-cluster.ts';
import { isGone, type Workload } from '../workload.ts';

const replicas = 3;
/** Longer than a Node that recovers is not ready. */
const timeoutSeconds = 120;

export const healthCheckRollout: Workload = {
  name: 'health-check-rollout',
  about:
    'A Node of a MachineDeployment fails and recovers, then two fail for good, and their Machines are replaced one after the other',
  notKilledAlone: looksLater,
  long: true,
  given: settledCluster,
  async script(user) {
    await user.create(...deploymentTemplates(), aMachineDeployment({ replicas, remediation: { maxInFlight: 1 } }));
    await untilVersion(user, 'v1.35.0', replicas);
    await user.create(aHealthCheck({ timeoutSeconds, labels: { [deploymentNameLabel]: deploymentRef.name } }));
    await untilCounted(user, replicas, replicas);
    const [first = '', second = '', third = ''] = await machinesOf(user, replicas);
    await failNode(user, third);
    await user.pause(20);
    await recoverNode(user, third);
    await untilReported(user, third, 'True');
    await failNode(user, first);
    await failNode(user, second);
    for (const name of [first, second]) {
      await user.until('replaced', machineOf(name), isGone);
    }
    await untilVersion(user, 'v1.35.0', replicas);
    await untilCounted(user, replicas, replicas);
    await user.until('not replaced', machineOf(third), machine => machine?.metadata.deletionTimestamp === undefined);
  },
};
