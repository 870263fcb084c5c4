// The REST adapter of the clients of workload clusters, connected to a server of the test.

import { type RequestFact, requests } from '../../../shared/diagnostics/channels.ts';
import type { WorkloadFault } from '../../../shared/kubernetes/memory/memory-workload.ts';
import { createWorkloadClients } from '../../../shared/kubernetes/rest/workload-clients.ts';
import { reply, startFaultServer } from '../../support/fault-server.ts';
import { SteppedClock } from '../../support/stepped-clock.ts';
import { createTestClient } from '../../support/test-client.ts';
import { plainKubeconfig } from '../../support/workload-kubeconfig.ts';
import type { FaultySubject, HealthySubject } from './workload-subject.ts';

let number = 0;

function connect(kubeconfig: string) {
  const clock = new SteppedClock();
  number += 1;
  const client = `workload-${number}`;
  const clients = createWorkloadClients({ addresses: 'any', client, userAgent: 'test', clock });
  const target = { cluster: 'uid', origin: 'in Secret ns/c1-kubeconfig', kubeconfig, version: '1' };
  return { ...clients, clock, target, client };
}

/** An API server, and a kubeconfig of its administrator. */
interface Server {
  readonly url: string;
  readonly caPem: string;
  readonly token: string;
  readonly kubeconfig: string;
}

/** Adds a function that removes the counter to `closing`. */
export function connectHealthy(server: Server, closing: (() => Promise<void>)[]): HealthySubject {
  const { client, ...subject } = connect(server.kubeconfig);
  let sent = 0;
  const count = (fact: unknown): void => {
    sent += (fact as RequestFact).client === client ? 1 : 0; // True: the channel contains nothing else.
  };
  requests.subscribe(count);
  closing.push(async () => {
    requests.unsubscribe(count);
  });
  const access = {
    endpoint: { server: server.url, ca: server.caPem, insecureSkipTlsVerify: false },
    authorization: `Bearer ${server.token}`,
  };
  const credentials = { server: server.url, current: async () => access, refresh: async () => false };
  return { ...subject, sent: () => sent, kubernetes: createTestClient({ credentials, client: 'others' }) };
}

/** Starts a server with this fault. Adds a function that stops it to `closing`. */
export async function openFaulty(first: WorkloadFault, closing: (() => Promise<void>)[]): Promise<FaultySubject> {
  let fault: WorkloadFault | undefined = first;
  const server = await startFaultServer(
    (_request, response) => {
      switch (fault) {
        case 'down':
          response.destroy();
          break;
        case 'hanging':
          break;
        case 'unauthorized':
          reply(response, 401, { kind: 'Status', reason: 'Unauthorized', message: 'Unauthorized' });
          break;
        case undefined:
          reply(response, 200, { kind: 'NodeList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] });
          break;
      }
    },
    { tls: false },
  );
  closing.push(() => server.close());
  return {
    ...connect(plainKubeconfig({ server: server.url })),
    sent: () => server.received.length,
    set: next => {
      fault = next;
    },
  };
}
