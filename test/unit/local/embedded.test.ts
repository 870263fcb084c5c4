import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Embedded, startEmbedded } from '../../../local/embedded.ts';

let folder: string;
let running: readonly Embedded[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'capi-embedded-'));
});

afterEach(async () => {
  await Promise.all(running.map(server => server.stop()));
  running = [];
  rmSync(folder, { recursive: true, force: true });
});

describe('two local runs at a time', () => {
  it('have a kubeconfig each, and the one for users is the last one’s', async () => {
    const kubeconfigPath = path.join(folder, 'kubeconfig');
    const start = () => startEmbedded({ port: 0, kubeconfigPath, dataFile: undefined });
    const first = await start();
    const ofFirst = readFileSync(first.kubeconfigPath, 'utf8');
    const second = await start();
    running = [first, second];
    expect(readFileSync(first.kubeconfigPath, 'utf8')).toBe(ofFirst);
    expect(readFileSync(second.kubeconfigPath, 'utf8')).not.toBe(ofFirst);
    expect(readFileSync(kubeconfigPath, 'utf8')).toBe(readFileSync(second.kubeconfigPath, 'utf8'));

    running = [second];
    await first.stop();
    expect(existsSync(first.kubeconfigPath)).toBe(false);
    expect(existsSync(kubeconfigPath)).toBe(true);
    running = [];
    await second.stop();
    expect(existsSync(kubeconfigPath)).toBe(false);
  });
});
