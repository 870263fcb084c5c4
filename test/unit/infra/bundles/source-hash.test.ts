// A local run uses an existing bundle if the hash is equal, so every change of a source must change the hash.
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashOfSources } from '../../../../infra/bundles/source-hash.ts';

const files = {
  'functions/cluster/decide.ts': 'export {};',
  'functions/cluster/README.md': 'text',
  'shared/kernel/batch.ts': 'export {};',
  'packages/cel/cel.ts': 'export {};',
  'local/provider/machine.ts': 'export {};',
  'infra/bundles/bundle.ts': 'export {};',
  'package-lock.json': '{}',
  'tsconfig.json': '{}',
};

describe('the hash of the sources of bundles', () => {
  let home: string;
  let copies = 0;

  beforeAll(() => {
    home = mkdtempSync(path.join(tmpdir(), 'capi-sources-'));
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(path.join(home, 'as-it-was', path.dirname(file)), { recursive: true });
      writeFileSync(path.join(home, 'as-it-was', file), text);
    }
  });

  afterAll(() => rmSync(home, { recursive: true }));

  /** Returns the hash of a changed copy. */
  function hashAfter(change: (root: string) => void): string {
    copies += 1;
    const root = path.join(home, `copy-${copies}`);
    cpSync(path.join(home, 'as-it-was'), root, { recursive: true });
    change(root);
    return hashOfSources(root).digest('hex');
  }

  const unchanged = () => hashAfter(() => undefined);

  it('is the same for the same sources', () => {
    expect(unchanged()).toBe(unchanged());
  });

  it.each(Object.keys(files).filter(file => !file.endsWith('.md')))('changes with %s', file => {
    expect(hashAfter(root => writeFileSync(path.join(root, file), 'changed'))).not.toBe(unchanged());
  });

  it('changes with a new file, a removed file and a renamed file', () => {
    const decide = 'functions/cluster/decide.ts';
    const hashes = [
      unchanged(),
      hashAfter(root => writeFileSync(path.join(root, 'shared/new.ts'), 'export {};')),
      hashAfter(root => rmSync(path.join(root, decide))),
      hashAfter(root => renameSync(path.join(root, decide), path.join(root, 'functions/cluster/report.ts'))),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('does not change with a file that is not bundled', () => {
    expect(hashAfter(root => writeFileSync(path.join(root, 'functions/cluster/README.md'), 'changed'))).toBe(
      unchanged(),
    );
  });
});
