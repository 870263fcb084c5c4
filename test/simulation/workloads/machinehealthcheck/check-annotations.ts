// What users and owners write to Machines under a health check, and a Machine that gets no Node.
import {
  aCheckedMachine,
  aHealthCheck,
  beingReplaced,
  failNode,
  looksLater,
  startMachines,
  untilCounted,
  untilHealthy,
  untilMarked,
  untilReported,
} from '../health-check-parts.ts';
import { machineRef } from '../members.ts';
import { settledCluster } from '../settled-cluster.ts';
import type { Workload } from '../workload.ts';

const timeoutSeconds = 60;
const annotated = (key: string, value: string | null) => ({ metadata: { annotations: { [key]: value } } });
const remediate = 'cluster.x-k8s.io/remediate-machine';
const skip = 'cluster.x-k8s.io/skip-remediation';
const hang = 'simulated.capi-serverless.dev/hang';

export const healthCheckAnnotations: Workload = {
  name: 'health-check-annotations',
  about:
    'A Machine with a failed Node skips remediation, another one is marked by annotation while its owner replaces it, and a new one gets no Node',
  notKilledAlone: looksLater,
  long: true,
  given: settledCluster,
  async script(user) {
    await startMachines(user, 'm1', 'm2', 'm3');
    await user.patch(machineRef('m3'), annotated(skip, ''));
    await user.create(aHealthCheck({ timeoutSeconds, nodeStartupTimeoutSeconds: 60 }));
    await untilCounted(user, 2, 2);
    await failNode(user, 'm3');
    await untilReported(user, 'm3', 'False');
    await user.patch(machineRef('m2'), annotated(remediate, ''));
    await untilMarked(user, 'm2');
    await user.change(machineRef('m2'), beingReplaced, 'status');
    await user.patch(machineRef('m2'), annotated(remediate, null));
    await untilHealthy(user, 'm2', 'True');
    await user.patch(machineRef('m2'), annotated(remediate, ''));
    await untilHealthy(user, 'm2', 'False');
    await user.create(
      ...aCheckedMachine('m4').map(object =>
        // A condition keeps the generation of its mark, so no provider may change the Machine.
        object.kind === 'Machine'
          ? object
          : { ...object, metadata: { ...object.metadata, annotations: { [hang]: '' } } },
      ),
    );
    await untilHealthy(user, 'm4', 'False');
    await untilMarked(user, 'm4');
    await untilCounted(user, 3, 1);
  },
};
