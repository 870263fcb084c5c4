import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projectRoot } from '../../../infra/bundles/bundle.ts';
import { type ClaimedFolder, claimNamedFolder, claimRunFolder } from '../../../local/claimed-folder.ts';
import { UsageError } from '../../../local/usage-error.ts';

let folder: string;
const claims: ClaimedFolder[] = [];
const claimFile = (): string => path.join(folder, 'local-run.json');

async function claim(): Promise<ClaimedFolder> {
  const claimed = await claimRunFolder(folder);
  claims.push(claimed);
  return claimed;
}

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'capi-claims-'));
});

afterEach(() => {
  for (const claimed of claims.splice(0)) {
    claimed.release();
  }
  rmSync(folder, { recursive: true });
});

describe('the folder of a local run', () => {
  it('is its own, and that of a later run after it has ended', async () => {
    const first = await claim();
    expect(first).toMatchObject({
      folder,
      kubeconfig: path.join(folder, 'kubeconfig'),
      queues: path.join(folder, 'queues.json'),
    });
    expect(await claim()).toMatchObject({ folder: path.join(folder, 'run-2') });
    expect(await claim()).toMatchObject({ folder: path.join(folder, 'run-3') });
    first.release();
    expect(existsSync(claimFile())).toBe(false);
    expect(await claim()).toMatchObject({ folder });
  });

  it('is refused by its name while another run uses it', async () => {
    const first = await claimNamedFolder(path.join(folder, 'named'));
    await expect(claimNamedFolder(first.folder)).rejects.toThrow(
      new UsageError(`--folder ${first.folder} is used by another local run; name another folder, or end that run`),
    );
    first.release();
    (await claimNamedFolder(first.folder)).release();
  });

  it('is free after the process that had it was killed', async () => {
    const module = path.join(projectRoot, 'local/claimed-folder.ts');
    const script = `const { claimRunFolder } = await import(${JSON.stringify(module)});
      await claimRunFolder(${JSON.stringify(folder)});
      console.log('claimed');
      setInterval(() => {}, 1000);`;
    const other = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(other.stdout, 'data');
    expect(await claim()).toMatchObject({ folder: path.join(folder, 'run-2') });
    other.kill('SIGKILL');
    await once(other, 'close');
    expect(await claim()).toMatchObject({ folder });
  });

  it('is free if another program has the port since', async () => {
    const other = createServer(socket => socket.end('another program')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    writeFileSync(claimFile(), JSON.stringify({ port: Object(address).port, id: 'a' }));
    expect(await claim()).toMatchObject({ folder });
    other.close();
  });

  it.each(['', '{}', 'not JSON'])('is free if its claim cannot be read: %j', async content => {
    writeFileSync(claimFile(), content);
    expect(await claim()).toMatchObject({ folder });
  });

  it('keeps the claim of another run when it is released late', async () => {
    const first = await claim();
    writeFileSync(claimFile(), 'of another run');
    first.release();
    expect(readFileSync(claimFile(), 'utf8')).toBe('of another run');
  });

  it('is refused if it cannot be made', async () => {
    const file = path.join(folder, 'a-file');
    writeFileSync(file, '');
    await expect(claimNamedFolder(path.join(file, 'below'))).rejects.toThrow(UsageError);
  });
});
