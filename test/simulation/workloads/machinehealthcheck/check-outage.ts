// A workload cluster that is lost for longer than the timeouts of a health check.
import { valueAt } from '@capi-serverless/apimachinery';
import {
  aHealthCheck,
  checkRef,
  looksLater,
  startMachines,
  untilCounted,
  untilMarked,
  untilReported,
} from '../health-check-parts.ts';
import { nodeRef } from '../machine-steps.ts';
import { settledCluster } from '../settled-cluster.ts';
import { clusterRef, type Workload } from '../workload.ts';

const timeoutSeconds = 60;

export const healthCheckOutage: Workload = {
  name: 'health-check-outage',
  about:
    'A workload cluster is lost for minutes, and no Machine is marked. Then a user deletes a Node, and its Machine is marked',
  notKilledAlone: looksLater,
  long: true,
  given: settledCluster,
  async script(user) {
    await startMachines(user, 'm1', 'm2');
    await user.create(aHealthCheck({ timeoutSeconds }));
    await untilCounted(user, 2, 2);
    const workload = user.inWorkload(clusterRef());
    workload.disconnect();
    await user.pause(600);
    workload.connect();
    await user.patch(checkRef, { spec: { checks: { nodeStartupTimeoutSeconds: 3600 } } });
    await user.until(
      'the check to see the Nodes again',
      checkRef,
      check => valueAt(check?.status, 'observedGeneration') === check?.metadata.generation,
    );
    // The status of the check causes one more pass. It must not see the Node go.
    await user.pause(120);
    await workload.delete(nodeRef('m2'));
    await untilMarked(user, 'm2');
    await untilReported(user, 'm1', 'True');
    await untilReported(user, 'm2', 'False');
    await untilCounted(user, 2, 1);
  },
};
