// Servers on the loopback address.
import type { Server } from 'node:net';

/** Resolves when the server listens. Rejects if the port is in use. 0 selects any free port. */
export function listenOnLoopback(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}
