// Reads the files, checks them and prints the findings.
import { exitCodes } from '../../local/exit-codes.ts';
import { readFiles } from '../../local/findings/read-files.ts';
import { printReport } from '../../local/findings/report.ts';
import { check } from './check.ts';
import type { CheckOptions } from './options.ts';

/** Resolves with the exit code. Throws UsageError for a file that cannot be read. */
export async function checkOnce(options: CheckOptions, print: (text: string) => void): Promise<number> {
  const files = (await Promise.all(options.files.map(readFiles))).flat();
  const report = check(files);
  print(printReport(report, options.format));
  const isWrong = report.findings.some(({ severity }) => options.strict || severity === 'error');
  return isWrong ? exitCodes.notReady : exitCodes.done;
}
