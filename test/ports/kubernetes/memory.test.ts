// The memory adapter of the Kubernetes port.
import { randomUUID } from 'node:crypto';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { createApiCore } from '@capi-serverless/apiserver/core';
import { createMemoryKubernetes } from '../../../shared/kubernetes/memory/memory-kubernetes.ts';
import { expectValue } from '../answers.ts';
import { kubernetesConformance } from './suite.ts';

const ids = { uid: () => randomUUID(), nameSuffix: () => randomUUID().slice(0, 5) };

kubernetesConformance('memory', {
  async open() {
    const core = createApiCore({ now: systemClock.now, ids });
    const kubernetes = createMemoryKubernetes(core, { clock: systemClock });
    return {
      kubernetes,
      async install(crd) {
        expectValue(await kubernetes.create(crd));
      },
      async close() {},
    };
  },
});
