import { describe, expect, it } from 'vitest';
import {
  checkShipped,
  narrowBill,
  parseBill,
  toPackageFolders,
} from '../../../../infra/supply-chain/bill-of-materials.ts';
import { toNotices } from '../../../../infra/supply-chain/notices.ts';

function aComponent(name: string) {
  const host = 'https://npm.example.com';
  return {
    'bom-ref': `${name}@1.0.0`,
    name,
    version: '1.0.0',
    purl: `pkg:npm/${name}@1.0.0`,
    externalReferences: [
      { type: 'distribution', url: `${host}/${name}.tgz` },
      { type: 'vcs', url: 'git+https://example.org/x' },
    ],
  };
}

const written = {
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  metadata: { component: { name: 'some-folder' } },
  components: ['a', 'b', 'tool'].map(aComponent),
  dependencies: [
    { ref: 'project@0.1.0', dependsOn: ['a@1.0.0', 'tool@1.0.0'] },
    { ref: 'a@1.0.0', dependsOn: ['b@1.0.0', 'tool@1.0.0'] },
    { ref: 'b@1.0.0' },
    { ref: 'tool@1.0.0', dependsOn: ['b@1.0.0'] },
  ],
};
const bill = parseBill(JSON.stringify(written), 'project');
const shipped = ['a', 'b'].map(name => ({ name, version: '1.0.0' }));
const lock = {
  lockfileVersion: 3,
  packages: {
    '': {},
    'node_modules/a': { version: '1.0.0' },
    'node_modules/b': { version: '2.0.0', dev: true },
    'node_modules/a/node_modules/b': { version: '1.0.0' },
    'node_modules/tool': { version: '1.0.0', dev: true },
  },
};

describe('a bill of materials', () => {
  it('has the name of the project, and no host of a package registry', () => {
    expect(bill.metadata.component.name).toBe('project');
    expect(JSON.stringify(bill)).not.toContain('npm.example.com');
    expect(JSON.stringify(bill)).toContain('git+https://example.org/x');
  });

  it.each([
    { change: { bomFormat: 'SPDX' }, field: 'bomFormat' },
    { change: { components: [{ name: 'a' }] }, field: 'components' },
    { change: { components: undefined }, field: 'components' },
  ])('is rejected without a required field: $field', ({ change, field }) => {
    expect(() => parseBill(JSON.stringify({ ...written, ...change }), 'project')).toThrow(field);
  });

  it('of the shipped packages holds nothing else', () => {
    const narrow = narrowBill(bill, shipped);
    expect(narrow.components.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(narrow.dependencies).toEqual([
      { ref: 'project@0.1.0', dependsOn: ['a@1.0.0'] },
      { ref: 'a@1.0.0', dependsOn: ['b@1.0.0'] },
      { ref: 'b@1.0.0', dependsOn: [] },
    ]);
  });

  it('is complete when each bundled package is in it', () => {
    expect(checkShipped({ bill, lock }, shipped)).toEqual([]);
  });

  it.each([
    {
      name: 'c',
      version: '1.0.0',
      says: 'c@1.0.0 is in a bundle and not in the bill of materials; install what is locked: npm ci',
    },
    {
      name: 'a',
      version: '1.0.1',
      says: 'a@1.0.1 is in a bundle and not in the bill of materials; install what is locked: npm ci',
    },
    {
      name: 'tool',
      version: '1.0.0',
      says: 'tool@1.0.0 is in a bundle and a development dependency; move it to dependencies',
    },
  ])('is rejected: $says', ({ name, version, says }) => {
    expect(checkShipped({ bill, lock }, [...shipped, { name, version }])).toEqual([says]);
  });
});

describe('the packages of a bundle', () => {
  it("are derived from the bundler's inputs", () => {
    const inputs = [
      'functions/cluster/handler.ts',
      'node_modules/zod/v4/mini/index.js',
      'node_modules/zod/v4/core/core.js',
      'node_modules/@a/b/dist/c.js',
      'node_modules/@a/b/node_modules/d/e.js',
      '../elsewhere/node_modules/f/g.js',
    ];
    expect(toPackageFolders(inputs)).toEqual([
      '../elsewhere/node_modules/f',
      'node_modules/@a/b',
      'node_modules/@a/b/node_modules/d',
      'node_modules/zod',
    ]);
  });

  it('are distributed with their licences', () => {
    const text = toNotices('project', [
      { name: 'a', version: '1.0.0', licence: 'MIT', texts: ['Copyright example\n'] },
      { name: 'b', version: '2.0.0', licence: '0BSD', texts: [] },
    ]);
    expect(text).toContain('a 1.0.0 (MIT)\n\nCopyright example\n');
    expect(text).toContain('b 2.0.0 (0BSD)\n');
  });
});
