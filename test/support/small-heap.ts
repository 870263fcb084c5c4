// A program with the memory of a function, and the server that it reads from in this process.
import { startChild } from './child-program.ts';
import { type Script, startFaultServer } from './fault-server.ts';

/** A function has 512 MiB, also for what is not in the heap. */
export const heapMegabytes = 384;

interface SmallHeap {
  readonly program: string;
  /** The answers of the server. Its URL is the first argument of the program. */
  readonly serve: Script;
  /** The other arguments. The program prints one line for each, which begins with it. */
  readonly names: readonly string[];
}

/** Returns the rest of each line by its first word. Rejects if the program ends before it printed all. */
export async function runWithSmallHeap({ program, serve, names }: SmallHeap): Promise<ReadonlyMap<string, string>> {
  const server = await startFaultServer(serve, { tls: false });
  const lines = new Map<string, string>();
  const child = await startChild({
    program: process.execPath,
    args: [`--max-old-space-size=${heapMegabytes}`, program, server.url, ...names],
    isReady: line => {
      const [name = '', ...rest] = line.split(' ');
      lines.set(name, rest.join(' '));
      return names.every(each => lines.has(each));
    },
    endsWith: 'SIGTERM',
  });
  await child.stop();
  await server.close();
  return lines;
}
