// A health check that remediates only while one or two Machines are not healthy.
import {
  aHealthCheck,
  checkRef,
  failNode,
  looksLater,
  recoverNode,
  startMachines,
  untilCounted,
  untilHealthy,
  untilMarked,
  untilReported,
} from '../health-check-parts.ts';
import { settledCluster } from '../settled-cluster.ts';
import { conditionOf, type Workload } from '../workload.ts';

/** Longer than the time between the failures, so that no Machine is unhealthy before all have failed. */
const timeoutSeconds = 180;

export const healthCheckLimits: Workload = {
  name: 'health-check-limits',
  about:
    'Three of four Nodes fail one after the other, which is more than the check allows. When one of them recovers, the other two Machines are marked',
  notKilledAlone: looksLater,
  long: true,
  given: settledCluster,
  async script(user) {
    await startMachines(user, 'm1', 'm2', 'm3', 'm4');
    await user.create(
      aHealthCheck({ timeoutSeconds, more: { remediation: { triggerIf: { unhealthyInRange: '[1-2]' } } } }),
    );
    await untilCounted(user, 4, 4);
    await failNode(user, 'm1');
    await user.pause(20);
    await failNode(user, 'm2');
    await user.pause(20);
    await failNode(user, 'm3');
    await user.until('restricted', checkRef, check => conditionOf(check, 'RemediationAllowed') === 'False');
    for (const name of ['m1', 'm2', 'm3']) {
      await untilHealthy(user, name, 'False');
    }
    await recoverNode(user, 'm3');
    await untilHealthy(user, 'm3', 'True');
    await untilMarked(user, 'm1');
    await untilMarked(user, 'm2');
    await untilReported(user, 'm1', 'False');
    await untilReported(user, 'm2', 'False');
    await untilReported(user, 'm3', 'True');
    await untilCounted(user, 4, 2);
  },
};
