// Reads the files and the server, checks them and prints the findings.

import { connect } from '../../local/connect.ts';
import { checkFiles, checkItems } from '../../local/contract-check/check-contract.ts';
import { readAddedLabels } from '../../local/contract-check/kustomizations.ts';
import { readLive } from '../../local/contract-check/live.ts';
import { exitCodes } from '../../local/exit-codes.ts';
import { isDefinition } from '../../local/findings/as-stored.ts';
import { inOrder } from '../../local/findings/finding.ts';
import { readFiles } from '../../local/findings/read-files.ts';
import { type CheckReport, printReport } from '../../local/findings/report.ts';
import { type File, readSubjects } from '../../local/findings/subjects.ts';
import type { ContractOptions } from './options.ts';

/** Resolves with the exit code. Throws UsageError for a file or a server that cannot be read. */
export async function checkContractOnce(options: ContractOptions, print: (text: string) => void): Promise<number> {
  const files = (await Promise.all(options.files.map(readFiles))).flat();
  const fileReport = checkFiles(files, await readAddedLabels(options.files));
  const live = options.kubeconfig === undefined ? undefined : await checkServer(options.kubeconfig, files);
  const report = live === undefined ? fileReport : join(fileReport, live);
  print(printReport(report, options.format));
  const isWrong = report.findings.some(({ severity }) => options.strict || severity === 'error');
  return isWrong ? exitCodes.notReady : exitCodes.done;
}

async function checkServer(kubeconfig: string, files: readonly File[]): Promise<CheckReport> {
  const objects = readSubjects(files).subjects.map(({ object }) => object);
  const names = objects.filter(isDefinition).map(({ metadata }) => metadata.name);
  const { kubernetes, server, close } = await connect(kubeconfig);
  try {
    const { items, notes } = await readLive(kubernetes, { names, server });
    const report = checkItems(items);
    return { ...report, notes: [...report.notes, ...notes] };
  } finally {
    await close();
  }
}

function join(one: CheckReport, other: CheckReport): CheckReport {
  return {
    objects: one.objects + other.objects,
    findings: inOrder([...one.findings, ...other.findings]),
    notes: [...new Set([...one.notes, ...other.notes])],
  };
}
