// One local run at a time uses a folder, so that a second one does not take the files of the first.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import * as z from 'zod/mini';
import { toRunFiles } from './run-folder.ts';
import { UsageError } from './usage-error.ts';

export interface ClaimedFolder extends Readonly<ReturnType<typeof toRunFiles>> {
  /** Another run may use the folder then. */
  release(): void;
}

/**
 * Claims `folder` for this process until it ends, however it ends. If another run uses it, the folder `run-2` in it, or
 * the first free one after that.
 */
export async function claimRunFolder(folder: string): Promise<ClaimedFolder> {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? folder : path.join(folder, `run-${number}`);
    const claimed = await claim(candidate);
    if (claimed !== undefined) {
      return claimed;
    }
  }
}

/** Like `claimRunFolder`, but throws UsageError if another run uses the folder. */
export async function claimNamedFolder(folder: string): Promise<ClaimedFolder> {
  const claimed = await claim(path.resolve(folder));
  if (claimed === undefined) {
    throw new UsageError(`--folder ${folder} is used by another local run; name another folder, or end that run`);
  }
  return claimed;
}

const claimSchema = z.object({ port: z.int(), id: z.string() });

/** A process that has ended answers no more, and a process that has the port since does not know the id. */
async function claim(folder: string): Promise<ClaimedFolder | undefined> {
  const file = path.join(folder, 'local-run.json');
  if (await isInUse(file)) {
    return undefined;
  }
  const id = randomUUID();
  const server = createServer(socket => {
    socket.on('error', () => undefined);
    socket.end(id);
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // True: it listens on TCP.
  makeFolder(folder);
  const claimed = JSON.stringify({ port, id });
  writeFileSync(file, claimed);
  return {
    ...toRunFiles(folder),
    release() {
      server.close();
      if (readIfPresent(file) === claimed) {
        rmSync(file);
      }
    },
  };
}

async function isInUse(file: string): Promise<boolean> {
  const claimed = readClaim(file);
  if (claimed === undefined) {
    return false;
  }
  const socket = createConnection({ host: '127.0.0.1', port: claimed.port, timeout: answerWithinMs });
  socket.on('timeout', () => socket.destroy());
  return (await text(socket).catch(() => '')) === claimed.id;
}

/** The other process may be busy for a moment. */
const answerWithinMs = 30_000;

function readClaim(file: string): z.infer<typeof claimSchema> | undefined {
  try {
    return claimSchema.safeParse(JSON.parse(readIfPresent(file) ?? '')).data;
  } catch {
    return undefined;
  }
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (cause) {
    throw new UsageError(`Folder ${folder} cannot be made`, { cause });
  }
}
