import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { writeKubeconfig } from '../../../../../packages/apiserver/http/write-kubeconfig.ts';

it('writes a kubeconfig that only its owner can read, also if the file existed', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'capi-kubeconfig-'));
  const file = path.join(dir, 'kubeconfig');
  try {
    writeFileSync(file, 'old');
    chmodSync(file, 0o644);
    writeKubeconfig(file, 'new');
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
