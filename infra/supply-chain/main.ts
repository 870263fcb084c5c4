// `npm run supply-chain`: checks the lock file and licences, and queries the registry for security advisories. Writes
// the bill of materials and the notices of the shipped code to dist/supply-chain.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { exitCodes } from '../../local/exit-codes.ts';
import { runCommand } from '../../local/run-command.ts';
import { UsageError } from '../../local/usage-error.ts';
import { bundleProgram, projectRoot } from '../bundles/bundle.ts';
import { currentBundles, metafileOf } from '../bundles/current.ts';
import { allFunctions, forwarderProgram } from '../function-plans.ts';
import { readAudit } from './advisories.ts';
import { type Bill, checkShipped, narrowBill, parseBill } from './bill-of-materials.ts';
import { readBundled } from './bundled.ts';
import { readLicences } from './installed.ts';
import { checkLicences } from './licences.ts';
import { checkLockFile, parseLockFile, parseManifest } from './lock-file.ts';
import { type Notice, toNotices } from './notices.ts';
import { runNpm } from './npm.ts';

const project = 'capi-serverless';
const outDir = path.join(projectRoot, 'dist/supply-chain');

/** The bill of materials of the whole tree. With `--omit dev`, npm omits packages that development tools also need. */
async function readBill(): Promise<Bill> {
  const text = await runNpm(projectRoot, ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']);
  if (!text.startsWith('{')) {
    throw new UsageError('npm sbom wrote no bill of materials; it needs npm 10 or later');
  }
  return parseBill(text, project);
}

/** Returns every package that is part of a function or of the watch-forwarder. */
async function readShipped(): Promise<readonly Notice[]> {
  const bundles = await currentBundles(allFunctions);
  const program = await bundleProgram(forwarderProgram, path.join(projectRoot, 'dist/programs'));
  return readBundled([...(await Promise.all(bundles.map(metafileOf))), program.metafile]);
}

function write(file: string, text: string): void {
  writeFileSync(path.join(outDir, file), text);
}

function report(what: string, problems: readonly string[]): number {
  console.log(problems.length === 0 ? `${what}: good` : `${what}: ${problems.length} broken`);
  for (const problem of problems) {
    console.log(`  ${problem}`);
  }
  return problems.length;
}

async function reportAdvisories(): Promise<number> {
  const advice = readAudit(await runNpm(projectRoot, ['audit', '--json', '--omit', 'dev']));
  if (advice.kind === 'skipped') {
    console.log(`advisories of shipped packages: skipped, as ${advice.why}`);
    return 0;
  }
  for (const note of advice.notes) {
    console.log(`  note: ${note}`);
  }
  return report('advisories of shipped packages', advice.problems);
}

async function main(): Promise<number> {
  const lock = parseLockFile(readFileSync(path.join(projectRoot, 'package-lock.json'), 'utf8'));
  const manifest = parseManifest(readFileSync(path.join(projectRoot, 'package.json'), 'utf8'));
  const bundled = await readShipped();
  const bill = await readBill();
  mkdirSync(outDir, { recursive: true });
  write('shipped.cdx.json', `${JSON.stringify(narrowBill(bill, bundled), undefined, 2)}\n`);
  write('development.cdx.json', `${JSON.stringify(bill, undefined, 2)}\n`);
  write('NOTICES.txt', toNotices(project, bundled));
  const broken =
    report(`lock file, ${Object.keys(lock.packages).length - 1} packages`, checkLockFile(lock, manifest)) +
    report('licences', checkLicences(readLicences(projectRoot, lock))) +
    report(`bill of materials, ${bundled.length} packages shipped`, checkShipped({ bill, lock }, bundled)) +
    (await reportAdvisories());
  return broken === 0 ? exitCodes.done : exitCodes.notReady;
}

await runCommand(main);
