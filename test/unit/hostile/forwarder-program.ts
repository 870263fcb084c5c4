// A watch-forwarder of its own process, with the real client and all declarations. Prints one line per message.
// Arguments: the address of the API server.
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { declarations } from '../../../functions/declarations.ts';
import { createForwarder } from '../../../functions/watch-forwarder/forwarder.ts';
import { createKubernetes } from '../../../shared/kubernetes/rest/client.ts';
import { createMetricsRegistry } from '../../../shared/telemetry/metrics-registry.ts';
import { parseRequest } from '../../../shared/workqueue/message.ts';
import type { QueueSender } from '../../../shared/workqueue/port.ts';
import { expandQueue } from '../../../shared/workqueue/queue-names.ts';
import { aRecordingLog } from '../../support/kernel.ts';

const [, , server = ''] = process.argv;

const queues: QueueSender = {
  send: async (queue, messages) => {
    for (const { body } of queue === expandQueue ? [] : messages) {
      const { reconciler, key } = parseRequest(body);
      process.stdout.write(`${reconciler} ${key.namespace}/${key.name}\n`);
    }
    return messages.map(() => ({ ok: true }));
  },
};

const access = { endpoint: { server, insecureSkipTlsVerify: false }, authorization: undefined };
const credentials = { server, current: async () => access, refresh: async () => false };
const kubernetes = createKubernetes({ credentials, client: 'watch-forwarder' });
const log = aRecordingLog();
let ids = 0;
const forwarder = createForwarder({
  declarations,
  kubernetes: { reads: kubernetes, watches: kubernetes.watches },
  queues,
  managementCluster: 'mc-1',
  watchFilter: '',
  clock: systemClock,
  newId: () => {
    ids += 1;
    return `id-${ids}`;
  },
  log,
  metrics: createMetricsRegistry(),
});
await forwarder.run(new AbortController().signal);
