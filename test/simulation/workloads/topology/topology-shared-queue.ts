// A managed topology whose reconcilers share one work queue and one function, as in a lean deployment.
import type { Workload } from '../workload.ts';
import { topologyCreate } from './topology-create.ts';

export const topologySharedQueue: Workload = {
  ...topologyCreate,
  name: 'topology-shared-queue',
  about: 'All reconcilers share one work queue: a Cluster with managed topology is created',
  layout: 'compact',
  notInCampaigns: 'kills.test.ts has a function for each reconciler',
};
