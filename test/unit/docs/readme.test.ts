import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { settings } from '../../../shared/config/env.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const readme = readFileSync(path.join(root, 'README.md'), 'utf8');

describe('the README', () => {
  it('lists every setting as the code has it', () => {
    const table = readme.split(/<!-- settings: .* -->\n|<!-- end of settings -->/)[1];
    const rows = settings.map(
      ({ name, meaning, default: value }) => `| \`${name}\` | ${meaning} | ${value === '' ? '' : `\`${value}\` `}|`,
    );
    expect(table).toBe(['| variable | meaning | default |', '|---|---|---|', ...rows, ''].join('\n'));
  });

  it('names only scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
    const named = [...readme.matchAll(/npm run (?:--silent )?([a-z:-]+)/g)].map(([, script]) => script ?? '');
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter(script => !Object.hasOwn(scripts, script))).toEqual([]);
  });

  it('links only to files that exist', () => {
    const linked = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map(([, target]) => target ?? '');
    const missing = linked.filter(target => !existsSync(path.join(root, target)));
    expect(missing).toEqual([]);
  });
});
