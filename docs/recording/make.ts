// `npm run recording`: runs the script of `npm start` in a simulated terminal until its Clusters are Available, and
// writes the picture of the README. With --draw, it draws the stored recording again without a run.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { valueAt } from '@capi-serverless/apimachinery';
import { atMost, type Screen, thin, toScreens, type Written } from './screens.ts';
import { type Capture, toSvg } from './svg.ts';

const root = path.resolve(import.meta.dirname, '../..');
const captureFile = path.join(import.meta.dirname, 'capture.json');
const svgFile = path.join(import.meta.dirname, 'start.svg');

const columns = 112;
/** The height of the terminal. When all objects are ready, the view of the examples needs one line less. */
const rows = 31;
const longestMs = 600_000;
const spacing = { everyMs: 1000, longestMs: 2000 };
const mostScreens = 14;
const colorCode = new RegExp(`${String.fromCodePoint(27)}\\[\\d+m`, 'g');

/** The local run draws its view only if standard output is a terminal. */
const asTerminal = `data:text/javascript,Object.assign(process.stdout,{isTTY:true,columns:${columns},rows:${rows}})`;

/** Returns the output of the run until no Cluster waits. Throws if this takes too long. */
async function record(): Promise<readonly Written[]> {
  const writes: Written[] = [];
  const run = spawn(process.execPath, ['--import', asTerminal, ...readStartArguments()], {
    cwd: root,
    env: { ...process.env, TERM: 'xterm', NO_COLOR: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const started = performance.now();
  const tooLong = setTimeout(() => run.kill('SIGINT'), longestMs);
  let isSettled = false;
  for await (const chunk of run.stdout.setEncoding('utf8')) {
    if (!isSettled) {
      writes.push({ ms: Math.round(performance.now() - started), text: toShown(chunk) });
      isSettled = showsSettled(toScreens(writes, rows - 1).at(-1));
      if (isSettled) {
        run.kill('SIGINT');
      }
    }
  }
  clearTimeout(tooLong);
  if (!isSettled) {
    throw new Error(`The run ended, or ${longestMs / 1000} s passed, before all Clusters were Available`);
  }
  return writes;
}

/** The arguments of node in the script that `npm start` runs. */
function readStartArguments(): readonly string[] {
  const manifest: unknown = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const script = String(valueAt(manifest, 'scripts.start'));
  if (!script.startsWith('node ')) {
    throw new Error(`The script of npm start does not run node: ${script}`);
  }
  return script.split(' ').slice(1);
}

/** The output contains the path of a dist/kubeconfig copy, which differs in each run. */
function toShown(text: string): string {
  return text.replaceAll(/\/\S+\/capi-serverless-\w+\/kubeconfig/g, 'dist/kubeconfig').replaceAll(`${root}/`, '');
}

/** Returns true if the view shows Clusters and no object waits. */
function showsSettled(screen: Screen | undefined): boolean {
  const text = (screen?.lines ?? []).join('\n').replaceAll(colorCode, '');
  const isComplete = [...text.matchAll(/ (\d+)\/(\d+) (?:ready|healthy)/g)].every(([, is, wanted]) => is === wanted);
  return isComplete && /^[1-9]\d* Clusters/m.test(text) && !/^[│├└─ ]*… /m.test(text) && /^✓ .*Available/m.test(text);
}

if (!process.argv.includes('--draw')) {
  const screens = atMost(thin(toScreens(await record(), rows - 1), spacing), mostScreens);
  const failed = screens.flatMap(({ lines }) => lines).find(line => line.replaceAll(colorCode, '').startsWith('! '));
  if (failed !== undefined) {
    throw new Error(`The run shows an error of a slow machine; record again: ${failed}`);
  }
  const capture: Capture = { command: 'npm start', columns, screens };
  writeFileSync(captureFile, `${JSON.stringify(capture, null, 2)}\n`);
}
writeFileSync(svgFile, toSvg(JSON.parse(readFileSync(captureFile, 'utf8')) as Capture)); // true: this program wrote it
