// Plays the API servers of all simulated workload clusters: one loopback endpoint that accepts whoever their authority signed.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Instant } from '../../shared/api/object.ts';
import { createAuthority, issueServerCertificate } from '../../shared/certificates/x509/authority.ts';
import type { SimulatedWorkload } from './provider/simulated-workload.ts';

const loopback = '127.0.0.1';

export interface WorkloadApi {
  /** What the simulated control planes hand to their Clusters. */
  readonly workload: SimulatedWorkload;
  stop(): Promise<void>;
}

/** With an authority of its own, at a free port. It holds no objects: its root is all that a probe asks for. */
export async function startWorkloadApi(now: Instant): Promise<WorkloadApi> {
  const authority = await createAuthority(now);
  const { certificate, privateKey } = await issueServerCertificate(authority, { address: loopback, now });
  const server = createServer(
    { cert: certificate, key: privateKey, ca: authority.certificate, requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      response.writeHead(request.url === '/' ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ paths: ['/'] }));
    },
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, loopback, resolve);
  });
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    workload: { server: `https://${loopback}:${port}`, authority },
    stop: async () => {
      server.closeAllConnections();
      await new Promise<void>(resolve => server.close(() => resolve()));
    },
  };
}
