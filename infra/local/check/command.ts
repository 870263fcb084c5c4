// Reads the files, checks them and prints what was found.
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { toError } from '../../../shared/kernel/errors.ts';
import { exitCodes } from '../drive.ts';
import { UsageError } from '../options.ts';
import { check } from './check.ts';
import type { CheckOptions } from './options.ts';
import { printReport } from './report.ts';
import type { File } from './subjects.ts';

const manifestFile = /\.(?:ya?ml|json)$/;

/** Resolves with the exit code. Throws UsageError for a file that cannot be read. */
export async function checkOnce(options: CheckOptions, print: (text: string) => void): Promise<number> {
  const files = (await Promise.all(options.files.map(readFiles))).flat();
  const report = check(files);
  print(printReport(report, options.format));
  const isWrong = report.findings.some(({ severity }) => options.strict || severity === 'error');
  return isWrong ? exitCodes.notReady : exitCodes.done;
}

/** The manifests that the name stands for. Throws UsageError. */
export async function readFiles(name: string): Promise<readonly File[]> {
  try {
    if (!(await stat(name)).isDirectory()) {
      return [await readOne(name)];
    }
    const entries = await readdir(name);
    const manifests = entries.filter(entry => manifestFile.test(entry)).sort();
    return await Promise.all(manifests.map(entry => readOne(path.join(name, entry))));
  } catch (thrown) {
    throw new UsageError(`${name} cannot be read: ${toError(thrown).message}`, { cause: thrown });
  }
}

async function readOne(name: string): Promise<File> {
  return { name, text: await readFile(name, 'utf8') };
}
