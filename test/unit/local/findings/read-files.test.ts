import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFiles } from '../../../../local/findings/read-files.ts';

describe('the manifests of a folder', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'capi-manifests-'));
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  it('are read in the order of their names, whatever the order of the folder', async () => {
    const names = ['e.yaml', 'b.json', 'h.yml', 'a.yaml', 'g.yaml', 'c.yml', 'f.json', 'd.yaml'];
    for (const name of names) {
      writeFileSync(path.join(folder, name), `# ${name}`);
    }
    writeFileSync(path.join(folder, 'notes.txt'), 'not a manifest');
    mkdirSync(path.join(folder, 'empty'));
    expect(await readFiles(folder)).toEqual(
      names.toSorted().map(name => ({ name: path.join(folder, name), text: `# ${name}` })),
    );
    expect(await readFiles(path.join(folder, 'empty'))).toEqual([]);
  });

  it('include a single file, whatever its name', async () => {
    const name = path.join(folder, 'values.txt');
    writeFileSync(name, 'a: 1');
    expect(await readFiles(name)).toEqual([{ name, text: 'a: 1' }]);
  });

  it('are named if they cannot be read', async () => {
    const missing = path.join(folder, 'missing');
    await expect(readFiles(missing)).rejects.toThrow(`${missing} cannot be read: ENOENT`);
  });
});
