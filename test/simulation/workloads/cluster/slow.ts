// Infrastructure that needs more time than the longest delay of a queue.
import { aSimulatedCluster, home, infraRef, namespaceNamed, untilReady, type Workload } from '../workload.ts';

/** Several times the longest delay of a queue. */
const provisionSeconds = 3_000;

export const slow: Workload = {
  name: 'slow',
  about: 'A Cluster is created whose infrastructure takes hours, and only timers enqueue it',
  notInCampaigns: 'a run covers hours of virtual time',
  async script(user) {
    const objects = aSimulatedCluster().map(object =>
      object.kind === infraRef().kind ? { ...object, spec: { provisionSeconds } } : object,
    );
    await user.create(namespaceNamed(home), ...objects);
    await untilReady(user);
  },
};
