// The script and the style of the page. The script contains its library, so the page asks no other server.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';

export interface Assets {
  readonly script: string;
  readonly style: string;
}

const folder = path.join(import.meta.dirname, 'browser');

/** Takes some milliseconds. */
export async function readAssets(): Promise<Assets> {
  const [{ outputFiles }, style] = await Promise.all([
    build({
      entryPoints: [path.join(folder, 'page.js')],
      bundle: true,
      minify: true,
      write: false,
      format: 'iife',
      platform: 'browser',
      target: 'es2022',
      logLevel: 'silent',
    }),
    readFile(path.join(folder, 'page.css'), 'utf8'),
  ]);
  const [script] = outputFiles;
  if (script === undefined) {
    throw new Error('The script of the page was not built');
  }
  return { script: script.text, style };
}
