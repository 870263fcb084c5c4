// Several Clusters whose reconcilers share one work queue and one function, as in a lean deployment.
import type { Workload } from '../workload.ts';
import { several } from './several.ts';

export const sharedQueue: Workload = {
  ...several,
  name: 'shared-queue',
  about: 'All reconcilers share one work queue: six Clusters become available; then half of them are deleted',
  layout: 'compact',
  notInCampaigns: 'kills.test.ts has a function for each reconciler',
};
