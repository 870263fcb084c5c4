// A TCP relay on loopback. It has its port before its target exists, so that a program can be configured with an address
// of a program that starts later and chooses its own port.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface TcpRelay {
  readonly port: number;
  /** Connects all later connections to this port. Without a target, connections are reset. */
  target: number | undefined;
  /** The number of bytes that targets have sent. */
  received: number;
  close(): void;
}

export async function startTcpRelay(): Promise<TcpRelay> {
  const sockets = new Set<Socket>();
  const server = createServer(incoming => {
    if (relay.target === undefined) {
      incoming.resetAndDestroy();
      return;
    }
    const outgoing = connect(relay.target, '127.0.0.1');
    outgoing.on('data', (bytes: Buffer) => {
      relay.received += bytes.length;
    });
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const relay: TcpRelay = {
    port: (server.address() as AddressInfo).port, // true: it listens on TCP
    target: undefined,
    received: 0,
    close() {
      for (const socket of sockets) {
        socket.destroy();
      }
      server.close();
    },
  };
  return relay;
}
