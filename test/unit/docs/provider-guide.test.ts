// The guide for provider authors refers only to existing scripts, files, and exports of the package.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from '../../../cli/commands.ts';
import { toFiles } from '../../../cli/new-provider/files.ts';
import { packageEntries } from '../../../infra/package/entries.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const guide = readFileSync(path.join(root, 'docs/provider-guide.md'), 'utf8');
const written = toFiles({ name: 'rack', group: 'rack.example.com', folder: '' }, 'capi-serverless.tgz');
const scriptsOf = (text = '{}'): readonly string[] =>
  Object.keys((JSON.parse(text) as { readonly scripts?: object }).scripts ?? {}); // True: npm's format.

describe('the guide for authors', () => {
  it('names only scripts that exist, here or in a new provider', () => {
    const ours = scriptsOf(readFileSync(path.join(root, 'package.json'), 'utf8'));
    const theirs = scriptsOf(written.find(({ name }) => name === 'package.json')?.text);
    const named = [...guide.matchAll(/npm run (?:--silent )?([a-z:-]+)/g)].map(([, script]) => script ?? '');
    expect(named).toEqual(expect.arrayContaining(['conformance', 'synth', 'deploy']));
    expect(named.filter(script => ![...ours, ...theirs].includes(script))).toEqual([]);
  });

  it('names only commands that exist', () => {
    const named = [...guide.matchAll(/npx capi-serverless ([a-z-]+)/g)].map(([, command]) => command ?? '');
    expect(named).toEqual(expect.arrayContaining(['new-provider', 'check-contract']));
    expect(named.filter(command => !commands.some(({ name }) => name === command))).toEqual([]);
  });

  it('links only to files that exist', () => {
    const linked = [...guide.matchAll(/\]\((?!https:)([^)#]+)\)/g)].map(([, target]) => target ?? '');
    expect(linked.filter(target => !existsSync(path.join(root, 'docs', target)))).toEqual([]);
  });

  it('imports only from the package, by names that it exports', () => {
    const imported = [...guide.matchAll(/from '([^']+)'/g)].map(([, name]) => name ?? '');
    const exported = packageEntries.map(({ name }) =>
      name === 'testing' ? 'capi-serverless/actuator/testing' : `capi-serverless/${name}`,
    );
    expect(imported.length).toBeGreaterThan(2);
    expect(imported.filter(name => !exported.includes(name))).toEqual([]);
  });

  it('describes each file of a new provider', () => {
    const reported = [...guide.matchAll(/`([\w./-]+)`/g)].map(([, name]) => name ?? '');
    const unmentioned = written
      .map(({ name }) => name)
      .filter(name => !reported.some(each => name === each || (each.endsWith('/') && name.startsWith(each))));
    expect(unmentioned.sort()).toEqual(['.gitignore', 'README.md', 'package.json', 'tsconfig.json']);
  });
});
