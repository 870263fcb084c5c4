// The client, with a server that has its own CA.

import { createHooks } from '../../../shared/runtime-hooks/client/hooks-client.ts';
import { createMetricsRegistry } from '../../../shared/telemetry/metrics-registry.ts';
import { anIdentity, startExtensionServer } from '../../support/extension-server.ts';
import { SteppedClock } from '../../support/stepped-clock.ts';
import { hooksSuite } from './suite.ts';

const settings = { services: 'refuse', addresses: 'any', certificate: { kind: 'none' } } as const;

hooksSuite(async () => {
  const clock = new SteppedClock();
  const server = await startExtensionServer(await anIdentity());
  const hooks = createHooks({ clock, metrics: createMetricsRegistry(), settings });
  return {
    hooks,
    clock,
    url: server.url,
    caBundle: server.ca,
    answer: server.answer,
    underWay: async () => {
      await server.call(server.received.length + 1);
    },
    close: server.close,
  };
});
