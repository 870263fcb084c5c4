// The stored recording has the commands and the key lines that the present executable prints. `npm run recording`
// records it again.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Capture } from '../../../../docs/recording/svg.ts';
import { declarations } from '../../../../functions/declarations.ts';
import { simulatedCrds } from '../../../../local/provider/crds/index.ts';
import { localDeclarations } from '../../../../local/provider/declarations.ts';
import { toFrame } from '../../../../local/view/frame.ts';
import { createReporter } from '../../../../local/view/reporter.ts';
import { coreCrds } from '../../../../shared/api/crds.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const capture = JSON.parse(read('docs/recording/capture.json')) as Capture; // true: the script wrote it

const colors = new RegExp(`${String.fromCodePoint(27)}\\[\\d+m`, 'g');
const screens = capture.screens.map(({ lines }) => lines.map(line => line.replaceAll(colors, '')));
const lines = new Set(screens.flat().map(withoutOccasion));

/** The time and the port differ in each run. A new reconciler or kind needs no new recording. */
function withoutOccasion(line: string): string {
  return line
    .replace(/^\d\d:\d\d:\d\d /, 'TIME ')
    .replace(/127\.0\.0\.1:\d+/, 'SERVER')
    .replace(/ \([a-z-]+(, [a-z-]+)+\)/, ' (RECONCILERS)')
    .replace(/Installed \d+ /, 'Installed SOME ');
}

/** Returns the lines that the present executable prints for these events. */
function print(events: (reporter: ReturnType<typeof createReporter>) => void): readonly string[] {
  const written: string[] = [];
  events(createReporter({ json: false, write: text => void written.push(text), now: () => 0 }));
  return written.join('').trimEnd().split('\n').map(withoutOccasion);
}

/** Returns the Clusters of the examples that `npm start` applies. */
function exampleClusters(): readonly string[] {
  const documents = globSync(['examples/*.yaml', 'examples/topology/*.yaml'], { cwd: root }).flatMap(file =>
    read(file).split(/^---$/m),
  );
  return documents
    .filter(text => /^kind: Cluster$/m.test(text))
    .map(text => /^metadata:\n(?: {2}.*\n)*? {2}name: (\S+)$/m.exec(text)?.[1] ?? '');
}

describe('the stored recording', () => {
  it('begins with the command of the quick start, which runs the executable', () => {
    expect(read('README.md')).toContain(`\nnpm ci\n${capture.command}\n`);
    expect(capture.command).toBe('npm start');
    expect(JSON.parse(read('package.json'))).toMatchObject({ scripts: { start: 'node cli/bin.js start' } });
  });

  it('names the installed definitions and the reconcilers of the present executable', () => {
    const names = [...declarations, ...localDeclarations].map(({ name }) => name);
    const printed = print(reporter => {
      reporter.note(`Installed ${coreCrds.length + simulatedCrds.length} CustomResourceDefinitions`);
      reporter.started('https://127.0.0.1:1', names);
    });
    expect(printed).toHaveLength(2);
    expect(printed.filter(line => !lines.has(line))).toEqual([]);
  });

  it('begins with the summary line of the view without Clusters', () => {
    const layout = { width: capture.columns, height: 30, color: false };
    expect(screens[0]?.at(-1)).toBe(toFrame({ snapshots: [], errors: [], extensions: [] }, layout).at(-1));
  });

  it('ends with the Clusters of the examples, all Available', () => {
    const clusters = exampleClusters().map(name => `default/${name}`);
    const shown = (screens.at(-1) ?? []).flatMap(
      line => /^✓ (default\/\S+) +Provisioned {2}Available/.exec(line)?.[1] ?? [],
    );
    expect(clusters.length).toBeGreaterThan(3);
    expect(shown.toSorted()).toEqual(clusters.toSorted());
  });

  it('shows no error of a function', () => {
    expect(screens.flat().filter(line => line.startsWith('! '))).toEqual([]);
  });
});
