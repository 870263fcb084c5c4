// Both provider generations on the API server in memory.
import { createMemoryKubernetes } from '../../../shared/kubernetes/memory/memory-kubernetes.ts';
import { createMemoryApi } from '../../support/memory-api.ts';
import { legacyCrds } from './servers.ts';
import { generationsOn } from './suite.ts';

generationsOn('the API server in memory', async () => {
  const { core, clock } = createMemoryApi({ crds: legacyCrds });
  return {
    kubernetes: client => createMemoryKubernetes(core, { client }),
    now: () => clock.now(),
    close: async () => undefined,
  };
});
