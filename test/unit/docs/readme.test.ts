import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from '../../../cli/commands.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const readme = read('README.md');

/** The whole text is at most a few screens long. Other topics have separate pages. */
const longestReadme = 150;

describe('the README', () => {
  it('is short and has the sections in the expected order', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(longestReadme);
    expect([...readme.matchAll(/^## (.*)$/gm)].map(([, title]) => title)).toEqual([
      'Quick start',
      'Deploy',
      'What it costs',
      'Compatibility',
      'Limits',
      'Where to read on',
    ]);
    expect(readme.indexOf('docs/recording/start.svg')).toBeLessThan(readme.indexOf('## Quick start'));
  });

  it('starts with commands that CI runs', () => {
    const [, quickStart = ''] = /## Quick start\n([\s\S]*?)\n## /.exec(readme) ?? [];
    const [first, , tests] = [...quickStart.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block);
    expect(first).toBe('npm ci\nnpm start\n');
    expect(tests).toBe('npm test\n');
    expect(read('.ci/run')).toContain('npm ci ');
    // The behaviour of `npm start` is tested in test/local-run/embedded-run.test.ts.
    expect(read('.ci/steps.ts')).toContain("command: ['npm', 'test']");
  });

  it('names only scripts and commands that exist', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const namedIn = (pattern: RegExp): readonly string[] => [...readme.matchAll(pattern)].map(([, name]) => name ?? '');
    expect(namedIn(/npm run (?:--silent )?([a-z:-]+)/g).filter(script => !Object.hasOwn(scripts, script))).toEqual([]);
    const named = namedIn(/(?:npx |`)capi-serverless ([a-z-]+)/g);
    expect(named.length).toBeGreaterThan(1);
    expect(named.filter(command => !commands.some(({ name }) => name === command))).toEqual([]);
  });
});
