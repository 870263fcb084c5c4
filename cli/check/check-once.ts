// Reads the files, checks them and prints the findings.
import { exitCodes } from '../../local/exit-codes.ts';
import { readFiles } from '../../local/findings/read-files.ts';
import { printReport } from '../../local/findings/report.ts';
import { UsageError } from '../../local/usage-error.ts';
import { check } from './check.ts';
import type { CheckOptions } from './options.ts';
import { joinUnsubstituted, substitute } from './placeholders.ts';

/** Resolves with the exit code. Throws UsageError for a file that cannot be read, and if there is nothing to check. */
export async function checkOnce(options: CheckOptions, print: (text: string) => void): Promise<number> {
  const read = (await Promise.all(options.files.map(readFiles))).flat();
  const files = read.map(file => ({ ...file, text: substitute(file.text, options.substitutes) }));
  const { findings, ...others } = check(files, options.namespace);
  if (others.objects === 0 && findings.length === 0) {
    const what = files.length === 0 ? 'no .yaml, .yml or .json file' : 'no object';
    throw new UsageError(`There is nothing to check: ${options.files.join(', ')} contains ${what}`);
  }
  const report = { ...others, findings: joinUnsubstituted(findings, files) };
  print(printReport(report, options.format));
  const isWrong = report.findings.some(({ severity }) => options.strict || severity === 'error');
  return isWrong ? exitCodes.notReady : exitCodes.done;
}
